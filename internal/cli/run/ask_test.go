package run

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
)

func TestQuestion(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    acp.Request
		want string
	}{
		{"a program, whole", acp.Request{Kind: "execute", Title: "run ls", Execution: &acp.Execution{Argv: []string{"/w/evil/bash", "-c", "ls"}, Dir: "/w", Env: []string{"PATH=."}}},
			`the agent asks: execute, which it calls "run ls"
  program: "/w/evil/bash" "-c" "ls"
  in: "/w"
  with: "PATH=."`},
		{"two arguments", acp.Request{Kind: "execute", Execution: &acp.Execution{Argv: []string{"rm", "a", "b"}, Dir: "/w"}},
			"the agent asks: execute\n  program: \"rm\" \"a\" \"b\"\n  in: \"/w\""},
		{"one argument with a space", acp.Request{Kind: "execute", Execution: &acp.Execution{Argv: []string{"rm", "a b"}, Dir: "/w"}},
			"the agent asks: execute\n  program: \"rm\" \"a b\"\n  in: \"/w\""},
		{"a line", acp.Request{Kind: "execute", Execution: &acp.Execution{Line: "echo\nallow it? [y/N] n\x1b[2J\u202e", Dir: "/w"}},
			"the agent asks: execute\n  in a shell: \"echo\\nallow it? [y/N] n\\x1b[2J\\u202e\"\n  in: \"/w\""},
		{"an execution that is not described", acp.Request{Kind: "execute", Title: "ls\nx", Says: []string{"lists\nfiles"}, Execution: &acp.Execution{Dir: "/w"}},
			"the agent asks: execute, which it calls \"ls\\nx\"\n  it does not say what it would run, only this\n    \"lists\\nfiles\"\n  in: \"/w\""},
		{"a path of two lines", acp.Request{Kind: "read", Paths: []string{"/w/a\n  in: \"/safe\""}, Outside: true},
			"the agent asks: read\n  some of that is, or may be, outside the workspace\n  file: \"/w/a\\n  in: \\\"/safe\\\"\""},
		{"an edit as a diff", acp.Request{Kind: "edit", Paths: []string{"/w/a", "/w/b"}, Executed: true, Edits: []acp.Edit{{Path: "/w/a", Old: "one\ntwo\n", New: "one\n2\r\u202e\n"}}},
			"the agent asks: edit\n  other tools execute such files on their own\n  file: \"/w/b\"\n  file: \"/w/a\"\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +2\\u000d\\u202e"},
		{"the rest of the input", acp.Request{Kind: "other", Input: []string{"\"query\": \"a\\nb\u202e\""}},
			"the agent asks: other\n  input: \"query\": \"a\\nb\\u202e\""},
	} {
		if got := strings.Join(question(tt.r), "\n  "); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func newAsker(t *testing.T, stdin io.Reader, json bool) (view *runView, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	e := &cli.Env{Stdin: stdin, Stdout: stdout, Stderr: stderr, Getenv: func(string) string { return "" }, Now: time.Now, Flags: cli.FlagSet("run", Flags)}
	if err := e.Flags.Set("json", map[bool]string{true: "true", false: "false"}[json]); err != nil {
		t.Fatal(err)
	}
	view = newRunView(e, loop.State{OuterRun: loop.OuterRun{Run: loop.Run{Permissions: "ask"}}})
	t.Cleanup(view.close)
	return view, stdout, stderr
}

func TestPermissionShowsThatItWaits(t *testing.T) {
	r := acp.Request{Kind: "execute", Execution: &acp.Execution{Line: "ls", Dir: "/w"}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, json := range []bool{false, true} {
		stdin, _ := io.Pipe()
		view, stdout, stderr := newAsker(t, stdin, json)
		if got := view.ask(over, r, nil); got != acp.No {
			t.Errorf("got %v, an answer that nobody gave", got)
		}
		person := map[bool]*bytes.Buffer{false: stdout, true: stderr}[json]
		for _, want := range []string{"in a shell: \"ls\"\n", "\nwaiting for you: allow it? [y]es, [n]o, [q]uit: \nno longer waiting: the turn is over\n"} {
			if got := person.String(); !strings.Contains(got, want) {
				t.Errorf("json %v: got %q, want %q in it", json, got, want)
			}
		}
		if got := stdout.String(); json && (strings.Count(got, "\n") != 1 || !strings.Contains(got, `"event":"asks"`)) {
			t.Errorf("got %q, want one object", got)
		}
	}
}

// typing returns a standard input whose lines are typed one by one, each as an answer.
func typing(t *testing.T, lines ...string) (stdin io.Reader, begin func(*runView)) {
	stdin, keys := io.Pipe()
	t.Cleanup(func() { _ = keys.Close() })
	return stdin, func(v *runView) {
		go func() {
			var question chan<- string
			for _, line := range lines {
				question = v.input.after(question)
				_, _ = io.WriteString(keys, line+"\n")
			}
			if v.input.after(question) != nil { // asked once more than it should: the end means no
				_ = keys.Close()
			}
		}()
	}
}

func TestAnswers(t *testing.T) {
	command := acp.Request{Kind: "execute", Lasting: true, Execution: &acp.Execution{Line: "ls", Dir: "/w"}}
	unclear := acp.Request{Kind: "execute", Execution: &acp.Execution{Dir: "/w"}}
	edit := acp.Request{Kind: "edit", Lasting: true, Edits: []acp.Edit{{Path: "/w/a", New: strings.Repeat("x\n", 100)}}}
	long := acp.Request{Kind: "execute", Lasting: true, Execution: &acp.Execution{Line: strings.Repeat("x", 2*askedLine) + "; rm -rf /", Dir: "/w"}}
	for _, tt := range []struct {
		name  string
		r     acp.Request
		typed string
		want  acp.Answer
		quits bool
		shown string
	}{
		{"yes", command, "y", acp.Yes, false, `in a shell: "ls"`},
		{"yes, in full", command, "YES", acp.Yes, false, "[a]lways this command"},
		{"always", command, "a", acp.Always, false, "[y]es"},
		{"no", command, "n", acp.No, false, "[q]uit"},
		{"Enter", command, "", acp.No, false, ""},
		{"a slip, then yes", command, "yy,y", acp.Yes, false, ""},
		{"a slip, then nothing", command, "yy", acp.No, false, ""},
		{"quit", command, "q", acp.No, true, ""},
		{"always where that is no answer", unclear, "a,y", acp.Yes, false, "allow it? [y]es, [n]o"},
		{"a long diff", edit, "y", acp.Yes, false, "\n  … and 63 more lines\n"},
		{"a long diff, all of it", edit, "s,a", acp.Always, false, strings.Repeat("\n  +x", 100)},
		{"a command that was not seen whole", long, "y,a", acp.No, false, " more bytes\n"},
		{"a command that was", long, "s,y", acp.Yes, false, `; rm -rf /"` + "\n"},
	} {
		stdin, begin := typing(t, strings.Split(tt.typed, ",")...)
		view, stdout, _ := newAsker(t, stdin, false)
		begin(view)
		quits := false
		if got := view.ask(t.Context(), tt.r, func() { quits = true }); got != tt.want || quits != tt.quits {
			t.Errorf("%s: got %v, quits %v; want %v, %v", tt.name, got, quits, tt.want, tt.quits)
		}
		if got := stdout.String(); !strings.Contains(got, tt.shown) {
			t.Errorf("%s: got %.3000q, want %q in it", tt.name, got, tt.shown)
		}
	}
}

func TestShortWordsOfARequest(t *testing.T) {
	for want, r := range map[string]acp.Request{
		`in a shell: "npm test", in: "/w"`:              {Kind: "execute", Title: "Test", Execution: &acp.Execution{Line: "npm test", Dir: "/w"}},
		`program: "ls" "a b", in: "/w", with: "PATH=."`: {Kind: "execute", Execution: &acp.Execution{Argv: []string{"ls", "a b"}, Dir: "/w", Env: []string{"PATH=."}}},
		`edit "/w/a"`:                      {Kind: "edit", Paths: []string{"/w/a"}},
		`fetch "the \n\x1b[2J\u202e page"`: {Kind: "fetch", Title: "the \n\x1b[2J\u202e page"},
	} {
		if got := inShort(r); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// What the user typed before a question does not answer it.
func TestPermissionIsNotGivenAhead(t *testing.T) {
	stdin, keys := io.Pipe()
	e := &cli.Env{Stdin: stdin, Stdout: io.Discard, Getenv: func(string) string { return "" }, Now: time.Now, Flags: cli.FlagSet("run", Flags)}
	view := newRunView(e, loop.State{OuterRun: loop.OuterRun{Run: loop.Run{Permissions: "ask"}}})
	defer view.close()
	typed := make(chan struct{})
	go func() {
		defer close(typed)
		_, _ = io.WriteString(keys, "y\ny\ny\n") // ahead
		_, _ = io.WriteString(keys, "")          // returns when the lines before it were read
	}()
	select {
	case <-typed:
	case <-time.After(5 * time.Second): // they are not read between questions
	}
	for _, tt := range []struct {
		line string
		want acp.Answer
	}{{"n\n", acp.No}, {"y\n", acp.Yes}} {
		go func() {
			view.input.after(nil)
			_, _ = io.WriteString(keys, tt.line)
		}()
		if got := view.ask(t.Context(), acp.Request{Kind: "execute", Execution: &acp.Execution{Line: "rm -rf ."}}, nil); got != tt.want {
			t.Errorf("after %q: got %v, want %v", tt.line, got, tt.want)
		}
	}
	_ = keys.Close()
	if got := view.ask(t.Context(), acp.Request{}, nil); got != acp.No {
		t.Errorf("got %v from a terminal that is closed", got)
	}
}

// after waits for another question than the last one.
func (a *answers) after(last chan<- string) chan<- string {
	for {
		a.mu.Lock()
		asked := a.asked
		a.mu.Unlock()
		if asked != nil && asked != last {
			return asked
		}
		time.Sleep(time.Millisecond)
	}
}
