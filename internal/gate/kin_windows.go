package gate

import (
	"errors"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// apart keeps a command from opening a window, and our Ctrl-C from it.
func apart(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.CreationFlags |= windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP
	return attr
}

// kin is a job object: what a command starts cannot leave it, and it ends with
// its last handle, so also when we are killed.
type kin struct{ job windows.Handle }

// startKin puts the shell into the job when it runs already. It takes a tenth of a
// second before it can start anything, so nothing is missed.
func startKin(cmd *exec.Cmd) (*kin, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	t := &kin{job}
	if err = t.endWithUs(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.close()
		return nil, err
	}
	if err := t.add(uint32(cmd.Process.Pid)); err != nil {
		t.close()
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Process.Release())
	}
	return t, nil
}

func (t *kin) endWithUs() error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err := windows.SetInformationJobObject(t.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

func (t *kin) add(pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	return errors.Join(windows.AssignProcessToJobObject(t.job, process), windows.CloseHandle(process))
}

// signal ends the job by any signal but 0, since nothing here can be asked to
// end, and tells whether anything of it runs. Nothing can have moved away.
func (t *kin) signal(_ bool, s syscall.Signal) (found bool) {
	if s != 0 {
		_ = windows.TerminateJobObject(t.job, 1) // what it has not ended is counted below
	}
	var count accounting
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&count)), uint32(unsafe.Sizeof(count)), nil)
	return err != nil || count.active > 0
}

func (t *kin) close() { _ = windows.CloseHandle(t.job) } // ends what is left

// Interrupt does nothing: a command without our console cannot be asked.
func (t *Tree) Interrupt() {}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	_          [4]uint64 // times
	_, _       uint32    // page faults, processes in all
	active     uint32
	terminated uint32
}
