package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// changes tells whether a system call may change a file or a lock.
func changes(call uint64) bool {
	switch call {
	case syscall.SYS_OPENAT, syscall.SYS_WRITE, syscall.SYS_RENAMEAT, syscall.SYS_UNLINKAT, syscall.SYS_MKDIRAT,
		syscall.SYS_FSYNC, syscall.SYS_FLOCK, syscall.SYS_FCHMODAT, syscall.SYS_FTRUNCATE, syscall.SYS_UTIMENSAT:
		return true
	}
	return false
}

// TestHookKilledAtEveryStep kills hooks before each of their system calls that
// change something, one after the other.
func TestHookKilledAtEveryStep(t *testing.T) {
	if !newWorld(t).killBefore("{}", 1) {
		t.Fatal("got a hook that was not killed")
	}
	var tally tally
	limit := make(chan struct{}, killers)
	var group sync.WaitGroup
	for i, scene := range scenes {
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			for step := 1; !t.Failed(); step++ {
				k := &killing{world: newWorld(t), id: fmt.Sprint("chat-", i), tally: &tally}
				reached := false
				k.kill = func(event string) bool {
					killed := k.killBefore(event, step)
					reached = reached || killed
					return killed
				}
				scene.play(k)
				k.leftOvers()
				switch {
				case t.Failed():
					t.Errorf("in: %s, killed before call %d", scene.name, step)
				case !reached && step < 15:
					t.Errorf("%s: got %d steps, want those of a hook", scene.name, step-1)
				case !reached:
					return
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d hooks were killed", tally.killed.Load())
}

// killBefore runs a hook and kills it before its n-th call that changes
// something, in whichever thread that is.
func (w world) killBefore(event string, n int) (killed bool) {
	w.Helper()
	path := filepath.Join(w.dir, "event")
	w.write(path, event)
	in, err := os.Open(path)
	w.must(err)
	defer in.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	w.must(err)
	defer null.Close()

	runtime.LockOSThread() // who alone may steer the hook
	defer runtime.UnlockOSThread()
	pid, err := syscall.ForkExec(program(), []string{program()}, &syscall.ProcAttr{
		Dir: w.dir, Env: w.env, Files: []uintptr{in.Fd(), null.Fd(), null.Fd()}, Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true" {
		w.Skipf("tracing is not allowed: %v", err)
	}
	w.must(err)
	status, err := steer(pid, n)
	w.must(errors.Join(err, os.Remove(path)))
	if status.Exited() && status.ExitStatus() != 0 {
		w.Errorf("got exit %d, want 0", status.ExitStatus())
	}
	return status.Signaled()
}

// steer lets a traced process run until its n-th call that changes something,
// and kills it there. The process leads a group of its own, for which alone is
// waited here.
func steer(pid, n int) (status syscall.WaitStatus, err error) {
	const traceSyscalls, exitKill = 1, 1 << 20 // PTRACE_O_TRACESYSGOOD, PTRACE_O_EXITKILL
	if _, err = syscall.Wait4(pid, &status, 0, nil); err != nil {
		return status, err
	}
	if err = syscall.PtraceSetOptions(pid, traceSyscalls|exitKill|syscall.PTRACE_O_TRACECLONE); err != nil {
		return status, err
	}
	for thread := pid; ; {
		signal := 0
		if status.Stopped() {
			switch stop := status.StopSignal(); stop {
			case syscall.SIGTRAP | 0x80:
				if changes(entered(thread)) {
					n--
				}
				if n == 0 {
					return killed(pid)
				}
			case syscall.SIGTRAP, syscall.SIGSTOP: // a new program, a new thread
			default:
				signal = int(stop)
			}
			if err := syscall.PtraceSyscall(thread, signal); err != nil && err != syscall.ESRCH {
				return status, err
			}
		}
		thread, err = syscall.Wait4(-pid, &status, syscall.WALL, nil)
		switch {
		case err == syscall.EINTR:
			status = 0
		case err != nil || thread == pid && !status.Stopped():
			return status, err
		}
	}
}

// killed ends a process and waits for the end of all its threads.
func killed(pid int) (status syscall.WaitStatus, err error) {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return status, err
	}
	for {
		thread, err := syscall.Wait4(-pid, &status, syscall.WALL, nil)
		if err != nil && err != syscall.EINTR || thread == pid && !status.Stopped() {
			return status, err
		}
	}
}

// entered gives the system call that a thread is about to make, none if it
// comes from one.
func entered(thread int) uint64 {
	const getSyscallInfo, entry, none = 0x420e, 1, ^uint64(0) // PTRACE_GET_SYSCALL_INFO
	var info struct {
		op     uint8
		_      [3]uint8
		_      uint32
		_      [2]uint64
		number uint64
		_      [8]uint64
	}
	_, _, err := syscall.RawSyscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(thread), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if err != 0 || info.op != entry {
		return none
	}
	return info.number
}
