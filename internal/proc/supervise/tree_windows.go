package supervise

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// apart keeps a command from opening a window and from getting our Ctrl-C.
func apart(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.CreationFlags |= windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP
	return attr
}

// descendants is a job object, which no process can leave.
type descendants struct{ job proc.Job }

func startWithDescendants(cmd *exec.Cmd) (*descendants, error) {
	job, err := proc.StartInJob(*cmd.SysProcAttr, func(attr *syscall.SysProcAttr) (*os.Process, error) {
		cmd.SysProcAttr = attr
		err := cmd.Start()
		return cmd.Process, err
	})
	if err != nil {
		return nil, err
	}
	return &descendants{job}, nil
}

// signal ends the job, unless the signal is 0, and reports whether it found any
// process. Here processes cannot be asked to end.
func (d *descendants) signal(_ bool, s syscall.Signal) (found bool) {
	if s != 0 {
		_ = d.job.Kill() // Active shows what is left
	}
	return d.job.Active()
}

func (d *descendants) close() { d.job.Close() }

// Interrupt does nothing: a command without our console cannot be interrupted.
func (t *Tree) Interrupt() {}
