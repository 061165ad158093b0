package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
)

// A yes that was typed before a question is none to it.
func TestPermissionIsNotGivenAhead(t *testing.T) {
	stdin, keys := io.Pipe()
	run, _ := find("run")
	e := &env{stdin: stdin, stdout: io.Discard, getenv: func(string) string { return "" }, now: time.Now, flags: flagSet(run)}
	view := e.newRunView(loop.State{Run: loop.Run{Permissions: "ask"}})
	defer view.close()
	typed := make(chan struct{})
	go func() {
		defer close(typed)
		_, _ = io.WriteString(keys, "y\ny\ny\n") // ahead
		_, _ = io.WriteString(keys, "")          // who reads on has dealt with those
	}()
	select {
	case <-typed:
	case <-time.After(5 * time.Second): // who does not read them has them yet to come
	}
	for _, tt := range []struct {
		line string
		want bool
	}{{"n\n", false}, {"y\n", true}, {"yes\n", true}, {"yet\n", false}, {"Y\n", true}} {
		go func() {
			for !view.input.waits() {
				time.Sleep(time.Millisecond)
			}
			_, _ = io.WriteString(keys, tt.line)
		}()
		if got := view.ask(context.Background(), acp.Request{Kind: "execute", Command: "rm -rf ."}); got != tt.want {
			t.Errorf("after %q: got %t, want %t", tt.line, got, tt.want)
		}
	}
	_ = keys.Close()
	if view.ask(context.Background(), acp.Request{}) {
		t.Error("got a yes from a terminal that is closed")
	}
}

// What would be run is told whatever the agent calls it.
func TestPermissionIsAskedWithTheCommand(t *testing.T) {
	run, _ := find("run")
	var shown strings.Builder
	e := &env{stdin: strings.NewReader(""), stdout: &shown, getenv: func(string) string { return "" }, now: time.Now, flags: flagSet(run)}
	view := e.newRunView(loop.State{Run: loop.Run{Permissions: "ask"}})
	defer view.close()
	view.ask(context.Background(), acp.Request{Kind: "execute", Title: "look around, and not rm -rf .", Command: "rm -rf ."})
	view.ask(context.Background(), acp.Request{Kind: "execute", Title: "two", Command: "echo\nallow it? [y/N] n"})
	for _, want := range []string{"\n  it would run: rm -rf .\n", "\n    allow it? [y/N] n\n"} {
		if got := shown.String(); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

func (a *answers) waits() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked != nil
}

// The line below a run and the lines above it tell the same iteration.
func TestTheStatusLineCountsTheTurnThatGoesOn(t *testing.T) {
	var out bytes.Buffer
	v := &runView{e: &env{stdout: &out, now: time.Now}, line: true}
	for _, tt := range []struct {
		kind outer.ReportKind
		done int
		want string
	}{
		{outer.ReportTurn, 0, "Iter 1/20"},
		{outer.ReportVerify, 0, "Iter 1/20"},
		{outer.ReportDecided, 1, "Iter 1/20"},
		{outer.ReportTurn, 1, "Iter 2/20"},
	} {
		out.Reset()
		v.told(outer.Report{Kind: tt.kind, State: loop.State{Status: loop.Running, Iterations: tt.done, MaxIterations: 20}})
		if got := out.String(); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q in it", tt.kind, got, tt.want)
		}
	}
}
