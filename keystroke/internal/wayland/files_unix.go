//go:build unix

package wayland

import (
	"os"
	"syscall"
)

func filesOf(control []byte) ([]*os.File, error) {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		for _, fd := range fds {
			syscall.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "wayland"))
		}
	}
	return files, nil
}
