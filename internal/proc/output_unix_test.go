//go:build unix

package proc_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/test/scene"
)

func TestAsk(t *testing.T) {
	for _, c := range []struct{ name, script, want, wantErr string }{
		{"what it prints is the answer", `printf 'a\n\000b'`, "a\n\x00b", ""},
		{"its stderr is not", `echo no >&2; echo yes`, "yes\n", ""},
		{"arguments arrive as they are", `printf '%s|' "$@"`, "$HOME|`x` 'y'||", ""},
		{"an exit code is an error", `echo half; exit 3`, "half\n", "exit status 3"},
		{"with the first line of stderr", `printf '\033[31mred\r\ntwo' >&2; exit 3`, "", `exit status 3: \u001b[31mred`},
		{"of a flood on stderr its beginning", `head -c 9000000 /dev/zero | tr '\0' x >&2; exit 7`, "", "exit status 7: " + strings.Repeat("x", 200) + "…"},
		{"so is a signal", `kill -9 $$`, "", "signal: killed"},
		{"the limit itself fits", `head -c 262144 /dev/zero | tr '\0' x`, strings.Repeat("x", 256<<10), ""},
		{"one byte more is an error", `head -c 262145 /dev/zero | tr '\0' x`, "", "it printed more than 256 KiB"},
		{"endless output is an error", `exec cat /dev/zero`, "", "it printed more than 256 KiB"},
		{"it may close its output early", `exec >&-; exit 4`, "", "exit status 4"},
		{"a child may hold its output", `echo x; sleep 60 & exit 0`, "x\n", proc.ErrHeld.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := proc.Ask(t.Context(), "/bin/sh", "-c", c.script, "sh", "$HOME", "`x` 'y'", "")
			if string(got) != c.want || errText(err) != c.wantErr {
				t.Errorf("got %d bytes %.40q and %.300q, want %d bytes %.40q and %q", len(got), got, errText(err), len(c.want), c.want, c.wantErr)
			}
		})
	}
}

// The end of the context kills the program and what it has started.
func TestOutputGivesUp(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"on a program that goes on", `trap '' TERM; sh $T/tell a $$; exec sleep 60`},
		{"on one that closes its streams", `sh $T/tell a $$; exec sleep 60 >&- 2>&-`},
		{"on its child, too", `sleep 60 & sh $T/tell a $!; wait`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scene.New(t)
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := script(s, c.script).Output(ctx)
				failed <- err
			}()
			pid := s.PID("a")
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
			s.Gone(pid)
			if _, err := script(s, "sh $T/tell b $$").Output(ctx); !errors.Is(err, context.Canceled) || s.Has("b") {
				t.Errorf("got %v, want context.Canceled and nothing started", err)
			}
		})
	}
}

func TestContainedKillsWhatHoldsTheOutput(t *testing.T) {
	s := scene.New(t)
	c := script(s, `sleep 60 & sh $T/tell a $!`)
	c.Contained = true
	if _, err := c.Output(t.Context()); !errors.Is(err, proc.ErrHeld) {
		t.Errorf("got %v, want %v", err, proc.ErrHeld)
	}
	s.Gone(s.PID("a"))
}

// A program outside the killed group sees the end of its stdin.
func TestHoldStdin(t *testing.T) {
	s := scene.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := script(s, `set -m; exec 3<&0; { sh $T/tell a $$; cat; sh $T/tell b 1; } <&3 & wait`) // a job has a group of its own
	c.Path, c.Args = "/usr/bin/env", append([]string{"bash"}, c.Args...)
	c.HoldStdin = true
	failed := make(chan error, 1)
	go func() {
		_, err := c.Output(ctx)
		failed <- err
	}()
	s.PID("a")
	time.Sleep(50 * time.Millisecond)
	if s.Has("b") {
		t.Error("its stdin has ended while we wait")
	}
	cancel()
	<-failed
	s.PID("b")
}

// The editor waits until a hook's streams are closed, and kills the hook's group.
func TestStartedProgramIsOnItsOwn(t *testing.T) {
	s := scene.New(t)
	script := `exec >"$1/out" && echo "$2" && sh "$1/tell" a $$ && while [ ! -e "$1/go" ]; do sleep 0.01; done`
	if err := proc.Start("/bin/sh", "-c", script, "sh", s.Dir, "$HOME `x` 'y'"); err != nil {
		t.Fatal(err)
	}
	pid := s.PID("a")
	if group, err := syscall.Getpgid(pid); group != pid || err != nil {
		t.Errorf("got process %d of group %d, %v; want a group of its own", pid, group, err)
	}
	if err := os.WriteFile(s.Dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Gone(pid)
	got, err := os.ReadFile(s.Dir + "/out")
	if want := "$HOME `x` 'y'\n"; string(got) != want || err != nil {
		t.Errorf("got the argument %q, %v; want %q", got, err, want)
	}
	if err := proc.Start(s.Dir + "/nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

// A program that is to have no environment gets none; only nil is ours.
func TestAnEmptyEnvironmentIsEmpty(t *testing.T) {
	t.Setenv("PROC_TEST_SECRET", "ours")
	for _, c := range []struct {
		name string
		env  []string
		want string
	}{{"nil", nil, "ours"}, {"empty", []string{}, ""}, {"the last of a name", []string{"PROC_TEST_SECRET=1", "PROC_TEST_SECRET=2"}, "2"}} {
		t.Run(c.name, func(t *testing.T) {
			got, err := proc.Command{Path: "/bin/sh", Args: []string{"-c", `printf %s "$PROC_TEST_SECRET"`}, Env: c.env, Limit: 1 << 10}.Output(t.Context())
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func script(s scene.Scene, text string) proc.Command {
	return proc.Command{Path: "/bin/sh", Args: []string{"-c", text}, Env: s.Env(), Limit: 1 << 10}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
