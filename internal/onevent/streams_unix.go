//go:build unix

package onevent

import (
	"time"

	"golang.org/x/sys/unix"
)

// Read waits for the file by itself: a goroutine that reads beside a timer costs
// every event more than all that it asks of the file system.
func (in inTime) Read(p []byte) (int, error) {
	ready := []unix.PollFd{{Fd: int32(in.file.Fd()), Events: unix.POLLIN}}
	for {
		left := time.Until(in.until)
		if left <= 0 {
			return 0, errLate
		}
		n, err := unix.Poll(ready, int(left.Milliseconds())+1)
		switch {
		case n > 0:
			return in.file.Read(p)
		case err != nil && err != unix.EINTR:
			return 0, err
		}
	}
}

// oneWrite is how much a pipe takes at once when it takes anything: POSIX's
// smallest PIPE_BUF, below which no write is parted.
const oneWrite = 512

// Write writes while there is room. It goes past package os, which ends the
// program where the reader of standard output is gone.
func (o output) Write(p []byte) (n int, err error) {
	end := time.Now().Add(o.left())
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
