//go:build unix

package verify

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/test/scene"
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
			if got.Seconds < 0 || c.exit >= 0 && got.Seconds == 0 {
				t.Errorf("got %g seconds", got.Seconds)
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	s := scene.New(t)
	c := command(s, `trap '' TERM; echo begun; (sh $T/tell a $$ &); while :; do sleep 60; done`)
	c.Timeout = 3 * time.Second
	got := Run(t.Context(), c)
	if got.Passed || got.Exit != -1 || got.Why != "it did not end within 3s and was killed" || got.Output != "begun" {
		t.Errorf("got %+v, want that it did not end", got)
	}
	if pid := s.PID("a"); !proc.Gone(pid) {
		t.Errorf("process %d still runs", pid)
	}
}

// A command has time to clean up, and what it prints then counts as output.
func TestRequestToEnd(t *testing.T) {
	s := scene.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result, 1)
	go func() {
		done <- Run(ctx, command(s, `exec 2>/dev/null; trap 'echo tidy; exit 0' TERM; sh $T/tell a $$; while :; do sleep 0.01; done`))
	}()
	s.PID("a")
	cancel()
	if got := <-done; got.Passed || got.Exit != -1 || got.Why != "it was given up" || got.Output != "tidy" {
		t.Errorf("got %+v, want it given up with what it said", got)
	}
}

// The command has ended by itself, so its result counts at once.
func TestWhatItLeavesRunning(t *testing.T) {
	for _, c := range []struct {
		name, system, text string
		stays              bool
	}{
		{"a child is killed", "", `sh -c 'trap "" TERM; sh $T/tell a $$; exec sleep 60' >/dev/null 2>&1 &`, false},
		{"a child that holds the output", "", `sh -c 'sh $T/tell a $$; exec sleep 60' &`, false},
		{"one that has lost its parent", "", `(sh -c 'sh $T/tell a $$; exec sleep 60' &)`, false},
		{"a job with a group of its own is left alone", "linux", `set -m; sh -c 'sh $T/tell a $$; exec sleep 60' &`, true},
		{"a daemon is left alone", "linux", `(setsid sh -c 'sh $T/tell a $$; exec sleep 60' </dev/null >/dev/null 2>&1 &)`, true},
		{"with a child that was killed and that it does not wait for", "linux", `sh -c 'sleep 60 & exec setsid sh -c "sh $T/tell a \$\$; exec sleep 60"' >/dev/null 2>&1 &`, true},
		{"and not waited for if it holds the output", "linux", `setsid sh -c 'sh $T/tell a $$; exec sleep 60' &`, true},
	} {
		if c.system != "" && c.system != runtime.GOOS {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := scene.New(t)
			run := command(s, c.text+"\nuntil [ -e $T/a ]; do sleep 0.01; done; echo end; exit 5")
			run.Shell = bash(t) // another shell has no jobs without a terminal
			got := Run(t.Context(), run)
			if got.Exit != 5 || got.Why != "" || got.Output != "end" || got.Seconds > 10 {
				t.Errorf("got %+v, want exit 5 and no more", got)
			}
			pid := s.PID("a")
			if gone := proc.Gone(pid); gone == c.stays {
				t.Errorf("process %d: got gone %t, want %t", pid, gone, !c.stays)
			}
			if c.stays {
				end(s, pid)
			}
		})
	}
}

func command(s scene.Scene, text string) Command {
	return Command{Text: text, Dir: s.Dir, Env: s.Env()}
}

// end kills a process that we left running. It may be our child now.
func end(s scene.Scene, pid int) {
	s.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		s.Fatal(err)
	}
	s.Gone(pid)
	_, _ = syscall.Wait4(pid, nil, 0, nil)
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
