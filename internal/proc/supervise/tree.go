package supervise

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const (
	patience = 5 * time.Second        // for killed processes to end
	drain    = 500 * time.Millisecond // for output after the end, if something holds the pipe open
)

var errUnkillable = errors.New("something that it started could not be killed and still runs")

// Tree is a command and what it started: its process group, and on Windows its job. On
// Linux this process also adopts the orphans of the tree until Close. So there can be
// only one Tree at a time, and nothing else may be started meanwhile.
type Tree struct {
	cmd   *exec.Cmd
	group group
	ended chan struct{} // closed when the command itself has ended
	err   error         // of Wait, after that
}

// StartTree starts a command in its own session, or on Windows in a job that ends with
// this process. The caller closes the tree.
func StartTree(cmd *exec.Cmd) (*Tree, error) {
	cmd.SysProcAttr = apart(cmd.SysProcAttr)
	g, err := startGroup(cmd)
	if err != nil {
		return nil, err
	}
	t := &Tree{cmd: cmd, group: g, ended: make(chan struct{})}
	go t.wait()
	return t, nil
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

// Stop asks the processes of the group to end, and waits until they have or grace is
// over. Windows has no way to ask.
func (t *Tree) Stop(grace time.Duration) {
	t.group.ask()
	until(grace, func() bool { return t.isOver() && !t.group.lives() })
}

// KillGroup kills what still runs in the group. What has left it, as daemons do, stays,
// except on Windows.
func (t *Tree) KillGroup() error { return t.sweep(t.group.kill) }

// Kill kills the group and on Linux also what has left it. On other Unix systems that
// cannot be found.
func (t *Tree) Kill() error { return t.sweep(t.group.killAll) }

// sweep kills again until nothing is left: a process may start more just before it is
// killed.
func (t *Tree) sweep(kill func(over bool) (found bool)) error {
	if !until(patience, func() bool {
		over := t.isOver()
		return !kill(over) && over
	}) {
		return errUnkillable
	}
	return nil
}

// Close ends the adoption of orphans. On Windows it also kills what is left.
func (t *Tree) Close() { t.group.close() }

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
