//go:build linux && amd64

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// TestNothingIsLostWhateverFails runs the short form of the command. It is built
// without the race detector, which would make it need twice the time.
func TestNothingIsLostWhateverFails(t *testing.T) {
	command := filepath.Join(t.TempDir(), "faults")
	build := exec.Command("go", "build", "-o", command, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the command: %v\n%s", err, out)
	}
	args := []string{"-short"}
	if testing.Short() {
		args = append(args, "-only", "claim by name")
	}
	out, err := exec.CommandContext(t.Context(), command, args...).CombinedOutput()
	switch forbidden := strings.HasSuffix(string(out), syscall.EPERM.Error()+"\n"); {
	case err == nil:
		t.Logf("%s", out)
	case forbidden && os.Getenv("CI") != "true":
		t.Skipf("tracing, or mounting a small disk, is not allowed: %s", out)
	default:
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestSources keeps a result from being cached for longer than it holds.
func TestSources(t *testing.T) { sources.Read(t, "../..") }

func TestWhereLittleIsTriedIsNoProof(t *testing.T) {
	enough := row{name: "stop", kills: 1, once: 10, real: 8}
	few := []row{{}, {kills: 1, once: 9, real: 8}, {kills: 1, once: 10, real: 7}, {once: 10, real: 8}}
	if got := enough.tooLittle(); got != nil {
		t.Errorf("got %q, want no complaint", got)
	}
	for _, r := range few {
		if got := r.tooLittle(); len(got) != 1 {
			t.Errorf("%+v: got %q, want one complaint", r, got)
		}
	}
}

func TestEveryErrorHasAName(t *testing.T) {
	for _, kind := range kinds() {
		for _, e := range kind.errors {
			if errorName(e) == "" {
				t.Errorf("%s: got no name for the error %d (%v)", kind.name, e, e)
			}
		}
	}
}

func TestAnswerOfAHook(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    outcome
		done bool
		want int // violations
	}{
		{"nothing to say", outcome{stdout: "{}\n"}, false, 0},
		{"a follow-up", outcome{stdout: `{"followup_message":"x"}`}, true, 0},
		{"a follow-up before the turn is counted", outcome{stdout: `{"followup_message":"x"}`}, false, 1},
		{"two objects", outcome{stdout: "{}{}"}, true, 1},
		{"no object", outcome{}, true, 1},
		{"null", outcome{stdout: "null"}, true, 1},
		{"words on standard error", outcome{stdout: "{}", stderr: "x"}, true, 1},
		{"exit 1", outcome{stdout: "{}", status: 1 << 8}, true, 1},
	} {
		if got := new(profile).answered(tt.o, tt.done); len(got) != tt.want {
			t.Errorf("%s: got %q, want %d violations", tt.name, got, tt.want)
		}
	}
}

func TestErrorsAreThoseThatACallCanGive(t *testing.T) {
	made := func(number uint64, path string, args ...uint64) *call {
		c := &call{number: number, path: path, kind: kinds()[number]}
		copy(c.args[:], args)
		return c
	}
	for _, tt := range []struct {
		name  string
		call  *call
		gives []syscall.Errno
		never []syscall.Errno
	}{
		{"a new file", made(syscall.SYS_OPENAT, "/nothing", 0, 0, syscall.O_CREAT|syscall.O_RDWR), []syscall.Errno{syscall.ENOSPC, syscall.EROFS, syscall.EMFILE}, nil},
		{"a file that is there", made(syscall.SYS_OPENAT, "/", 0, 0, syscall.O_CREAT|syscall.O_RDWR), []syscall.Errno{syscall.EROFS}, []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}},
		{"a file to read", made(syscall.SYS_OPENAT, "/", 0, 0, syscall.O_RDONLY), []syscall.Errno{syscall.EIO}, []syscall.Errno{syscall.EROFS, syscall.ENOSPC}},
		{"a folder that is there", made(syscall.SYS_MKDIRAT, "/"), []syscall.Errno{syscall.EACCES}, []syscall.Errno{syscall.ENOSPC, syscall.EROFS}},
		{"a lock", made(syscall.SYS_FLOCK, "/", 0, syscall.LOCK_EX), []syscall.Errno{syscall.EINTR, syscall.ENOLCK}, nil},
		{"a lock given back", made(syscall.SYS_FLOCK, "/", 0, syscall.LOCK_UN), nil, []syscall.Errno{syscall.EINTR}},
		{"the end of reading", made(syscall.SYS_CLOSE, "/"), []syscall.Errno{syscall.EIO}, []syscall.Errno{syscall.ENOSPC}},
	} {
		got := tt.call.errnos()
		for _, e := range tt.gives {
			if !slices.Contains(got, e) {
				t.Errorf("%s: got %v, want %v too", tt.name, got, e)
			}
		}
		for _, e := range tt.never {
			if slices.Contains(got, e) {
				t.Errorf("%s: got %v, want it without %v", tt.name, got, e)
			}
		}
	}
}

func TestMarkdownHasBothSections(t *testing.T) {
	r := report{head: "Today.", rows: []row{{name: "stop", calls: 300, kills: 600, once: 40, violations: []string{"kill 3: lost"}, gave: map[string][]string{"flock": {"EINTR", "ENOLCK"}}}}}
	var b strings.Builder
	if err := r.write(&b, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Killed at every system call\n", "## Every error at every call\n", "| stop | 300 | 600 | 1 |", "| flock | EINTR ENOLCK |", "- stop: kill 3: lost"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got %s\nwant %q in it", b.String(), want)
		}
	}
}
