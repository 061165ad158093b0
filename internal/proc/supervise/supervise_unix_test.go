//go:build unix

package supervise

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/scene"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// TestMain lets the test binary also be the supervisor, and a program that starts a
// script and waits.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "supervise":
		code, err := Run(os.Args[3:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	case len(os.Args) > 1 && os.Args[1] == "starter":
		if _, err := Start(Command{Argv: []string{"/bin/sh", "-c", os.Args[2]}, Self: os.Args[0]}); err != nil {
			panic(err)
		}
		select {}
	}
	os.Exit(m.Run())
}

// stubborn are programs that do not end by themselves, and report all process ids.
var stubborn = []struct {
	name, system, text string // of any system, if empty
	reports            []string
}{
	{"one that waits", "", `sh $T/tell a $$; sleep 60`, []string{"a"}},
	{"one that ignores what it is asked", "", `trap '' TERM INT HUP; sh $T/tell a $$; while :; do sleep 60; done`, []string{"a"}},
	{"one that has stopped itself", "", `sh $T/tell a $$; kill -STOP $$; sleep 60`, []string{"a"}},
	{"one that prints without end", "", `trap '' TERM INT; sh $T/tell a $$; while :; do echo x; echo y >&2; done`, []string{"a"}},
	{"children", "", `for i in a b c; do sh -c 'trap "" TERM; sh $T/tell '$i' $$; while :; do sleep 60; done' & done; wait`, []string{"a", "b", "c"}},
	{"one with a session of its own", "linux", `setsid sh -c 'trap "" TERM; sh $T/tell a $$; sleep 60' & wait`, []string{"a"}},
	{"a daemon", "linux", `(env -i setsid sh -c "sh $T/tell a \$\$; exec sleep 60" </dev/null >/dev/null 2>&1 &); sh $T/tell b $$; sleep 60`, []string{"a", "b"}},
}

func TestNothingIsLeft(t *testing.T) {
	for _, end := range []struct {
		name string
		end  func(p *Process)
	}{
		{"of what is stopped", func(p *Process) { p.Stop() }},
		{"when the supervisor is asked", func(p *Process) { hit(p, syscall.SIGTERM) }},
	} {
		for i, c := range stubborn {
			if i >= short.Times(1, 2) && strings.HasPrefix(end.name, "when") {
				break // it gives them more time
			}
			if c.system != "" && c.system != runtime.GOOS {
				continue
			}
			t.Run(end.name+": "+c.name, func(t *testing.T) {
				t.Parallel()
				s := scene.New(t)
				p := start(s, c.text)
				go func() { _, _ = io.Copy(io.Discard, p.Stdout) }()
				pids := s.PIDs(c.reports...)
				end.end(p)
				awaitEnd(s, p)
				s.Gone(pids...)
			})
		}
	}
}

// We are killed, which we cannot handle.
func TestNothingOutlivesUs(t *testing.T) {
	for _, c := range stubborn {
		if c.system != "" && c.system != runtime.GOOS {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := scene.New(t)
			starter := starter(s, c.text)
			pids := s.PIDs(c.reports...)
			kill(s, starter)
			s.Gone(pids...)
		})
	}
}

// If the supervisor is killed, so is the program.
func TestTheSupervisorIsKilled(t *testing.T) {
	s := scene.New(t)
	p := start(s, `sh -c 'trap "" TERM HUP; sh $T/tell a $$; while :; do sleep 60; done' & sh $T/tell b $$; wait`)
	pids := s.PIDs("a", "b")
	hit(p, syscall.SIGKILL)
	awaitEnd(s, p)
	if code, err := p.Exit(); code != -1 || err == nil || err.Error() != "its supervisor was killed" {
		t.Errorf("got %d, %v, want that the supervisor was killed", code, err)
	}
	s.Gone(pids...)
}

// If the supervisor hangs, Stop waits for a limited time.
func TestTheSupervisorHangs(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	p := start(s, `sh $T/tell a $$; sleep 60`)
	pids := s.PIDs("a")
	hit(p, syscall.SIGSTOP)
	p.supervisor.stopLimit = 100 * time.Millisecond
	p.Stop()
	s.Gone(pids...)
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		name, text string
		code       int
		err, tail  string
	}{
		{"success", "true", 0, "", ""},
		{"a code", "echo why >&2; exit 7", 7, "", "why"},
		{"a signal", "kill -9 $$", -1, "it was killed (signal: killed)", ""},
		{"what it leaves running", "sleep 60 & exit 3", 3, "", ""},
		{"what escapes a terminal", `printf '\033]0;x\007a\033[31mb' >&2`, 0, "", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(scene.New(t), c.text)
			out, err := io.ReadAll(p.Stdout)
			if err != nil || len(out) > 0 {
				t.Errorf("got %q, %v, want no output", out, err)
			}
			code, err := p.Exit()
			if code != c.code || c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) {
				t.Errorf("got %d, %v, want %d, %s", code, err, c.code, c.err)
			}
			if got := p.Tail(); got != c.tail {
				t.Errorf("got the tail %q, want %q", got, c.tail)
			}
		})
	}
}

func TestWhatItLeavesIsKilled(t *testing.T) {
	s := scene.New(t)
	p := start(s, "sh -c 'sh $T/tell a $$; exec sleep 60' & until [ -e $T/a ]; do sleep 0.01; done; echo end")
	out, err := io.ReadAll(p.Stdout)
	if string(out) != "end\n" || err != nil {
		t.Errorf("got %q, %v, want end", out, err)
	}
	if code, err := p.Exit(); code != 0 || err != nil {
		t.Errorf("got %d, %v, want success", code, err)
	}
	s.Gone(s.PID("a"))
}

func TestOnlyItsStreamsAreOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // no /proc
	}
	const list = "ls -l /proc/self/fd | sed -n 's/.* -> \\(pipe:.*\\)/\\1/p'"
	ours, err := exec.Command("sh", "-c", list).Output() // what the tests were started with
	if err != nil {
		t.Fatal(err)
	}
	p := start(scene.New(t), list)
	out, err := io.ReadAll(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]bool{}
	for pipe := range strings.Lines(string(out)) {
		others[pipe] = !strings.Contains(string(ours), pipe)
	}
	maps.DeleteFunc(others, func(_ string, other bool) bool { return !other })
	if len(others) != 3 { // its input, its errors, and the one in list
		t.Errorf("got the pipes %v, want three", others)
	}
}

func TestInterruptAndStop(t *testing.T) {
	for _, c := range []struct {
		name, signal string
		end          func(*Process)
		quick        bool
	}{
		{"an interrupt", "INT", (*Process).Interrupt, true},
		{"a stop", "TERM", func(p *Process) { p.Stop() }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scene.New(t)
			p := start(s, "trap 'echo tidy; exit 9' "+c.signal+"; sh $T/tell a $$; while :; do sleep 0.01; done")
			s.PIDs("a")
			go c.end(p)
			out, err := io.ReadAll(p.Stdout)
			if string(out) != "tidy\n" || err != nil {
				t.Errorf("got %q, %v, want what it says at its end", out, err)
			}
			if code, err := p.Exit(); code != 9 || err != nil {
				t.Errorf("got %d, %v, want 9", code, err)
			}
		})
	}
}

func TestCannotStart(t *testing.T) {
	s := scene.New(t)
	for _, c := range []struct {
		name    string
		command Command
		is      error
		want    string
	}{
		{"nothing", Command{}, nil, "there is no command"},
		{"no such program", Command{Argv: []string{"no-such-agent"}}, exec.ErrNotFound, `exec: "no-such-agent": executable file not found in $PATH`},
		{"no such file", Command{Argv: []string{"/no/such"}}, fs.ErrNotExist, "start /no/such: no such file or directory"},
		{"no program", Command{Argv: []string{s.Dir + "/tell"}}, nil, "fork/exec " + s.Dir + "/tell: permission denied"},
		{"no folder", Command{Argv: []string{"true"}, Dir: "/no/such"}, fs.ErrNotExist, "stat /no/such: no such file or directory"},
		{"a file for a folder", Command{Argv: []string{"true"}, Dir: s.Dir + "/tell"}, syscall.ENOTDIR, "chdir " + s.Dir + "/tell: not a directory"},
		{"no supervisor", Command{Argv: []string{"true"}, Self: "/no/such"}, fs.ErrNotExist, "fork/exec /no/such: no such file or directory"},
		{"a supervisor that is not one", Command{Argv: []string{"x"}, Self: "/bin/cat"}, nil, "*its supervisor /bin/cat ended: exit status 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.command.Self == "" {
				c.command.Self = os.Args[0]
			}
			_, err := Start(c.command)
			begins, part := strings.CutPrefix(c.want, "*")
			if err == nil || err.Error() != c.want && !(part && strings.HasPrefix(err.Error(), begins)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("got %v, want that it is %v", err, c.is)
			}
		})
	}
	if _, err := Start(Command{Argv: []string{"true"}}); err == nil {
		t.Error("started without a supervisor")
	}
}

func hit(p *Process, s syscall.Signal) { _ = p.supervisor.cmd.Process.Signal(s) }

// start starts a program in a scene.
func start(s scene.Scene, text string) *Process {
	s.Helper()
	p, err := Start(Command{Argv: []string{"/bin/sh", "-c", text}, Dir: s.Dir, Env: append(s.Env(), "X=x"), Self: os.Args[0]})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { p.Stop() })
	return p
}

// starter is another process that starts a program and waits to be killed.
func starter(s scene.Scene, text string) *exec.Cmd {
	s.Helper()
	cmd := exec.Command(os.Args[0], "starter", text)
	cmd.Env = s.Env()
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	return cmd
}

func kill(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // killed
}

func awaitEnd(t testing.TB, p *Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(2 * time.Minute):
		t.Fatal("it did not end")
	}
}
