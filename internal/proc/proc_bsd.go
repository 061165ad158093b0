//go:build unix && !linux

package proc

import "syscall"

// inherited is more descriptors than an editor passes to a program.
const inherited = 256

// keepDescriptors makes a child not inherit the descriptors that the editor passed
// besides the standard streams. Without close_range we mark each one.
func keepDescriptors() error {
	for fd := 3; fd < inherited; fd++ {
		syscall.CloseOnExec(fd)
	}
	return nil
}

func isZombie(int) bool { return false } // the system does not say
