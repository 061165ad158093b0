//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/procs"
)

// gates are what a promise with gates and a loop with checkpoints wait for. Here a hook
// has other processes at work, which outlive it for a moment when it is killed.
func gates() []operation {
	return []operation{
		{name: "stop whose promise is checked", ready: promised, run: hooked(world.stop), then: isOver, gated: true, checks: true, sample: 3},
		{name: "the gates of a promise", ready: checking, run: func(w world) command {
			c := w.cli("verify", "--for", checkID, me)
			c.open = true
			return c
		}, then: isOver, gated: true},
		{name: "pause while a promise is checked", ready: checking, run: typed("pause", me), then: rests, sample: 2},
		{name: "stop that makes a checkpoint", ready: withCheckpoints, run: hooked(world.stop), work: true, sample: 3},
	}
}

const checkID = "k1" // of the check of a promise that was begun

// promised is a loop with gates whose promise was given.
func promised(w world) error {
	err := os.WriteFile(filepath.Join(w.workspace, "done.md"), []byte("- [x] a\n"), 0o600)
	more := fields{"tasks": "done.md", "verify": "sleep ${CHECK:-0.05}", "workspace": w.workspace}
	return errors.Join(err, ran(more, says(promise))(w))
}

// checking is that loop whose gates were asked long ago, by a hook that is no more.
func checking(w world) error {
	if err := promised(w); err != nil {
		return err
	}
	data, err := os.ReadFile(w.places.Live(me))
	begun := fmt.Sprintf("{\n  \"verifying\": {\"id\": %q, \"since\": %q},", checkID, longAgo())
	return errors.Join(err, w.write(w.places.Live(me), strings.Replace(string(data), "{", begun, 1)))
}

// longAgo is more than a check may take: one whose processes were killed counts as running until then.
func longAgo() string { return time.Now().Add(-time.Hour).UTC().Format(time.RFC3339Nano) }

// settle waits until nothing runs that an injured process has started, and then lets
// the time pass for which a loop waits for it.
func (p *profile) settle(w world) (wrong []string) {
	if !p.op.gated && !p.op.work && !p.op.tells {
		return nil
	}
	return append(w.quiet(), w.age()...)
}

// quiet waits until no process of a world runs.
func (w world) quiet() []string {
	for until := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		left := w.processes()
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(until) {
			return []string{fmt.Sprintf("left running: %q", left)}
		}
	}
}

// age makes the check of a promise look as if it had begun long ago.
func (w world) age() []string {
	data, err := os.ReadFile(w.places.Live(me))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	since := regexp.MustCompile(`("verifying": \{\s*"id": "[^"]*",\s*"since": )"[^"]*"`)
	if err == nil && since.Match(data) {
		err = w.write(w.places.Live(me), since.ReplaceAllString(string(data), fmt.Sprintf("${1}%q", longAgo())))
	}
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}

// processes are the command lines of those that run in a world.
func (w world) processes() []string { return slices.Collect(maps.Values(w.running())) }

// running are the processes of a world, with their command lines.
func (w world) running() map[int]string {
	return procs.With("CURSOR_RALPH_DIR=" + filepath.Join(w.dir, "tmp"))
}

// whileChecking is a kill at the moment at which the command of --verify runs, which would
// take long then.
var whileChecking = condition{name: "killed while the promise is checked", env: "CHECK=1000", begin: func(w world) (func(), error) {
	over := make(chan struct{})
	go func() {
		for tick := time.Tick(5 * time.Millisecond); ; {
			select {
			case <-over:
				return
			case <-tick:
			}
			if pid, ok := w.first(); ok && strings.Contains(strings.Join(w.processes(), "\n"), "sleep 1000") {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone by now
				return
			}
		}
	}()
	return func() { close(over) }, nil
}}

// first returns the process of a world that we have started.
func (w world) first() (int, bool) {
	for pid := range w.running() {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // of one that is over it cannot be read
		_, rest, _ := strings.Cut(string(stat), ") ")
		if parts := strings.Fields(rest); len(parts) > 1 && parts[1] == strconv.Itoa(os.Getpid()) {
			return pid, true
		}
	}
	return 0, false
}

// isKnown reports whether a loop may have these counters. Where a promise is checked, the
// stop may also wait for a line, as its hook was killed, or have refused the promise.
func (p *profile) isKnown(counters string) bool {
	is := func(c string) bool { return slices.Contains(p.states, c) }
	return is(counters) || p.op.gated && (is(strings.Replace(counters, "waiting", "running", 1)) || isCounted(counters))
}

func isCounted(counters string) bool { return strings.Contains(counters, " iteration=2 ") }

// conclude goes on in a chat whose promise was not accepted: the agent gives it again.
func (p *profile) conclude(w world) (wrong []string) {
	for range 3 {
		if f, _ := w.look(task); f.over > 0 {
			break
		}
		o, err := w.hook(w.stop()).run()
		if err != nil {
			return append(wrong, err.Error())
		}
		wrong = append(wrong, append(p.answered(o, true), p.settle(w)...)...)
		if strings.Contains(o.stdout, task) {
			wrong = append(wrong, problem(do(w.hook(w.says(promise))))...)
		}
	}
	return wrong
}

func problem(err error) []string {
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}

// withCheckpoints is a loop in a work tree with a commit, staged files, and others.
func withCheckpoints(w world) error {
	dir := filepath.Join(w.dir, workTree)
	put := func(name, text string) error { return w.write(filepath.Join(dir, name), text) }
	git := func(args ...string) error {
		return do(command{args: append([]string{"/usr/bin/git", "-c", "user.name=x", "-c", "user.email=x@localhost"}, args...), env: w.env, dir: dir})
	}
	for _, step := range []func() error{
		func() error { return errors.Join(put("a", "1\n"), put("folder/b", "1\n")) },
		func() error { return git("init", "-q", "--template=", ".") },
		func() error { return git("add", ".") },
		func() error { return git("commit", "-q", "-m", "first") },
		func() error { return put("a", "2\n") },
		func() error { return git("add", ".") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	w.programs.workspace = dir
	err := running(fields{"checkpoints": true, "workspace": dir})(w)
	return errors.Join(err, put("a", "3\n"), put("new", "1\n"))
}

const workTree = "work"

// user is what a checkpoint must leave as it is: the user's files, index and references.
func (w world) user() string {
	var b strings.Builder
	root := filepath.Join(w.dir, workTree)
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read is missing
		name := strings.TrimPrefix(path, root)
		switch {
		case err != nil:
			return nil
		case name == "/.git/objects", name == "/.git/refs/cursor-ralph":
			return fs.SkipDir
		case !d.IsDir():
			data, _ := os.ReadFile(path) // #nosec G122 -- in one of our folders; the error as above
			fmt.Fprintf(&b, "%s\n%x\n", name, data)
		}
		return nil
	})
	return b.String()
}

// kept checks that the user's files are as they were.
func (p *profile) kept(w world) []string {
	if !p.op.work {
		return nil
	}
	if was, is := p.world.user(), w.user(); is != was {
		return []string{fmt.Sprintf("the user's files were\n%s\nand are\n%s", was, is)}
	}
	return nil
}

// hasCheckpoint checks that the last iteration has its checkpoint, which has the files.
func (p *profile) hasCheckpoint(w world) (wrong []string) {
	if !p.op.work {
		return nil
	}
	l, err := state.New(w.places, time.Now).Read(me)
	if err != nil {
		return problem(err)
	}
	for name, want := range map[string]string{"a": "3\n", "new": "1\n", "folder/b": "1\n"} {
		ref := fmt.Sprintf("refs/cursor-ralph/%s/%d:%s", l.ShortID(), l.Iterations, name)
		o, err := command{args: []string{"/usr/bin/git", "cat-file", "blob", ref}, env: w.env, dir: w.workspace}.run()
		if err != nil || o.stdout != want {
			wrong = append(wrong, fmt.Sprintf("%s: got %q, %v, %s", ref, o.stdout, err, o.stderr))
		}
	}
	return wrong
}
