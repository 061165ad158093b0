//go:build unix

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// ReaderIsGone reports whether nobody can read any more what is written to a pipe or
// socket. On Windows only a write tells.
func ReaderIsGone(f *os.File) bool {
	poll := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLRDBAND}} // #nosec G115 -- a small number; macOS answers nothing if nothing is asked for
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
