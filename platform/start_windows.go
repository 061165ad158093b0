package platform

import "syscall"

// Source of the value: Microsoft's list of process creation flags.
const detachedProcess = 0x8

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

// keepDescriptors has nothing to do: Go names the handles that a child gets,
// and it gets no others.
func keepDescriptors() error { return nil }
