//go:build unix

package acp

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
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// desk returns a turn for commands.
func desk(t *testing.T, policy outer.Policy, guarded bool) *turn {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return quiet(t, Config{Dir: scene(t), Self: self, Policy: policy}, guarded, func(outer.Seen) {})
}

// run runs a command to its end.
func run(t *testing.T, x *turn, p sdk.CreateTerminalRequest) (sdk.TerminalOutputResponse, error) {
	t.Helper()
	id, err := create(t.Context(), x, p)
	if err != nil {
		return sdk.TerminalOutputResponse{}, err
	}
	if _, err := x.waitForTerminal(t.Context(), sdk.WaitForTerminalExitRequest{TerminalId: id}); err != nil {
		t.Fatal(err)
	}
	return output(t, x, id), nil
}

func create(ctx context.Context, x *turn, p sdk.CreateTerminalRequest) (string, error) {
	answer, err := x.createTerminal(ctx, p)
	if err != nil {
		return "", err
	}
	return answer.(sdk.CreateTerminalResponse).TerminalId, nil
}

func output(t *testing.T, x *turn, id string) sdk.TerminalOutputResponse {
	t.Helper()
	answer, err := x.terminalOutput(t.Context(), sdk.TerminalOutputRequest{TerminalId: id})
	if err != nil {
		t.Fatal(err)
	}
	return answer.(sdk.TerminalOutputResponse)
}

func pointer[T any](v T) *T { return &v }

func TestCommands(t *testing.T) {
	x := desk(t, outer.PolicyAll, false)
	for _, tt := range []struct {
		name   string
		p      sdk.CreateTerminalRequest
		output string
		exit   int // -1: by a signal
	}{
		{"a program", sdk.CreateTerminalRequest{Command: "printf", Args: list("%s-", "a b", "$HOME")}, "a b-$HOME-", 0},
		{"a line for a shell", sdk.CreateTerminalRequest{Command: "echo out; echo err >&2; exit 3"}, "out\nerr\n", 3},
		{"in a folder", sdk.CreateTerminalRequest{Command: "pwd", Cwd: pointer(filepath.Join(x.a.Dir, ".cursor"))}, filepath.Join(x.a.Dir, ".cursor") + "\n", 0},
		{"in the workspace", sdk.CreateTerminalRequest{Command: "pwd"}, x.a.Dir + "\n", 0},
		{"with a variable", sdk.CreateTerminalRequest{Command: "echo $RALPH", Env: []sdk.EnvVariable{{Name: "RALPH", Value: "x y"}}}, "x y\n", 0},
		{"that reads", sdk.CreateTerminalRequest{Command: "cat"}, "", 0},
		{"that is not there", sdk.CreateTerminalRequest{Command: "no-such-program-here", Args: list("x")}, "*", 127},
		{"that is killed", sdk.CreateTerminalRequest{Command: "kill -9 $$"}, "", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := run(t, x, tt.p)
			if err != nil {
				t.Fatal(err)
			}
			exit := -1
			if got.ExitStatus.ExitCode != nil {
				exit = *got.ExitStatus.ExitCode
			}
			if exit != tt.exit || got.Output != tt.output && tt.output != "*" || got.Truncated {
				t.Errorf("got %q, exit %d; want %q, exit %d", got.Output, exit, tt.output, tt.exit)
			}
		})
	}
}

func TestCommandsThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		policy  outer.Policy
		guarded bool
		p       sdk.CreateTerminalRequest
		want    string
	}{
		{"by no policy", "", false, sdk.CreateTerminalRequest{Command: "ls"}, "does not permit"},
		{"by none", outer.PolicyNone, false, sdk.CreateTerminalRequest{Command: "ls"}, "does not permit"},
		{"by edits", outer.PolicyEdits, false, sdk.CreateTerminalRequest{Command: "ls"}, "does not permit"},
		{"by a user who is not there", outer.PolicyAsk, false, sdk.CreateTerminalRequest{Command: "ls"}, "does not permit"},
		{"by a plan", outer.PolicyAll, true, sdk.CreateTerminalRequest{Command: "ls"}, "does not permit"},
		{"in another folder", outer.PolicyAll, false, sdk.CreateTerminalRequest{Command: "ls", Cwd: pointer("/")}, "outside"},
		{"behind a link", outer.PolicyAll, false, sdk.CreateTerminalRequest{Command: "ls", Cwd: pointer("out")}, "outside"},
		{"without a command", outer.PolicyAll, false, sdk.CreateTerminalRequest{}, "no command"},
		{"with what is no variable", outer.PolicyAll, false, sdk.CreateTerminalRequest{Command: "ls", Env: []sdk.EnvVariable{{Name: "A=B"}}}, "not a valid variable"},
	} {
		x := desk(t, tt.policy, tt.guarded)
		if _, err := run(t, x, tt.p); !strings.Contains(said(err), tt.want) || err == nil {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if len(x.a.terminals.list) != 0 {
			t.Errorf("%s: there is a terminal", tt.name)
		}
	}
}

// Each case is a command that the user allows, and what the agent then asks us to run.
func TestAPermissionIsForItsCommand(t *testing.T) {
	env := []sdk.EnvVariable{{Name: "A", Value: "1"}}
	for _, tt := range short.First([]struct {
		input string
		p     sdk.CreateTerminalRequest
		want  bool // the user is not asked again
	}{
		{`{"command":"echo a"}`, sdk.CreateTerminalRequest{Command: "echo a"}, true},
		{`{"command":"echo a"}`, sdk.CreateTerminalRequest{Command: "bash", Args: list("-c", "echo a")}, false},
		{`{"command":"echo a"}`, sdk.CreateTerminalRequest{Command: "echo", Args: list("a")}, false},
		{`{"command":"echo a"}`, sdk.CreateTerminalRequest{Command: "echo a", Env: env}, false},
		{`{"command":"echo a","env":{"A":"1"}}`, sdk.CreateTerminalRequest{Command: "echo a", Env: env}, true},
		{`{"command":"echo a","env":{"A":"1"}}`, sdk.CreateTerminalRequest{Command: "echo a"}, false},
		{`{"command":"echo a","env":["A=1"]}`, sdk.CreateTerminalRequest{Command: "echo a"}, false},
		{`{"command":"A=1 echo a"}`, sdk.CreateTerminalRequest{Command: "echo a", Env: env}, false},
		{`{"command":"echo a","cwd":"husky"}`, sdk.CreateTerminalRequest{Command: "echo a"}, false},
		{`{"command":"echo a","cwd":"husky"}`, sdk.CreateTerminalRequest{Command: "echo a", Cwd: pointer("husky")}, true},
		{`{"command":["echo","a b"]}`, sdk.CreateTerminalRequest{Command: "echo", Args: list("a b")}, true},
		{`{"command":["echo","a b"]}`, sdk.CreateTerminalRequest{Command: "echo", Args: list("a", "b")}, false},
		{`{"command":["echo a"]}`, sdk.CreateTerminalRequest{Command: "echo a"}, false},
		{`{"command":["echo",["a"]]}`, sdk.CreateTerminalRequest{Command: "echo"}, false},
		{`{"command":["bash","-c","ls"]}`, sdk.CreateTerminalRequest{Command: "./evil/bash", Args: list("-c", "ls")}, false},
	}, 6) {
		asked := 0
		x := desk(t, outer.PolicyAsk, false)
		x.a.Ask = func(context.Context, Request) Answer {
			asked++
			return map[bool]Answer{true: Yes}[asked == 1]
		}
		chosen(t, x, `{"kind":"execute","rawInput":`+tt.input+`}`, everyOption)
		if _, err := run(t, x, tt.p); (err == nil) != tt.want {
			t.Errorf("%+v after %s: got %v, want it allowed already: %v", tt.p, tt.input, err, tt.want)
		}
		if _, err := run(t, x, tt.p); err == nil {
			t.Errorf("%+v after %s: it was run twice", tt.p, tt.input)
		}
	}
}

func TestFinishedCommandsBlockNoOther(t *testing.T) {
	short.Skip(t)
	x := desk(t, outer.PolicyAll, false)
	first, err := create(t.Context(), x, sdk.CreateTerminalRequest{Command: "sleep 3600"})
	if err != nil {
		t.Fatal(err)
	}
	for range maxTerminals + 5 {
		if _, err := run(t, x, sdk.CreateTerminalRequest{Command: "true"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(x.a.terminals.list); n != maxTerminals {
		t.Errorf("got %d terminals, want %d", n, maxTerminals)
	}
	if output(t, x, first).ExitStatus != nil {
		t.Error("the one that runs has ended")
	}
}

func TestOutputHasALimit(t *testing.T) {
	x := desk(t, outer.PolicyAll, false)
	got, err := run(t, x, sdk.CreateTerminalRequest{Command: `i=0; while [ $i -lt 200 ]; do printf 'é€'; i=$((i+1)); done`, OutputByteLimit: pointer(99)})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Output); !got.Truncated || !utf8.ValidString(got.Output) || n > 99 || n < 96 || !strings.HasSuffix(got.Output, "é€é€") {
		t.Errorf("got %d bytes, truncated %v, valid %v: %q", len(got.Output), got.Truncated, utf8.ValidString(got.Output), got.Output)
	}
	short.Skip(t)
	got, err = run(t, x, sdk.CreateTerminalRequest{Command: `head -c 30000000 /dev/zero | tr '\0' x`, OutputByteLimit: pointer(1 << 40)})
	if err != nil || len(got.Output) != maxKeptOutput || !got.Truncated {
		t.Errorf("got %d bytes, truncated %v, %v; want %d", len(got.Output), got.Truncated, err, maxKeptOutput)
	}
}

// stubborn prints the ids of two processes that ignore signals. On Linux one is in its
// own session.
func stubborn() string {
	apart := ""
	if runtime.GOOS == "linux" {
		apart = "setsid "
	}
	return apart + `sh -c 'trap "" TERM HUP; echo $$; sleep 60; sleep 60' & trap "" TERM HUP; echo $$; wait; sleep 60`
}

func printedIDs(t *testing.T, x *turn, id string) (pids []int) {
	t.Helper()
	until(t, "two ids are printed", func() bool { return strings.Count(output(t, x, id).Output, "\n") == 2 })
	for _, word := range strings.Fields(output(t, x, id).Output) {
		pid, err := strconv.Atoi(word)
		if err != nil || syscall.Kill(pid, 0) != nil {
			t.Fatalf("process %s does not run: %v", word, err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func TestNothingIsLeftOfACommand(t *testing.T) {
	for name, end := range map[string]func(x *turn, id string) error{
		"that is released": func(x *turn, id string) error {
			_, err := x.releaseTerminal(x.ctx, sdk.ReleaseTerminalRequest{TerminalId: id})
			return err
		},
		"that is killed": func(x *turn, id string) error {
			_, err := x.killTerminal(x.ctx, sdk.KillTerminalRequest{TerminalId: id})
			return err
		},
		"when all end": func(x *turn, _ string) error {
			x.a.terminals.close()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "that is killed" { // which has two seconds to end
				short.Skip(t)
			}
			x := desk(t, outer.PolicyAll, false)
			id, err := create(t.Context(), x, sdk.CreateTerminalRequest{Command: stubborn()})
			if err != nil {
				t.Fatal(err)
			}
			pids := printedIDs(t, x, id)
			if err := end(x, id); err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				if !proc.Gone(pid) {
					t.Errorf("process %d still runs", pid)
				}
			}
			if name == "that is killed" && output(t, x, id).ExitStatus == nil {
				t.Error("a terminal that was killed has no end")
			}
		})
	}
}

func TestTerminalsHaveALimit(t *testing.T) {
	var ts terminals
	runs := func() (*terminal, error) { return &terminal{Process: &supervise.Process{}}, nil }
	for range maxTerminals {
		if _, err := ts.add(runs); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ts.add(runs); err == nil {
		t.Error("there is one more")
	}
}

func TestTheEndOfTheTurnEndsAWaitForACommand(t *testing.T) {
	x := desk(t, outer.PolicyAll, false)
	id, err := create(t.Context(), x, sdk.CreateTerminalRequest{Command: "sleep 60"})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { x.end(false) })
	if _, err := x.waitForTerminal(x.ctx, sdk.WaitForTerminalExitRequest{TerminalId: id}); err == nil {
		t.Error("it has ended")
	}
}

// until waits for a condition.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not in time: " + what)
		}
	}
}
