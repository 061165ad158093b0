package proc

import (
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/windows"
)

// Source of the value: Microsoft's list of process creation flags.
const detachedProcess = 0x8

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

// keepDescriptors does nothing: a child inherits only the handles that Go passes.
func keepDescriptors() error { return nil }

// Hidden keeps a program on Windows from opening a console window, which would
// take the focus.
func Hidden() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
}

// group is the job of a contained program.
type group struct{ job Job }

func (c Command) start(cmd *exec.Cmd) (g group, err error) {
	cmd.SysProcAttr = Hidden()
	if !c.Contained {
		return g, start(cmd)
	}
	var job atomic.Pointer[Job] // ctx may end before the program is in it
	cmd.Cancel = func() error {
		if j := job.Load(); j != nil {
			return j.Kill()
		}
		return cmd.Process.Kill()
	}
	g.job, err = StartInJob(*cmd.SysProcAttr, func(attr *syscall.SysProcAttr) (*os.Process, error) {
		cmd.SysProcAttr = attr
		err := start(cmd)
		return cmd.Process, err
	})
	job.Store(&g.job)
	return g, err
}

func (g group) close() { g.job.Close() }

// Gone reports whether no process with this id runs.
func Gone(pid int) bool {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return err == windows.ERROR_INVALID_PARAMETER // no such process; other errors: it belongs to another user
	}
	defer windows.CloseHandle(handle)
	state, err := windows.WaitForSingleObject(handle, 0)
	return err == nil && state == windows.WAIT_OBJECT_0
}
