package printmode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// TestMain lets the test binary also be the supervisor and the agents.
func TestMain(m *testing.M) {
	switch act := os.Getenv("PRINTMODE_ACT"); {
	case len(os.Args) > 1 && os.Args[1] == "supervise":
		code, err := supervise.Run(os.Args[3:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	case act != "":
		os.Exit(agents[act]())
	}
	os.Exit(m.Run())
}

const (
	begun  = `{"type":"system","subtype":"init","session_id":"s-1"}`
	done   = `{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1"}`
	spoken = `{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`
)

// agents are what the test binary plays. They print a stream like claude's.
var agents = map[string]func() int{
	"repeats its input": func() int {
		prompt, _ := io.ReadAll(os.Stdin)
		dir, _ := os.Getwd()
		told, _ := json.Marshal(append([]string{string(prompt), filepath.Base(dir), os.Getenv("OPENCODE_PERMISSION")}, os.Args[1:]...))
		return lines(0, begun, fmt.Sprintf(spoken, told), done)
	},
	"repeats its input as text": func() int {
		prompt, _ := io.ReadAll(os.Stdin)
		fmt.Printf("\x1b[31m%s\x1b[0m\n%q\n", prompt, os.Args[1:])
		return 0
	},
	"works on with closed output": func() int {
		fmt.Println("I begin.")
		_ = os.Stdout.Close()
		for os.WriteFile("closed", nil, 0o600) == nil {
			if os.Remove("go") == nil {
				return 0
			}
			time.Sleep(time.Millisecond)
		}
		return 1
	},
	"crashes": func() int {
		lines(0, begun, fmt.Sprintf(spoken, "I begin."))
		fmt.Fprintln(os.Stderr, "\x1b]0;x\apanic: out of luck")
		return 3
	},
	"is killed": func() int {
		lines(0, begun)
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		return hang()
	},
	"hangs": func() int {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		lines(0, begun)
		return hang()
	},
	"ends when it is interrupted": func() int {
		c := make(chan os.Signal, 1)
		signal.Notify(c, os.Interrupt)
		lines(0, begun)
		<-c
		return lines(130, fmt.Sprintf(spoken, "interrupted"))
	},
	"hangs after its result": func() int {
		lines(0, begun, fmt.Sprintf(spoken, "All done."), done)
		return hang()
	},
	"hangs with closed output": func() int {
		lines(0, begun, fmt.Sprintf(spoken, "All done."), done)
		_ = os.Stdout.Close()
		return hang()
	},
	"is silent": func() int { return 0 },
	"ends without a result": func() int {
		fmt.Fprintln(os.Stderr, "why")
		return lines(0, begun, fmt.Sprintf(spoken, "x"))
	},
	"says more than it may": func() int {
		w := bufio.NewWriter(os.Stdout)
		fmt.Fprintln(w, begun)
		fmt.Fprint(w, `{"type":"assistant","message":{"content":[{"type":"text","text":"`)
		for range 100 {
			fmt.Fprint(w, strings.Repeat("x", 1<<20))
		}
		fmt.Fprintln(w, `"}]}}`)
		fmt.Fprintf(w, spoken+"\n"+done+"\n", strings.Repeat("y", maxText)+"the end")
		_ = w.Flush()
		return 0
	},
	"prints one long line": func() int {
		for range 34 {
			fmt.Print(strings.Repeat("x", 1<<20))
		}
		fmt.Print("<promise>COMPLETE</promise>")
		return 0
	},
	"prints garbage": func() int {
		fmt.Print("warning: <promise>COMPLETE</promise>\n\x00\xff\n{\"type\":\n[1]\nnull\n\"x\"\n{\"type\":5}\n{\"type\":\"assistant\",\"message\":7}\n{}\n\n\r\n")
		fmt.Println(`{"type":"assistant","message":{"content":[5]}}`)
		return lines(0, begun, fmt.Sprintf(spoken, "fine")+"\r", done)
	},
	"prints half a line": func() int {
		lines(0, begun, fmt.Sprintf(spoken, "x"), done)
		fmt.Print(`{"type":"assistant","message":{"content":[{"type":"te`)
		return 0
	},
	"leaves a child with its output": func() int {
		child := exec.Command(os.Args[0])
		child.Env, child.Stdout = append(os.Environ(), "PRINTMODE_ACT=hangs"), os.Stdout
		if err := child.Start(); err != nil {
			return 9
		}
		return lines(0, begun, fmt.Sprintf(spoken, strconv.Itoa(child.Process.Pid)), done)
	},
	"is not logged in": func() int {
		return lines(1, begun, `{"type":"assistant","error":"authentication_failed","message":{"content":[{"type":"text","text":"Not logged in · Please run /login"}]}}`,
			`{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}`)
	},
	"says so on stderr": func() int {
		fmt.Fprintln(os.Stderr, "Error: Authentication required. Please run 'agent login' first")
		return 1
	},
	"mentions numbers on stderr": func() int {
		fmt.Fprintln(os.Stderr, "HTTP 429 from the first try\nnext try\nnext try\nnext try\nnext try")
		fmt.Fprintln(os.Stderr, "listening on port 401\n/srv/429/main.go:401: expected 429 items")
		return 1
	},
	"is unknown to its service": func() int {
		fmt.Fprintln(os.Stderr, "request failed: HTTP 401")
		return 1
	},
	"is refused on stderr": func() int {
		fmt.Fprintln(os.Stderr, "request failed: status 429")
		return 1
	},
	"is refused for a while": func() int {
		return lines(1, begun, `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: Rate limited. Try again in 7s."}`)
	},
	"knows no session": func() int {
		if i := slices.Index(os.Args, "--resume"); i < 0 || os.Args[i+1] == "s-1" {
			return lines(0, begun, fmt.Sprintf(spoken, strings.Join(os.Args[6:], " ")), done)
		}
		fmt.Fprintln(os.Stderr, "No conversation found with session ID: s-0")
		return lines(1, `{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s-0","errors":["No conversation found with session ID: s-0"]}`)
	},
}

// hang waits without a deadlock that the runtime would detect.
func hang() int {
	time.Sleep(time.Hour)
	return 0
}

func lines(code int, list ...string) int {
	for _, line := range list {
		fmt.Println(line)
	}
	return code
}

func preset(t *testing.T, name string) Preset {
	t.Helper()
	i := slices.IndexFunc(Presets(), func(p Preset) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("there is no preset %q", name)
	}
	return Presets()[i]
}

// acting returns the configuration of one of the agents above.
func acting(t *testing.T, act string) Config {
	t.Helper()
	if agents[act] == nil {
		t.Fatalf("no agent %q", act)
	}
	linger := time.Minute // longer than an agent takes that ends
	if strings.Contains(act, "hangs") {
		linger = 100 * time.Millisecond
	}
	return Config{
		Preset: preset(t, "claude"), Argv: []string{os.Args[0]}, Dir: t.TempDir(), Self: os.Args[0],
		Env: append(os.Environ(), "PRINTMODE_ACT="+act), Grace: 100 * time.Millisecond, Linger: linger,
	}
}

// turns runs turns and returns the messages, the session and the last error.
func turns(t *testing.T, c Config, prompts ...outer.Prompt) (said []string, session string, err error) {
	t.Helper()
	d := Open(c)
	for _, p := range prompts {
		err = d.Turn(t.Context(), p, func(s outer.Seen) {
			if s.Session != "" {
				session = s.Session
			}
			if s.Record.Kind == loop.RecordText {
				said = append(said, s.Record.Text)
			}
		})
	}
	return said, session, errors.Join(err, d.Close())
}

func TestTurn(t *testing.T) {
	for _, c := range []struct {
		act, said, want string // want is the error
	}{
		{"crashes", "I begin.", "claude ended with exit code 3: panic: out of luck"},
		{"is killed", "", "claude ended: it was killed (signal: killed)"},
		{"hangs after its result", "All done.", ""},
		{"hangs with closed output", "All done.", ""},
		{"is silent", "", "claude ended without a result"},
		{"ends without a result", "x", "claude ended without a result: why"},
		{"prints garbage", "fine", ""},
		{"prints half a line", "x", ""},
	} {
		t.Run(c.act, func(t *testing.T) {
			if runtime.GOOS == "windows" && c.act == "is killed" {
				return // there it has an exit code
			}
			said, session, err := turns(t, acting(t, c.act), outer.Prompt{Text: strings.Repeat("long ", 1<<18)})
			if got := strings.Join(said, "|"); got != c.said {
				t.Errorf("got %q, want %q", got, c.said)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if session != "s-1" && c.act != "is silent" {
				t.Errorf("got the session %q, want s-1", session)
			}
		})
	}
}

// The end of a long line of plain text counts.
func TestOneLongLine(t *testing.T) {
	short.Skip(t)
	c := acting(t, "prints one long line")
	c.Preset = Preset{}
	said, _, err := turns(t, c, outer.Prompt{})
	if err != nil || len(said) != 1 || len(said[0]) > maxText || !strings.HasSuffix(said[0], "xx<promise>COMPLETE</promise>") {
		t.Errorf("got %d texts, %v, want the end of the line", len(said), err)
	}
}

// A child that ignores signals and holds the output open ends with the turn.
func TestNoOrphan(t *testing.T) {
	said, _, err := turns(t, acting(t, "leaves a child with its output"), outer.Prompt{})
	if err != nil || len(said) != 1 {
		t.Fatalf("got %q, %v, want the number of the child", said, err)
	}
	if pid, err := strconv.Atoi(said[0]); err != nil || !proc.Gone(pid) {
		t.Errorf("process %d, %v, still runs", pid, err)
	}
}

func TestFlood(t *testing.T) {
	short.Skip(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	said, _, err := turns(t, acting(t, "says more than it may"), outer.Prompt{})
	runtime.ReadMemStats(&after)
	if err != nil || len(said) != 1 || len(said[0]) != maxText+len("the end") || !strings.HasSuffix(said[0], "the end") {
		t.Errorf("got %d texts, %v, want the end of one", len(said), err)
	}
	if grown := (after.Sys - before.Sys) >> 20; grown > 100 {
		t.Errorf("got %d MB more of the system, want what a line may take", grown)
	}
}

func TestGiven(t *testing.T) {
	const prompt = "do \"it\" $HOME `x`\n-- and 'more'\n"
	for _, c := range []struct {
		name, preset string
		change       func(*Config)
		prompt       outer.Prompt
		want         []string // stdin, folder, opencode's permissions, arguments
	}{
		{"claude", "claude", nil, outer.Prompt{}, []string{prompt, "ws", "", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "dontAsk"}},
		{"claude, all", "claude", func(c *Config) { c.Policy = outer.PolicyAll; c.Model, c.Args = "opus", []string{"--x", "a b"} },
			outer.Prompt{Session: "s-7"}, []string{prompt, "ws", "", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions", "--model", "opus", "--x", "a b", "--resume", "s-7"}},
		{"claude, guarded", "claude", func(c *Config) { c.Policy = outer.PolicyAll }, outer.Prompt{Guarded: true},
			[]string{prompt, "ws", "", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "plan", "--disallowedTools=Bash"}},
		{"a fresh session", "claude", nil, outer.Prompt{Session: "s-7", Fresh: true},
			[]string{prompt, "ws", "", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "dontAsk"}},
		{"a session that is a flag", "claude", nil, outer.Prompt{Session: "--dangerously-skip-permissions"},
			[]string{prompt, "ws", "", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "dontAsk"}},
		{"codex", "codex", func(c *Config) { c.Policy, c.Model = outer.PolicyEdits, "o9" }, outer.Prompt{Session: "s-7"},
			[]string{prompt, "ws", "", "exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write", "--model", "o9", "resume", "s-7", "-"}},
		{"codex, guarded", "codex", func(c *Config) { c.Policy = outer.PolicyAll }, outer.Prompt{Guarded: true},
			[]string{prompt, "ws", "", "exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only", "-"}},
		{"opencode", "opencode", nil, outer.Prompt{Session: "s-7"},
			[]string{prompt, "ws", `{"edit":"deny","bash":"deny","external_directory":"deny"}`, "run", "--format", "json", "--session", "s-7"}},
		{"gemini", "gemini", func(c *Config) { c.Policy = outer.PolicyEdits }, outer.Prompt{},
			[]string{prompt, "ws", "", "--output-format", "stream-json", "--skip-trust", "--approval-mode", "auto_edit"}},
		{"cursor-agent", "cursor-agent", func(c *Config) { c.Policy = outer.PolicyAll }, outer.Prompt{Session: "s-7"},
			[]string{"", "ws", "", "-p", "--output-format", "stream-json", "--trust", "--force", "--resume", "s-7", prompt}},
		{"a prompt that is a flag", "cursor-agent", nil, outer.Prompt{Text: "--force"},
			[]string{"", "ws", "", "-p", "--output-format", "stream-json", "--trust", " --force"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := acting(t, "repeats its input")
			conf.Preset = preset(t, c.preset)
			conf.Preset.parse = parseClaude // that is what it prints
			conf.Dir = filepath.Join(conf.Dir, "ws")
			if err := os.Mkdir(conf.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if c.change != nil {
				c.change(&conf)
			}
			if c.prompt.Text == "" {
				c.prompt.Text = prompt
			}
			said, _, err := turns(t, conf, c.prompt)
			want, _ := json.Marshal(c.want)
			if err != nil || len(said) != 1 || said[0] != string(want) {
				t.Errorf("got  %s, %v\nwant %s", said, err, want)
			}
		})
	}
}

func TestSessionGoesOn(t *testing.T) {
	c := acting(t, "repeats its input")
	said, _, err := turns(t, c, outer.Prompt{Text: "a"}, outer.Prompt{Text: "b", Session: "s-0"}, outer.Prompt{Text: "c", Fresh: true})
	if err != nil || len(said) != 3 {
		t.Fatalf("got %q, %v, want three turns", said, err)
	}
	for i, resumed := range []bool{false, true, false} {
		if got := strings.Contains(said[i], `"--resume","s-1"`); got != resumed {
			t.Errorf("turn %d: got %s, want resumed %t", i+1, said[i], resumed)
		}
	}
}

// If the session is lost, the agent gets a new one.
func TestLostSession(t *testing.T) {
	said, session, err := turns(t, acting(t, "knows no session"), outer.Prompt{Session: "s-0"}, outer.Prompt{})
	if err != nil || session != "s-1" || strings.Join(said, "|") != "dontAsk|dontAsk --resume s-1" {
		t.Errorf("got %q, session %q, %v, want a new session", said, session, err)
	}
}

func TestText(t *testing.T) {
	c := acting(t, "repeats its input as text")
	c.Preset = Preset{}
	for _, tt := range []struct {
		name, want string
		argv       []string
	}{
		{"on standard input", "a \"b\"\n[\"-x\"]", []string{os.Args[0], "-x"}},
		{"as an argument", "\n[\"-x\" \"p=a \\\"b\\\"\" \"-y\"]", []string{os.Args[0], "-x", "p={prompt}", "-y"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.Argv = tt.argv
			said, _, err := turns(t, c, outer.Prompt{Text: `a "b"`, Session: "s-7"})
			if err != nil || len(said) != 1 || said[0] != tt.want {
				t.Errorf("got %q, %v, want %q", said, err, tt.want)
			}
		})
	}
	c.Env, c.Linger = append(os.Environ(), "PRINTMODE_ACT=crashes"), time.Minute
	if _, _, err := turns(t, c, outer.Prompt{}); err == nil || !strings.HasSuffix(err.Error(), "ended with exit code 3: panic: out of luck") {
		t.Errorf("got %v, want how it ended", err)
	}
}

// A program may close its output and work on: its turn ends when it exits.
func TestClosedOutput(t *testing.T) {
	for _, p := range []Preset{{}, preset(t, "claude")} {
		c := acting(t, "works on with closed output")
		c.Preset, c.Linger = p, time.Millisecond
		go func() {
			for _, err := os.Stat(filepath.Join(c.Dir, "closed")); err != nil && t.Context().Err() == nil; {
				time.Sleep(time.Millisecond)
				_, err = os.Stat(filepath.Join(c.Dir, "closed"))
			}
			time.AfterFunc(50*c.Linger, func() { _ = os.WriteFile(filepath.Join(c.Dir, "go"), nil, 0o600) })
		}()
		said, _, err := turns(t, c, outer.Prompt{})
		if _, err := os.Stat(filepath.Join(c.Dir, "go")); err == nil {
			t.Error("it was ended before it was done")
		}
		switch {
		case p.Name == "" && (err != nil || strings.Join(said, "|") != "I begin."):
			t.Errorf("got %q and %v, want what it said", said, err)
		case p.Name != "" && (err == nil || err.Error() != "claude ended without a result: I begin."):
			t.Errorf("got %v, want that it gave no result", err)
		}
	}
}

func TestCannotStart(t *testing.T) {
	for _, c := range []struct {
		name       string
		change     func(*Config)
		guarded    bool
		want, hint string
	}{
		{"no such program", func(c *Config) { c.Argv = []string{"no-such-agent"} }, false,
			`start claude: exec: "no-such-agent": executable file not found in $PATH`, "install Claude Code: npm install -g @anthropic-ai/claude-code"},
		{"no such command", func(c *Config) { c.Preset, c.Argv = Preset{}, []string{"no-such-agent"} }, false,
			`start no-such-agent: exec: "no-such-agent": executable file not found in $PATH`, "is it installed and in PATH?"},
		{"no command", func(c *Config) { c.Preset, c.Argv = Preset{}, nil }, false, "start : there is no command", "name a program"},
		{"nobody to ask", func(c *Config) { c.Policy = "ask" }, false,
			`start claude: its print mode does not support the permissions "ask"`, "print mode cannot ask you; it supports --permissions none, edits, all"},
		{"no such policy", func(c *Config) { c.Preset, c.Policy = preset(t, "cursor-agent"), outer.PolicyEdits }, false,
			`start cursor-agent: its print mode does not support the permissions "edits"`, "print mode cannot ask you; it supports --permissions none, all"},
		{"a command that is to plan", func(c *Config) { c.Preset = Preset{} }, true,
			"start " + os.Args[0] + ": an unknown command cannot be kept from writing and executing", "a plan loop needs a known agent"},
		{"a command with a model", func(c *Config) { c.Preset, c.Model = Preset{}, "opus" }, false,
			"start " + os.Args[0] + ": how to choose its model is unknown", "put {model} into the command"},
		{"not logged in", func(c *Config) { c.Env = append(c.Env, "PRINTMODE_ACT=is not logged in") }, false,
			"start claude: Not logged in · Please run /login", "run `claude` and /login there, or set ANTHROPIC_API_KEY"},
		{"not logged in, on stderr", func(c *Config) {
			c.Preset, c.Env = preset(t, "cursor-agent"), append(c.Env, "PRINTMODE_ACT=says so on stderr")
		}, false,
			"start cursor-agent: cursor-agent ended with exit code 1: Error: Authentication required. Please run 'agent login' first", "run `cursor-agent login`, or set CURSOR_API_KEY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := acting(t, "is silent")
			c.change(&conf)
			_, _, err := turns(t, conf, outer.Prompt{Guarded: c.guarded})
			start := (*outer.StartError)(nil)
			if !errors.As(err, &start) || err.Error() != c.want || start.Hint != c.hint {
				t.Errorf("got %v, %+v\nwant %s, hint %s", err, start, c.want, c.hint)
			}
		})
	}
}

// A number alone is no reason, nor are lines about an earlier retry.
func TestNumbersAreNoReason(t *testing.T) {
	for act, want := range map[string]error{
		"mentions numbers on stderr": nil,
		"is unknown to its service":  &outer.StartError{},
		"is refused on stderr":       &outer.TransientError{},
	} {
		for _, preset := range []Preset{{}, preset(t, "claude")} {
			c := acting(t, act)
			c.Preset = preset
			_, _, err := turns(t, c, outer.Prompt{})
			start, later := (*outer.StartError)(nil), (*outer.TransientError)(nil)
			_, wantsStart := want.(*outer.StartError)
			_, wantsLater := want.(*outer.TransientError)
			if err == nil || errors.As(err, &start) != wantsStart || errors.As(err, &later) != wantsLater {
				t.Errorf("%s: got %T %v, want %T", act, err, err, want)
			}
		}
	}
}

func TestTransient(t *testing.T) {
	_, _, err := turns(t, acting(t, "is refused for a while"), outer.Prompt{})
	later := (*outer.TransientError)(nil)
	if !errors.As(err, &later) || later.After != 7*time.Second {
		t.Errorf("got %v, want to try again in 7 seconds", err)
	}
}

func TestCancel(t *testing.T) {
	for _, c := range []struct{ act, after, want string }{
		{"hangs", "", ""},
		{"ends when it is interrupted", "", "interrupted"},
		{"hangs after its result", "All done.", "All done."},
	} {
		if runtime.GOOS == "windows" {
			c.want = c.after // no interrupt there
		}
		t.Run(c.act, func(t *testing.T) {
			conf := acting(t, c.act)
			conf.Linger = time.Hour
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d, said := Open(conf), ""
			err := d.Turn(ctx, outer.Prompt{}, func(s outer.Seen) {
				said += s.Record.Text
				if said == c.after {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) || said != c.want {
				t.Errorf("got %v and %q, want it cancelled with %q", err, said, c.want)
			}
			if err := d.Turn(ctx, outer.Prompt{}, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want no turn", err)
			}
		})
	}
}

func TestClose(t *testing.T) {
	d := Open(acting(t, "hangs"))
	runs, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- d.Turn(t.Context(), outer.Prompt{}, func(outer.Seen) { close(runs) }) }()
	<-runs
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("got no error of the turn that was ended")
	}
	if err := d.Turn(t.Context(), outer.Prompt{}, nil); !errors.Is(err, errClosed) {
		t.Errorf("got %v, want that it is closed", err)
	}
}

func TestBatchFiles(t *testing.T) {
	for _, c := range []struct {
		goos, program string
		bare, refused bool
	}{
		{"windows", `C:\bin\agent.cmd`, true, true},
		{"windows", `C:\bin\agent.BAT`, true, true},
		{"windows", `C:\bin\agent.cmd`, false, false},
		{"windows", `C:\bin\agent.exe`, true, false},
		{"linux", "/bin/agent.cmd", true, false},
	} {
		r := invocation{argv: []string{"agent"}, promptArgument: c.bare}
		err := r.check(c.goos, func(string) (string, error) { return c.program, nil })
		if (err != nil) != c.refused {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

func TestShellScript(t *testing.T) {
	for command, want := range map[string]string{
		`/bin/bash -lc 'echo "a b" | wc'`: `echo "a b" | wc`,
		`sh -c ls`:                        "ls",
		`/bin/bash -lc "echo 'x' \$HOME"`: `echo 'x' $HOME`,
		`/bin/bash -x 'ls'`:               `/bin/bash -x 'ls'`,
		`/bin/bash -lc ls more`:           `/bin/bash -lc ls more`,
		`/bin/bash -lc 'x`:                `/bin/bash -lc 'x`,
	} {
		if got := shellScript(command); got != want {
			t.Errorf("%s: got %s, want %s", command, got, want)
		}
	}
}

func TestPresets(t *testing.T) {
	for _, p := range Presets() {
		if p.Name == "" || !strings.HasPrefix(p.Docs, "https://") || p.Hint == "" || p.Login == "" || p.parse == nil || !p.Tools {
			t.Errorf("something is missing: %+v", p)
		}
		for _, policy := range []outer.Policy{outer.PolicyNone, outer.PolicyAll} {
			if _, ok := p.policies[policy]; !ok {
				t.Errorf("%s does not know the policy %s", p.Name, policy)
			}
		}
		if len(p.guarded.args)+len(p.guarded.env) == 0 {
			t.Errorf("%s is not guarded", p.Name)
		}
	}
}
