//go:build linux && amd64

package main

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// act is what becomes of a system call that a traced process is about to make,
// or comes from.
type act struct {
	kill  bool
	errno syscall.Errno // the call is not made, or its result not told, and gives this
	half  bool          // of a write: only the first half is written
}

// watcher sees every system call of a process before it is made, and after.
type watcher struct {
	root  []string // files below these folders are ours
	enter func(c *call) act
	leave func(c *call) act
}

// outcome is how a process ended.
type outcome struct {
	status         syscall.WaitStatus
	hung           bool
	stdout, stderr string
}

func (o outcome) killed() bool { return o.status.Signaled() }

// patience is far beyond the five seconds that a hook may take, and the ten
// that a command waits for a lock.
const patience = 20 * time.Second

// trace runs a program under a watcher. Only the thread that started the process
// may steer it.
func (w watcher) trace(c command) (o outcome, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	files, err := c.files()
	if err != nil {
		return o, err
	}
	defer files.close()
	pid, err := syscall.ForkExec(c.args[0], c.args, &syscall.ProcAttr{
		Dir: c.dir, Env: c.env, Files: files.descriptors(), Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return o, err
	}
	done := make(chan struct{})
	defer close(done)
	hung := make(chan bool, 1)
	go func() {
		select {
		case <-done:
		case <-time.After(patience):
			hung <- true
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone by now
		}
	}()
	t := tracer{watcher: w, pid: pid, kinds: kinds(), inside: map[int]*call{}, opened: map[int]*call{}}
	if o.status, err = t.steer(); err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL) // what went wrong is reported
		return o, err
	}
	o.hung = len(hung) > 0
	o.stdout, o.stderr, err = files.said()
	return o, err
}

// tracer steers one process, all threads of it.
type tracer struct {
	watcher
	pid    int
	kinds  map[uint64]kind
	inside map[int]*call // by thread
	opened map[int]*call // of our files, the call that opened them, by descriptor
}

const (
	optSyscalls, optExitKill = 1, 1 << 20 // PTRACE_O_TRACESYSGOOD, PTRACE_O_EXITKILL
	getSyscallInfo           = 0x420e     // PTRACE_GET_SYSCALL_INFO
	entry, exit              = 1, 2
)

func (t *tracer) steer() (status syscall.WaitStatus, err error) {
	if _, err = syscall.Wait4(t.pid, &status, 0, nil); err != nil {
		return status, err
	}
	if err = syscall.PtraceSetOptions(t.pid, optSyscalls|optExitKill|syscall.PTRACE_O_TRACECLONE); err != nil {
		return status, err
	}
	for thread := t.pid; ; {
		if status.Stopped() {
			signal, kill := t.stopped(thread, status.StopSignal())
			if kill {
				return t.kill()
			}
			if err := syscall.PtraceSyscall(thread, signal); err != nil && err != syscall.ESRCH {
				return status, err
			}
		}
		thread, err = syscall.Wait4(-t.pid, &status, syscall.WALL, nil)
		switch {
		case err == syscall.EINTR:
			status = 0
		case err != nil || thread == t.pid && !status.Stopped():
			return status, err
		}
	}
}

// stopped looks at a thread that stands still, and returns the signal that it is
// to get.
func (t *tracer) stopped(thread int, stop syscall.Signal) (signal int, kill bool) {
	switch stop {
	case syscall.SIGTRAP | 0x80:
		return 0, t.atCall(thread)
	case syscall.SIGTRAP, syscall.SIGSTOP: // a new program, a new thread
		return 0, false
	}
	return int(stop), false
}

// kill ends the process and waits for the end of all its threads.
func (t *tracer) kill() (status syscall.WaitStatus, err error) {
	if err := syscall.Kill(t.pid, syscall.SIGKILL); err != nil {
		return status, err
	}
	for {
		thread, err := syscall.Wait4(-t.pid, &status, syscall.WALL, nil)
		if err != nil && err != syscall.EINTR || err == nil && thread == t.pid && !status.Stopped() {
			return status, err
		}
	}
}

// info is struct ptrace_syscall_info.
type info struct {
	op     uint8
	_      [3]uint8
	_      uint32
	_      [2]uint64
	number uint64 // of an entry; the result at an exit
	args   [6]uint64
	_      [2]uint64
}

func (t *tracer) atCall(thread int) (kill bool) {
	var i info
	_, _, err := syscall.RawSyscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(thread), unsafe.Sizeof(i), uintptr(unsafe.Pointer(&i)), 0, 0)
	switch {
	case err != 0: // killed meanwhile
		return false
	case i.op == entry:
		return t.entered(thread, &i)
	case i.op == exit && t.inside[thread] != nil:
		return t.left(thread, int64(i.number))
	}
	return false
}

func (t *tracer) entered(thread int, i *info) (kill bool) {
	c := t.call(thread, i)
	t.inside[thread] = c
	what := t.enter(c)
	switch {
	case what.kill:
		return true
	case what.half:
		change(thread, func(r *syscall.PtraceRegs) { r.Rdx /= 2 })
	case what.errno != 0:
		c.forced = what.errno
		if c.number != syscall.SYS_CLOSE { // which closes, whatever it gives
			change(thread, func(r *syscall.PtraceRegs) { r.Orig_rax = ^uint64(0) })
		}
	}
	return false
}

func (t *tracer) left(thread int, result int64) (kill bool) {
	c := t.inside[thread]
	delete(t.inside, thread)
	if c.forced != 0 {
		result = -int64(c.forced)
		change(thread, func(r *syscall.PtraceRegs) { r.Rax = uint64(result) })
	}
	c.result = result
	switch {
	case c.number == syscall.SYS_OPENAT && result >= 0 && c.ours:
		t.opened[int(result)] = c
	case c.number == syscall.SYS_CLOSE:
		delete(t.opened, int(c.args[0]))
	}
	return t.leave(c).kill
}

func change(thread int, how func(*syscall.PtraceRegs)) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(thread, &regs) == nil {
		how(&regs)
		_ = syscall.PtraceSetRegs(thread, &regs) // it fails where the thread was killed, and then nothing matters
	}
}

// call says what a system call is, and whether it is about one of our files.
func (t *tracer) call(thread int, i *info) *call {
	c := &call{number: i.number, args: i.args}
	kind, known := t.kinds[i.number]
	if !known {
		return c
	}
	c.kind = kind
	if kind.path > 0 {
		c.path = text(thread, uintptr(i.args[kind.path]))
	}
	if by := t.opened[int(int32(i.args[kind.file]))]; by != nil && c.path == "" {
		c.path, c.writes = by.path, by.args[2]&(syscall.O_WRONLY|syscall.O_RDWR) != 0
	}
	for _, folder := range t.root {
		c.ours = c.ours || c.path == folder || strings.HasPrefix(c.path, folder+"/")
	}
	return c
}

// text reads a string of the traced process.
func text(thread int, at uintptr) string {
	var s []byte
	var part [64]byte
	for len(s) < 4096 {
		n, err := syscall.PtracePeekData(thread, at+uintptr(len(s)), part[:])
		if end := strings.IndexByte(string(part[:n]), 0); end >= 0 {
			return string(append(s, part[:end]...))
		}
		if err != nil {
			return ""
		}
		s = append(s, part[:n]...)
	}
	return ""
}

// there reports whether a path names something.
func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
