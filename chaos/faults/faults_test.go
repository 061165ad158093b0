//go:build linux && amd64

package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestNothingIsLostWhateverFails is the short form of the command.
func TestNothingIsLostWhateverFails(t *testing.T) {
	r, err := survey(settings{short: true, mounts: os.Geteuid() == 0}, io.Discard)
	if errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true" {
		t.Skipf("tracing, or mounting a small disk, is not allowed: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.rows {
		for _, v := range row.violations {
			t.Errorf("%s: %s", row.name, v)
		}
		if row.kills == 0 || row.once < 10 || row.real < 8 {
			t.Errorf("%s: got %d kills, %d errors, %d conditions: too little was tried", row.name, row.kills, row.once, row.real)
		}
	}
	if len(r.rows) != len(operations()) {
		t.Errorf("got %d operations, want %d", len(r.rows), len(operations()))
	}
	for name := range r.total().byError {
		if name == "" {
			t.Error("got an error without a name")
		}
	}
	t.Log(r.took, r.total().kills, "kills;", r.errorCounts())
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
