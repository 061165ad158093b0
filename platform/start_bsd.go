//go:build unix && !linux

package platform

import "syscall"

// inheritable is how many descriptors a program has at most when the editor
// starts it; of what it opened itself it keeps few.
const inheritable = 256

// keepDescriptors keeps what the editor passed besides the standard streams
// from the child. There is no close_range here, so each is marked; one that is
// not open stays so.
func keepDescriptors() error {
	for fd := 3; fd < inheritable; fd++ {
		syscall.CloseOnExec(fd)
	}
	return nil
}
