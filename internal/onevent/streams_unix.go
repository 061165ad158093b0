//go:build unix

package onevent

import "golang.org/x/sys/unix"

// Write goes past package os, which ends a program when the reader of its standard output is gone.
func (o output) Write(p []byte) (n int, err error) {
	fd := int(o.file.Fd())
	for n < len(p) && err == nil {
		var written int
		written, err = unix.Write(fd, p[n:])
		n += max(written, 0)
		if err == unix.EAGAIN {
			_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1) // #nosec G115 -- a small number
		}
		if err == unix.EINTR {
			err = nil
		}
	}
	return n, err
}
