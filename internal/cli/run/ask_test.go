package run

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/outer/acp"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func newAsker(t *testing.T, stdin io.Reader) (view *display, stdout *bytes.Buffer) {
	stdout = &bytes.Buffer{}
	e := &cli.Env{Terminal: cli.Terminal{Stdin: stdin, Stdout: stdout, Stderr: io.Discard, Getenv: func(string) string { return "" }}, Options: cli.Options{Flags: cli.FlagSet("run", Flags)}, Now: time.Now}
	view = newDisplay(e, loop.State{Commands: loop.Commands{Run: loop.Run{Permissions: "ask"}}})
	t.Cleanup(view.close)
	return view, stdout
}

func TestPermissionShowsThatItWaits(t *testing.T) {
	r := acp.Request{Kind: "execute", Input: []string{`"command": "ls"`}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	stdin, _ := io.Pipe()
	view, stdout := newAsker(t, stdin)
	if got := view.ask(over, r, nil); got {
		t.Error("got a yes that nobody gave")
	}
	for _, want := range []string{"it runs: \"ls\"\n", "\nwaiting for you: allow it? [y]es, [n]o, [q]uit: \nno longer waiting: the turn is over\n"} {
		if got := stdout.String(); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

// typing returns a standard input whose lines are typed one by one, each as an answer.
func typing(t *testing.T, lines ...string) (stdin io.Reader, begin func(*display)) {
	stdin, keys := io.Pipe()
	t.Cleanup(func() { _ = keys.Close() })
	return stdin, func(v *display) {
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
	command := acp.Request{Kind: "execute", Input: []string{`"command": "ls"`}}
	edit := acp.Request{Kind: "edit", Edits: []acp.Edit{{Path: "/w/a", New: strings.Repeat("x\n", 100)}}}
	long := acp.Request{Kind: "execute", Input: []string{`"command": "` + strings.Repeat("x", 2*askedLine) + `; rm -rf /"`}}
	for _, tt := range []struct {
		name  string
		r     acp.Request
		typed string
		want  bool
		quits bool
		shown string
	}{
		{"yes", command, "y", true, false, `it runs: "ls"`},
		{"yes, in full", command, "YES", true, false, "allow it? [y]es, [n]o"},
		{"no", command, "n", false, false, "[q]uit"},
		{"Enter", command, "", false, false, ""},
		{"a slip, then yes", command, "yy,y", true, false, ""},
		{"a slip, then nothing", command, "yy", false, false, ""},
		{"quit", command, "q", false, true, ""},
		{"a long diff that was not seen whole", edit, "y", false, false, "\n  … and 63 more lines\n"},
		{"a long diff, all of it", edit, "s,y", true, false, strings.Repeat("\n  +x", 100)},
		{"a command that was not seen whole", long, "y,y", false, false, " more bytes\n"},
		{"a command that was", long, "s,y", true, false, `; rm -rf /"` + "\n"},
	} {
		stdin, begin := typing(t, strings.Split(tt.typed, ",")...)
		view, stdout := newAsker(t, stdin)
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

// What the user typed before a question does not answer it.
func TestPermissionIsNotGivenAhead(t *testing.T) {
	stdin, keys := io.Pipe()
	e := &cli.Env{Terminal: cli.Terminal{Stdin: stdin, Stdout: io.Discard, Getenv: func(string) string { return "" }}, Options: cli.Options{Flags: cli.FlagSet("run", Flags)}, Now: time.Now}
	view := newDisplay(e, loop.State{Commands: loop.Commands{Run: loop.Run{Permissions: "ask"}}})
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
		want bool
	}{{"n\n", false}, {"y\n", true}} {
		go func() {
			view.input.after(nil)
			_, _ = io.WriteString(keys, tt.line)
		}()
		if got := view.ask(t.Context(), acp.Request{Kind: "execute"}, nil); got != tt.want {
			t.Errorf("after %q: got %v, want %v", tt.line, got, tt.want)
		}
	}
	_ = keys.Close()
	if got := view.ask(t.Context(), acp.Request{}, nil); got {
		t.Error("got a yes from a terminal that is closed")
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
