//go:build unix

package gate

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		run    Command
		passed bool
		exit   int
		why    string
		output string
	}{
		{"0 passes", Command{Text: "echo fine"}, true, 0, "", "fine"},
		{"another does not", Command{Text: "echo one; echo two >&2; echo three; exit 3"}, false, 3, "", "one\ntwo\nthree"},
		{"there is no such program", Command{Text: "exec 2>/dev/null; ./nothing"}, false, 127, "", ""},
		{"it is no program", Command{Text: "exec 2>/dev/null; ./plain", Dir: dir}, false, 126, "", ""},
		{"a signal from outside", Command{Text: "echo x; kill -9 $$"}, false, -1, "it was killed (signal: killed)", "x"},
		{"a signal to what it runs", Command{Text: "sh -c 'kill -9 $$'; exit $?"}, false, 137, "", "*"},
		{"the text is the shell's", Command{Text: "for i in 1 2; do echo \"$i '`echo b`'\"; done # x"}, true, 0, "", "1 'b'\n2 'b'"},
		{"of several lines the last counts", Command{Text: "false\ntrue\n"}, true, 0, "", ""},
		{"what the shell cannot read", Command{Text: "echo 'x"}, false, 2, "", "*"},
		{"it runs in its folder", Command{Text: "ls", Dir: dir}, true, 0, "", "plain"},
		{"and in its environment", Command{Text: "echo $RALPH", Env: []string{"RALPH=x"}}, true, 0, "", "x"},
		{"its input has ended", Command{Text: "read x || echo none"}, true, 0, "", "none"},
		{"it has no terminal to ask at", Command{Text: "if (: </dev/tty) 2>/dev/null; then exit 1; fi"}, true, 0, "", ""},
		{"another shell", Command{Text: "echo $0 $BASH_VERSION", Shell: bash(t)}, true, 0, "", "*"},
		{"invalid UTF-8 is replaced", Command{Text: `printf 'a\377b'`}, true, 0, "", "a\uFFFDb"},
		{"no command", Command{}, false, -1, "it could not be started: there is no command", ""},
		{"no folder", Command{Text: "true", Dir: dir + "/none"}, false, -1, "it could not be started: stat " + dir + "/none: no such file or directory", ""},
		{"a file for a folder", Command{Text: "true", Dir: plain}, false, -1, "it could not be started: chdir " + plain + ": not a directory", ""},
		{"no shell", Command{Text: "true", Shell: dir + "/sh"}, false, -1, "it could not be started: fork/exec " + dir + "/sh: no such file or directory", ""},
		{"no text for a shell", Command{Text: "a\x00b"}, false, -1, "it could not be started: fork/exec /bin/sh: invalid argument", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Run(t.Context(), c.run)
			if got.Passed != c.passed || got.Exit != c.exit || got.Why != c.why || got.Output != c.output && c.output != "*" {
				t.Errorf("got  %+v\nwant passed %t, exit %d, why %q, output %q", got, c.passed, c.exit, c.why, c.output)
			}
			if got.Seconds < 0 || got.Seconds > 20 || c.exit >= 0 && got.Seconds == 0 {
				t.Errorf("got %g seconds", got.Seconds)
			}
		})
	}
}

// stubborn are commands that do not end, and tell the numbers of all that must.
// Each process tells its own, because a shell knows only those of its children.
var stubborn = []struct {
	name, system, text string // of any system, if empty
	tells              []string
}{
	{"one that waits", "", `sh $T/tell a $$; sleep 60`, []string{"a"}},
	{"one that ignores the request", "", `trap '' TERM; sh $T/tell a $$; while :; do sleep 60; done`, []string{"a"}},
	{"children that ignore it", "", `for i in a b c; do sh -c 'trap "" TERM; sh $T/tell '$i' $$; while :; do sleep 60; done' & done; wait`, []string{"a", "b", "c"}},
	{"one that has stopped itself", "", `sh $T/tell a $$; kill -STOP $$; sleep 60`, []string{"a"}},
	{"one that has lost its parent", "", `(sh -c 'trap "" TERM; sh $T/tell a $$; sleep 60' &); sleep 60`, []string{"a"}},
	{"one that prints without end", "", `sh $T/tell a $$; trap '' TERM; while :; do echo x; done`, []string{"a"}},
	{"one with a session of its own", "linux", `setsid sh -c 'trap "" TERM; sh $T/tell a $$; sleep 60' & wait`, []string{"a"}},
	{"a daemon", "linux", `(setsid sh -c 'sh $T/tell a $$; exec sleep 60' </dev/null >/dev/null 2>&1 &); sleep 60`, []string{"a"}},
	{"a daemon without its environment", "linux", `(env -i setsid sh -c "sh $T/tell a \$\$; exec sleep 60" </dev/null >/dev/null 2>&1 &); sleep 60`, []string{"a"}},
	{"daemons of daemons", "linux", `setsid sh -c '(setsid sh -c "(setsid sh $T/tell a; sleep 60) & sh $T/tell b \$\$; sleep 60" &); sh $T/tell c $$; sleep 60' & wait`, []string{"b", "c"}},
	{"fifty of them", "linux", `trap '' TERM; i=0
while [ $i -lt 50 ]; do i=$((i+1)); (setsid sh -c 'sleep 60 & sh $T/tell '$i' $$; wait' &); done; wait; sleep 60`, []string{"1", "25", "50"}},
}

func TestNothingIsLeftOfWhatIsGivenUp(t *testing.T) {
	for _, c := range stubborn {
		if c.system != "" && c.system != runtime.GOOS {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan Result, 1)
			go func() { done <- Run(ctx, s.command(c.text)) }()
			var pids []int
			for _, name := range c.tells {
				pids = append(pids, s.told(name))
			}
			began := time.Now()
			cancel()
			if got := <-done; got.Passed || got.Exit != -1 || got.Why != "it was given up" {
				t.Errorf("got %+v, want it given up", got)
			}
			if took := time.Since(began); took > grace+patience {
				t.Errorf("it took %s", took)
			}
			for _, pid := range pids {
				if !platform.Gone(pid) {
					t.Errorf("process %d still runs", pid)
				}
			}
			nothingIsOurs(t)
		})
	}
}

func TestTimeout(t *testing.T) {
	s := newScene(t)
	c := s.command(`trap '' TERM; echo begun; (sh $T/tell a $$ &); while :; do sleep 60; done`)
	c.Timeout = 3 * time.Second
	began := time.Now()
	got := Run(t.Context(), c)
	if got.Passed || got.Exit != -1 || got.Why != "it did not end within 3s and was killed" || got.Output != "begun" {
		t.Errorf("got %+v, want that it did not end", got)
	}
	if took := time.Since(began); took < 3*time.Second || took > 3*time.Second+grace+patience {
		t.Errorf("it took %s", took)
	}
	if pid := s.told("a"); !platform.Gone(pid) {
		t.Errorf("process %d still runs", pid)
	}
	nothingIsOurs(t)
}

// TestRequestToEnd: who cleans up after himself has the time for it, and what
// he says then is heard, but it does not pass.
func TestRequestToEnd(t *testing.T) {
	s := newScene(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result, 1)
	go func() {
		done <- Run(ctx, s.command(`exec 2>/dev/null; trap 'echo tidy; exit 0' TERM; sh $T/tell a $$; while :; do sleep 0.01; done`))
	}()
	s.told("a")
	began := time.Now()
	cancel()
	if got := <-done; got.Passed || got.Exit != -1 || got.Why != "it was given up" || got.Output != "tidy" {
		t.Errorf("got %+v, want it given up with what it said", got)
	}
	if took := time.Since(began); took > grace*9/10 {
		t.Errorf("it took %s: all was gone before", took)
	}
}

func TestGivenUpBeforeItBegan(t *testing.T) {
	s := newScene(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Run(ctx, s.command("sh $T/tell a $$")); got.Why != "it was given up" || got.Passed {
		t.Errorf("got %+v, want it given up", got)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "a")); err == nil {
		t.Error("it was run")
	}
}

// TestWhatItLeavesRunning: the command has ended by itself, so its result counts
// and is not waited for any longer.
func TestWhatItLeavesRunning(t *testing.T) {
	for _, c := range []struct {
		name, system, text string
		stays              bool
	}{
		{"a child is killed", "", `sh -c 'trap "" TERM; sh $T/tell a $$; exec sleep 60' >/dev/null 2>&1 &`, false},
		{"a child that holds the output", "", `sh -c 'sh $T/tell a $$; exec sleep 60' &`, false},
		{"one that has lost its parent", "", `(sh -c 'sh $T/tell a $$; exec sleep 60' &)`, false},
		{"a job with a group of its own", "linux", `set -m; sh -c 'sh $T/tell a $$; exec sleep 60' &`, false},
		{"a daemon is left alone", "linux", `(setsid sh -c 'sh $T/tell a $$; exec sleep 60' </dev/null >/dev/null 2>&1 &)`, true},
		{"with a child that was killed and that it does not wait for", "linux", `sh -c 'sleep 60 & exec setsid sh -c "sh $T/tell a \$\$; exec sleep 60"' >/dev/null 2>&1 &`, true},
		{"and not waited for if it holds the output", "linux", `setsid sh -c 'sh $T/tell a $$; exec sleep 60' &`, true},
	} {
		if c.system != "" && c.system != runtime.GOOS {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			run := s.command(c.text + "\nuntil [ -e $T/a ]; do sleep 0.01; done; echo end; exit 5")
			run.Shell = bash(t) // another shell has no jobs without a terminal
			got := Run(t.Context(), run)
			if got.Exit != 5 || got.Why != "" || got.Output != "end" || got.Seconds > patience.Seconds() {
				t.Errorf("got %+v, want exit 5 and no more", got)
			}
			pid := s.told("a")
			if gone := platform.Gone(pid); gone == c.stays {
				t.Errorf("process %d: got gone %t, want %t", pid, gone, !c.stays)
			}
			if c.stays {
				s.end(pid)
			}
			nothingIsOurs(t)
		})
	}
}

// TestMuchOutput: what is printed costs time but no memory.
func TestMuchOutput(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got := Run(t.Context(), Command{Text: `head -c 60000000 /dev/zero | tr '\0' x; head -c 40000000 /dev/zero | tr '\0' '\n'; echo; echo end`})
	runtime.ReadMemStats(&after)
	if !got.Passed || got.Output != strings.Repeat("\n", maxLines-1)+"end" {
		t.Errorf("got %+v, want the last 60 lines", got)
	}
	if grown := after.Sys - before.Sys; grown > 32<<20 {
		t.Errorf("got %d MB more of the system, want next to none", grown>>20)
	}
}

func TestManyRunsOneAfterTheOther(t *testing.T) {
	before := open(t)
	for i := range 100 {
		if got := Run(t.Context(), Command{Text: "exit " + strconv.Itoa(i)}); got.Exit != i || got.Why != "" {
			t.Fatalf("got %+v, want exit %d", got, i)
		}
	}
	if got := open(t); got > before {
		t.Errorf("got %d open files, want %d as before", got, before)
	}
	nothingIsOurs(t)
}

// scene is a folder in which scripts tell the numbers of their processes: by
// `sh $T/tell NAME $$`, which makes a file of that name at once and whole.
type scene struct {
	*testing.T
	dir string
}

func newScene(t *testing.T) scene {
	t.Helper()
	s := scene{t, t.TempDir()}
	tell := "echo \"$2\" >\"${0%/*}/$1.new\" && mv \"${0%/*}/$1.new\" \"${0%/*}/$1\"\n"
	if err := os.WriteFile(filepath.Join(s.dir, "tell"), []byte(tell), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s scene) command(text string) Command {
	return Command{Text: text, Dir: s.dir, Env: append(os.Environ(), "T="+s.dir)}
}

// told waits until a process has told its number, and gives it.
func (s scene) told(name string) (pid int) {
	s.Helper()
	s.until("process "+name+" tells its number", func() bool {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	return pid
}

// end ends a process that was left alone. It may have become our child.
func (s scene) end(pid int) {
	s.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		s.Fatal(err)
	}
	s.until("it is gone", func() bool { return platform.Gone(pid) })
	_, _ = syscall.Wait4(pid, nil, 0, nil)
}

func (s scene) until(what string, come func() bool) {
	s.Helper()
	if !until(30*time.Second, come) {
		s.Fatalf("timed out: %s", what)
	}
}

func bash(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Fatal("there is no bash")
	return ""
}

func open(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
