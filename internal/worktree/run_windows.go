package worktree

import (
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	program    = "git.exe"
	executable = true // the name says so
	careful    = 0
)

// apart keeps a console window from opening.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
}

// group is a job: git.exe on the PATH is a small program that starts the real
// one, which would outlive it. Where there can be none it is zero.
type group struct{ job windows.Handle }

func newGroup(p *os.Process) group {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}
	}
	g := group{job}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil || g.add(p.Pid) != nil {
		g.close()
		return group{}
	}
	return g
}

func (g group) add(pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(g.job, process)
}

func (g group) kill(p *os.Process) error {
	if g.job == 0 {
		return p.Kill()
	}
	return windows.TerminateJobObject(g.job, 1)
}

// close ends what still runs in the job.
func (g group) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}

func isNamed(name, want string) bool { return strings.EqualFold(name, want) }
