//go:build unix && !linux

package proc

import "syscall"

// inherited is more than the number of descriptors that an editor passes to a
// program.
const inherited = 256

// keepDescriptors keeps what the editor passed besides the standard streams
// from a child. Without close_range each descriptor is marked.
func keepDescriptors() error {
	for fd := 3; fd < inherited; fd++ {
		syscall.CloseOnExec(fd)
	}
	return nil
}

func isZombie(int) bool { return false } // the system does not say
