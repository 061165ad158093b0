//go:build unix

package main

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
