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

// group is a job object, which no process can leave.
type group struct{ job proc.Job }

func startGroup(cmd *exec.Cmd) (group, error) {
	job, err := proc.StartInJob(*cmd.SysProcAttr, func(attr *syscall.SysProcAttr) (*os.Process, error) {
		cmd.SysProcAttr = attr
		err := cmd.Start()
		return cmd.Process, err
	})
	return group{job}, err
}

func (group) ask() {}

func (g group) lives() bool { return g.job.Active() }

func (g group) kill(bool) (found bool) {
	_ = g.job.Kill() // Active shows what is left
	return g.job.Active()
}

func (g group) killAll(over bool) (found bool) { return g.kill(over) }

func (g group) close() { g.job.Close() }
