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
	long := strings.Repeat("x\n", 2*diffLines)
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
			"the agent asks: read\n  file: \"/w/a\\n  in: \\\"/safe\\\"\"\n  some of that is, or may be, outside the workspace"},
		{"an edit as a diff", acp.Request{Kind: "edit", Paths: []string{"/w/a", "/w/b"}, Executed: true, Edits: []acp.Edit{{Path: "/w/a", Old: "one\ntwo\n", New: "one\n2\r\u202e\n"}}},
			"the agent asks: edit\n  file: \"/w/b\"\n  file: \"/w/a\"\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +2\\u000d\\u202e\n  other tools execute such files on their own"},
		{"a long diff", acp.Request{Kind: "edit", Edits: []acp.Edit{{Path: "/w/a", New: long}}}, "\n  and 401 more lines, which are not shown"},
		{"the rest of the input", acp.Request{Kind: "other", Input: []string{"\"query\": \"a\\nb\u202e\""}},
			"the agent asks: other\n  input: \"query\": \"a\\nb\\u202e\""},
	} {
		if got := question(tt.r); got != tt.want && !(tt.name == "a long diff" && strings.HasSuffix(got, tt.want)) {
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
		if view.ask(over, r) {
			t.Error("got a yes that nobody gave")
		}
		person := map[bool]*bytes.Buffer{false: stdout, true: stderr}[json]
		for _, want := range []string{"in a shell: \"ls\"\n", "\nwaiting for you: allow it? [y/N] \nno longer waiting: the turn is over\n"} {
			if got := person.String(); !strings.Contains(got, want) {
				t.Errorf("json %v: got %q, want %q in it", json, got, want)
			}
		}
		if got := stdout.String(); json && (strings.Count(got, "\n") != 1 || !strings.Contains(got, `"event":"asks"`)) {
			t.Errorf("got %q, want one object", got)
		}
	}
}

func TestWhatCannotBeShownIsNotPermitted(t *testing.T) {
	view, stdout, _ := newAsker(t, strings.NewReader("y\ny\n"), false)
	if view.ask(t.Context(), acp.Request{Kind: "execute", Execution: &acp.Execution{Line: strings.Repeat("x", askedBytes)}}) {
		t.Error("got a yes to what was not shown")
	}
	if got := stdout.String(); !strings.Contains(got, "more than can be shown") || strings.Contains(got, "xxx") {
		t.Errorf("got %.200q", got)
	}
}
