//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// oneWrite is how much a pipe takes at once when it takes anything: POSIX's
// smallest PIPE_BUF, below which no write is parted.
const oneWrite = 512

// Write writes while there is room. It goes past package os, which ends the
// program where the reader of standard output is gone.
func (o output) Write(p []byte) (n int, err error) {
	end := time.Now().Add(writeWait)
	for n < len(p) && err == nil {
		if err = o.awaitRoom(end); err == nil {
			var written int
			written, err = unix.Write(int(o.file.Fd()), p[n:min(n+oneWrite, len(p))])
			n += max(written, 0)
		}
		if err == unix.EINTR || err == unix.EAGAIN {
			err = nil
		}
	}
	return n, err
}

func (o output) awaitRoom(end time.Time) error {
	left := max(0, time.Until(end).Milliseconds())
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(o.file.Fd()), Events: unix.POLLOUT}}, int(left))
	if n == 0 && err == nil {
		return errUnread
	}
	return err
}
