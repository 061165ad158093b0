package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	patience = 5 * time.Second        // for killed processes to end
	drain    = 500 * time.Millisecond // for output after the end, if something holds the pipe open
)

var errUnkillable = errors.New("something that it started could not be killed and still runs")

// Tree is a process tree: a command and everything that it started.
//
// On Linux this process adopts the tree's orphans until Close. So there can be only one
// Tree at a time, and nothing else may be started meanwhile.
type Tree struct {
	cmd         *exec.Cmd
	descendants *descendants
	ended       chan struct{} // closed when the command itself has ended
	err         error         // of Wait, after that
}

// StartTree starts a command in its own session, or on Windows in a job that ends with
// this process. The caller closes the tree.
func StartTree(cmd *exec.Cmd) (*Tree, error) {
	cmd.SysProcAttr = apart(cmd.SysProcAttr)
	cmd.Env = withoutSecrets(cmd.Environ())
	d, err := startWithDescendants(cmd)
	if err != nil {
		return nil, err
	}
	t := &Tree{cmd: cmd, descendants: d, ended: make(chan struct{})}
	go t.wait()
	return t, nil
}

// notifyVariable is our own variable that may hold passwords. No program of the user needs it.
const notifyVariable = "CURSOR_RALPH_NOTIFY="

func withoutSecrets(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		return len(v) >= len(notifyVariable) && strings.EqualFold(v[:len(notifyVariable)], notifyVariable)
	})
}

// CheckDir returns an error if no program can be started in a folder; the system's own
// error would not name the folder. An empty dir is the current folder.
func CheckDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return err
}

func (t *Tree) wait() {
	t.err = t.cmd.Wait()
	close(t.ended)
}

// Ended returns a channel that is closed when the command itself has ended.
func (t *Tree) Ended() <-chan struct{} { return t.ended }

// Exit returns the exit code of a command that has ended, or -1 and the reason that
// there is none.
func (t *Tree) Exit() (code int, err error) {
	state := t.cmd.ProcessState
	switch {
	case state == nil:
		return -1, fmt.Errorf("its end is not known: %w", t.err)
	case state.ExitCode() < 0:
		return -1, fmt.Errorf("it was killed (%s)", state)
	}
	return state.ExitCode(), nil
}

// Stop asks all processes to end, and waits until they have, grace is over, or ctx is
// done.
func (t *Tree) Stop(ctx context.Context, grace time.Duration) {
	t.descendants.signal(true, syscall.SIGTERM)
	until(grace, func() bool { return ctx.Err() != nil || t.isOver() && !t.descendants.signal(true, 0) })
}

// Kill kills all processes, whichever session they have moved to.
func (t *Tree) Kill() error {
	if !t.sweep(true) {
		return errUnkillable
	}
	return nil
}

// KillSession kills all processes except those that moved to another session, as
// daemons do.
func (t *Tree) KillSession() { t.sweep(false) }

// sweep kills again until nothing is left: a process may start more just before it is
// killed.
func (t *Tree) sweep(all bool) bool {
	return until(patience, func() bool {
		over := t.isOver() // asked first: the command may start more and end while signal looks
		return !t.descendants.signal(all, syscall.SIGKILL) && over
	})
}

// Close ends the adoption of orphans. On Windows it also kills what is left.
func (t *Tree) Close() { t.descendants.close() }

func (t *Tree) isOver() bool { return isClosed(t.ended) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

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
