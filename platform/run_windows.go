package platform

import (
	"os"

	"golang.org/x/sys/windows"
)

func kill(p *os.Process) error { return p.Kill() }

// Gone tells whether no process with this number runs any more.
func Gone(pid int) bool {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return err == windows.ERROR_INVALID_PARAMETER // there is none; another error is another user's
	}
	defer windows.CloseHandle(handle)
	state, err := windows.WaitForSingleObject(handle, 0)
	return err == nil && state == windows.WAIT_OBJECT_0
}
