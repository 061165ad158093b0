//go:build unix

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// readBand is POLLRDBAND. It never comes, but macOS answers nothing if nothing is
// asked for.
const readBand = 0x80

// ReaderIsGone reports whether the other end of a pipe or socket is closed. On
// Windows only a write shows that.
func ReaderIsGone(f *os.File) bool {
	poll := []unix.PollFd{{Fd: int32(f.Fd()), Events: readBand}} // #nosec G115 -- a small number
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
