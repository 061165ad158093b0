package platform

import "golang.org/x/sys/unix"

// keepDescriptors keeps what the editor passed besides the standard streams
// from the child: a pipe that a child holds open is one that the editor waits
// for. A kernel before 5.11 cannot do it, nor may a program in some containers,
// and then nothing is lost but that.
func keepDescriptors() error {
	err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
	if err == unix.ENOSYS || err == unix.EINVAL || err == unix.EPERM {
		return nil
	}
	return err
}
