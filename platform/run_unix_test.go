//go:build unix

package platform

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAsk(t *testing.T) {
	for _, c := range []struct{ name, script, want, wantErr string }{
		{"what it prints is the answer", `printf 'a\n\000b'`, "a\n\x00b", ""},
		{"what it complains of is not", `echo no >&2; echo yes`, "yes\n", ""},
		{"arguments arrive as they are", `printf '%s|' "$@"`, "$HOME|`x` 'y'||", ""},
		{"an exit code is an error", `echo half; exit 3`, "half\n", "exit status 3"},
		{"so is a signal", `kill -9 $$`, "", "signal: killed"},
		{"the limit itself fits", `head -c 262144 /dev/zero | tr '\0' x`, strings.Repeat("x", 256<<10), ""},
		{"one byte more is an error", `head -c 262145 /dev/zero | tr '\0' x`, "", "it printed more than 256 KiB"},
		{"who prints for ever is ended", `exec cat /dev/zero`, "", "it printed more than 256 KiB"},
		{"it may close its output early", `exec >&-; exit 4`, "", "exit status 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Ask(within(t, 20*time.Second), "/bin/sh", "-c", c.script, "sh", "$HOME", "`x` 'y'", "")
			if string(got) != c.want || errText(err) != c.wantErr {
				t.Errorf("got %d bytes %.40q and %q, want %d bytes %.40q and %q", len(got), got, errText(err), len(c.want), c.want, c.wantErr)
			}
		})
	}
}

func TestAskOfWhatIsNotThere(t *testing.T) {
	before := descriptors(t)
	if _, err := Ask(t.Context(), t.TempDir()+"/nothing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist", err)
	}
	if got := descriptors(t); got > before {
		t.Errorf("got %d descriptors, want %d as before", got, before)
	}
}

// TestAskGivesUp: neither the program nor what it has started keeps us, and
// what is in its group is killed.
func TestAskGivesUp(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"on a program that goes on", `trap '' TERM; echo $$ >"$1.new"; mv "$1.new" "$1"; exec sleep 60`},
		{"on its child that holds the output", `sleep 60 & echo $! >"$1.new"; mv "$1.new" "$1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := where{t, t.TempDir()}
			ctx, cancel := context.WithCancel(within(t, 20*time.Second))
			failed := make(chan error, 1)
			go func() {
				_, err := Ask(ctx, "/bin/sh", "-c", c.script, "sh", w.path("pid"))
				failed <- err
			}()
			pid := w.pid("pid")
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
			w.until("the process is gone", func() bool { return Gone(pid) })
		})
	}
}

// TestAskedProgramSeesThatNobodyWaits: the end of its standard input tells it,
// also where it is not in the group that is killed.
func TestAskedProgramSeesThatNobodyWaits(t *testing.T) {
	w := where{t, t.TempDir()}
	ctx, cancel := context.WithCancel(within(t, 20*time.Second))
	failed := make(chan error, 1)
	script := `set -m; exec 3<&0; { echo $$ >"$1.new"; mv "$1.new" "$1"; cat; echo >"$2"; } <&3 & wait` // a job has a group of its own
	go func() {
		_, err := Ask(ctx, "/usr/bin/env", "bash", "-c", script, "bash", w.path("pid"), w.path("end"))
		failed <- err
	}()
	w.pid("pid")
	if _, err := os.Stat(w.path("end")); err == nil {
		t.Error("its standard input has ended while we wait")
	}
	cancel()
	<-failed
	w.until("it has seen the end", func() bool { _, err := os.Stat(w.path("end")); return err == nil })
}

func TestAskLeavesNothingOpen(t *testing.T) {
	before := descriptors(t)
	for range 20 {
		if _, err := Ask(t.Context(), "/bin/sh", "-c", "echo x"); err != nil {
			t.Fatal(err)
		}
	}
	if got := descriptors(t); got > before {
		t.Errorf("got %d descriptors, want %d as before", got, before)
	}
}

func TestRunGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, "/bin/sh", "-c", "exec sleep 60"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// descriptors counts what we have open.
func descriptors(t *testing.T) int {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// pid waits for the file in which a script tells a process's number.
func (w where) pid(name string) (pid int) {
	w.Helper()
	w.until("a script tells its number", func() bool {
		data, err := os.ReadFile(w.path(name))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	return pid
}

// until waits for what has to come.
func (w where) until(what string, come func() bool) {
	w.Helper()
	for end := time.Now().Add(20 * time.Second); !come(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("timed out: %s", what)
		}
	}
}
