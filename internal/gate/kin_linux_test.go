package gate

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// nothingIsOurs: no process is below us, not even one that has ended, and what
// loses its parent does not become ours any more.
func nothingIsOurs(t *testing.T) {
	t.Helper()
	for _, m := range members(os.Getpid()) {
		t.Errorf("still below us: %+v", m)
	}
	var adopts int32
	if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&adopts)), 0, 0, 0); err != nil || adopts != 0 {
		t.Errorf("got %d, %v, want that we do not adopt", adopts, err)
	}
}

// TestOneThatRunsAway: each of its processes starts the next in a session of its
// own and ends, so that whoever looks for it is late.
func TestOneThatRunsAway(t *testing.T) {
	s := newScene(t)
	run := "trap '' TERM; sh $T/tell a $$; echo >>$T/steps; setsid sh $T/run </dev/null >/dev/null 2>&1 &\n"
	if err := os.WriteFile(filepath.Join(s.dir, "run"), []byte(run), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result, 1)
	go func() { done <- Run(ctx, s.command(`sh $T/run; sleep 60`)) }()
	s.until("it runs", func() bool { return s.steps() > 20 })
	cancel()
	if got := <-done; got.Why != "it was given up" {
		t.Errorf("got %+v, want it given up, with nothing left", got)
	}
	nothingIsOurs(t)
}

func (s scene) steps() int64 {
	info, err := os.Stat(filepath.Join(s.dir, "steps"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// TestOrphansEndForGood: while a command runs, a process of its that has ended
// is seen by it to have ended, though we are the parent now.
func TestOrphansEndForGood(t *testing.T) {
	s := newScene(t)
	c := s.command(`(sh -c 'sh $T/tell a $$' &)
until [ -e $T/a ]; do sleep 0.01; done
while kill -0 $(cat $T/a) 2>/dev/null; do sleep 0.01; done; echo gone`)
	c.Timeout = 20 * time.Second
	if got := Run(t.Context(), c); !got.Passed || got.Output != "gone" {
		t.Errorf("got %+v, want it gone", got)
	}
	nothingIsOurs(t)
}

// TestOtherChildrenAreLeftInPeace: neither killed nor waited for.
func TestOtherChildrenAreLeftInPeace(t *testing.T) {
	s := newScene(t)
	lives, ended := exec.Command("sh", "-c", "sh $T/tell child $$; sleep 60 & wait"), exec.Command("sh", "-c", "exit 7")
	for _, other := range []*exec.Cmd{lives, ended} {
		other.Env = append(os.Environ(), "T="+s.dir)
		other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
	}
	pid := s.told("child")
	s.until("the other has ended", func() bool { return platform.Gone(ended.Process.Pid) })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result, 1)
	go func() { done <- Run(ctx, s.command("setsid sleep 60 & sh $T/tell a $$; wait")) }()
	s.told("a")
	cancel()
	<-done
	if platform.Gone(pid) {
		t.Error("the other child was killed")
	}
	if err := ended.Wait(); ended.ProcessState.ExitCode() != 7 {
		t.Errorf("got %v of the one that has ended, want exit status 7", err)
	}
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	_ = lives.Wait() // killed
	nothingIsOurs(t)
}

func TestMembers(t *testing.T) {
	s := newScene(t)
	child := exec.Command("/bin/sh", "-c", "sleep 60 & sh $T/tell a $!; wait")
	child.Env, child.SysProcAttr = append(os.Environ(), "T="+s.dir), &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	pid, grandchild := child.Process.Pid, s.told("a")
	var all []member
	s.until("there are two", func() bool { all = members(os.Getpid()); return len(all) == 2 })
	if all[0].pid != pid || all[1].pid != grandchild || all[1].parent != pid || all[1].group != pid || all[1].session != pid || all[1].ended {
		t.Errorf("got %+v, want %d and its child %d", all, pid, grandchild)
	}
	if got := members(os.Getpid(), all[0]); len(got) != 0 {
		t.Errorf("got %+v, want none but these", got)
	}
	younger := all[0]
	younger.started += "0"
	if got := members(os.Getpid(), younger); len(got) != 2 {
		t.Errorf("got %+v, want both: another process had that number", got)
	}
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	_ = child.Wait() // killed
}
