package proc

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Job is a Windows job object. A process in it, and everything that it starts, cannot
// leave it, and ends with the job's last handle, so also when we are killed. The zero
// Job has no process.
type Job struct{ handle windows.Handle }

// StartInJob calls start, which must start one process with the attributes it gets,
// and puts that process into a new job. The process is suspended until it is in
// the job, so nothing it starts can escape.
func StartInJob(attr syscall.SysProcAttr, start func(*syscall.SysProcAttr) (*os.Process, error)) (Job, error) {
	j, err := newJob()
	if err != nil {
		return Job{}, err
	}
	attr.CreationFlags |= windows.CREATE_SUSPENDED
	p, err := start(&attr)
	if err != nil {
		j.Close()
		return Job{}, err
	}
	if err := j.adopt(p); err != nil {
		err = errors.Join(err, p.Kill(), p.Release()) // it never ran
		j.Close()
		return Job{}, err
	}
	return j, nil
}

func newJob() (Job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return Job{}, os.NewSyscallError("CreateJobObject", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(handle)
		return Job{}, os.NewSyscallError("SetInformationJobObject", err)
	}
	return Job{handle}, nil
}

// adopt puts a suspended process into the job and lets it run.
func (j Job) adopt(p *os.Process) error {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_SUSPEND_RESUME
	process, err := windows.OpenProcess(access, false, uint32(p.Pid))
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(j.handle, process); err != nil {
		return os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return resume(process)
}

// resume lets a suspended process run. NtResumeProcess is not documented but
// has been there since Windows XP; the documented way needs the handle of the
// first thread, which package os closes.
func resume(process windows.Handle) error {
	call := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
	if err := call.Find(); err != nil {
		return err
	}
	if status, _, _ := call.Call(uintptr(process)); status != 0 {
		return os.NewSyscallError("NtResumeProcess", windows.NTStatus(status))
	}
	return nil
}

// Kill ends all processes of the job.
func (j Job) Kill() error {
	if j.handle == 0 {
		return nil
	}
	return windows.TerminateJobObject(j.handle, 1)
}

// Active reports whether any process of the job runs, or may.
func (j Job) Active() bool {
	if j.handle == 0 {
		return false
	}
	var count accounting
	err := windows.QueryInformationJobObject(j.handle, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&count)), uint32(unsafe.Sizeof(count)), nil)
	return err != nil || count.active > 0
}

// Close ends what still runs in the job.
func (j Job) Close() {
	if j.handle != 0 {
		windows.CloseHandle(j.handle)
	}
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	_          [4]uint64 // times
	_, _       uint32    // page faults, processes in all
	active     uint32
	terminated uint32
}
