//go:build linux

// Package faults_test kills and injures cursor-ralph wherever that is possible, and checks that nothing is lost.
//
// An operation is one process: a hook that gets an event, or a command. It runs once unharmed under strace, which lists its
// system calls about our files. Then it runs again and again in copies of the same files, each time with another injury, which
// strace injects into one system call about one path:
//
//   - killed before the call, for each call that changes a file or takes a lock;
//   - an error from the call, of those that its manual page has, once or from there on: with -every each of them (make faults),
//     else every third call has one, in turn;
//   - for real, without strace: few descriptors, and for root a disk that was mounted read-only, and one with few pages left.
//
// After it the loop must be once in the pending folder, among the live ones or in the archive; no file may be torn, no lock held,
// and the counters are those before or after the operation. A hook has given one JSON object and exit 0, a command has
// succeeded, or failed with one clear error; a call that was interrupted (EINTR) is made again and nobody sees it. Then the same
// is done once more and a stop event comes, unharmed: the loop goes on from there, list and status show it, and unfinished
// files are removed. What follows from files that were met before, times apart, is not tried again.
package faults_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

func TestNothingIsLostWhateverFails(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("needs strace")
	}
	p, err := build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range short.First(operations(), 1) {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			folder := memory(t)
			profile, err := learn(op, p, folder)
			if err != nil {
				t.Fatal(err)
			}
			done := profile.suffer(t, filepath.Join(folder, "try"))
			t.Logf("%d calls about our files: %d kills, %d errors, %d conditions", len(profile.calls), done.kills, done.errors, done.conditions)
			if testing.Short() {
				return
			}
			few := done.kills == 0 || done.errors < 5
			if few || done.conditions < 8 {
				t.Error("too little was tried to prove anything")
			}
		})
	}
}

// TestSources keeps a result from being cached for longer than it holds.
func TestSources(t *testing.T) { sources.Read(t, "../..") }

// tally counts the injuries that happened.
type tally struct{ kills, errors, conditions int }

// suffer does every injury to an operation, each in a copy of its world.
func (p *profile) suffer(t *testing.T, folder string) (done tally) {
	for _, i := range p.injuries() {
		wrong, hit, err := p.hurt(i, folder)
		p.report(t, i.String(), wrong, err)
		switch {
		case !hit:
		case i.errno == "":
			done.kills++
		default:
			done.errors++
		}
	}
	list := conditions()
	if p.op.checks {
		list = append(list, whileChecking)
	}
	for _, c := range list {
		if c.mount && os.Geteuid() != 0 {
			continue
		}
		wrong, err := p.under(c, folder)
		p.report(t, c.name, wrong, err)
		done.conditions++
	}
	return done
}

func (p *profile) report(t *testing.T, what string, wrong []string, err error) {
	t.Helper()
	if errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true" {
		t.Skipf("mounting a small disk is not allowed: %v", err)
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, w := range wrong {
		t.Errorf("%s: %s", what, w)
	}
}

// hurt runs the operation with an injury, and checks what came of it.
func (p *profile) hurt(i injury, folder string) (wrong []string, hit bool, err error) {
	defer os.RemoveAll(folder)
	w, err := p.world.copy(folder)
	if err != nil {
		return nil, false, err
	}
	o, calls, err := w.strace(p.op.run(w), i.options(w)...)
	if err != nil {
		return nil, false, err
	}
	if strings.HasPrefix(o.stderr, "strace: ptrace(") { // it does not always get along with threads that end (6.1)
		return nil, false, nil
	}
	return p.check(w, i, o), o.killed() || isInjected(calls), nil
}

// memory returns a new folder in memory, where that is possible: a kill is no loss of power and needs no disk.
func memory(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	const tmpfs = 0x01021994
	var s syscall.Statfs_t
	if syscall.Statfs("/dev/shm", &s) == nil && s.Type == tmpfs {
		dir, err := os.MkdirTemp("/dev/shm", "cursor-ralph-faults-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		})
		root = dir
	}
	return root
}
