package gate

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// Tree is a command that was started, and all that it has started.
//
// On Linux this process adopts what has lost its parent, until Close. So there
// can be one Tree at a time, and nothing else may be started meanwhile.
type Tree struct {
	cmd   *exec.Cmd
	kin   *kin
	ended chan struct{} // closed when the command has ended, whatever it left
	err   error         // of its end, then
}

// Start starts a command in a session of its own; on Windows in a job, which
// ends with this process. Close belongs to it.
func Start(cmd *exec.Cmd) (*Tree, error) {
	cmd.SysProcAttr = apart(cmd.SysProcAttr)
	k, err := startKin(cmd)
	if err != nil {
		return nil, err
	}
	t := &Tree{cmd: cmd, kin: k, ended: make(chan struct{})}
	go t.wait()
	return t, nil
}

func (t *Tree) wait() {
	t.err = t.cmd.Wait()
	close(t.ended)
}

// Ended is closed when the command itself has ended.
func (t *Tree) Ended() <-chan struct{} { return t.ended }

// Exit tells of a command that has ended by itself: -1, and why, where it has
// no exit code.
func (t *Tree) Exit() (code int, why string) {
	state := t.cmd.ProcessState
	switch {
	case state == nil:
		return -1, fmt.Sprintf("its end is not known: %v", t.err)
	case state.ExitCode() < 0:
		return -1, fmt.Sprintf("it was killed (%s)", state)
	}
	return state.ExitCode(), ""
}

// Stop asks everything to end, and gives it a time, or until ctx is done.
func (t *Tree) Stop(ctx context.Context, grace time.Duration) {
	t.kin.signal(true, syscall.SIGTERM)
	until(grace, func() bool { return ctx.Err() != nil || t.over() && !t.kin.signal(true, 0) })
}

// Sweep kills what runs, all of it or what has not moved to another session, and
// tells whether it is gone. What is killed may have started more the moment
// before, so it looks again until there is nothing.
func (t *Tree) Sweep(all bool) bool {
	return until(patience, func() bool {
		over := t.over() // asked before the look: it may start more and end while we look
		return !t.kin.signal(all, syscall.SIGKILL) && over
	})
}

// Close ends the adoption. On Windows it ends what is left, too.
func (t *Tree) Close() { t.kin.close() }

// over tells whether the command itself has ended.
func (t *Tree) over() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

// until looks again and again whether something is done, for a time.
func until(limit time.Duration, done func() bool) bool {
	end := time.Now().Add(limit)
	for wait := time.Millisecond; !done(); wait = min(2*wait, 50*time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(wait)
	}
	return true
}
