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
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
)

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
		want bool
	}{{"n\n", false}, {"y\n", true}, {"yes\n", true}, {"yet\n", false}, {"Y\n", true}} {
		go func() {
			for !view.input.waits() {
				time.Sleep(time.Millisecond)
			}
			_, _ = io.WriteString(keys, tt.line)
		}()
		if got := view.ask(context.Background(), acp.Request{Kind: "execute", Execution: &acp.Execution{Line: "rm -rf ."}}); got != tt.want {
			t.Errorf("after %q: got %t, want %t", tt.line, got, tt.want)
		}
	}
	_ = keys.Close()
	if view.ask(context.Background(), acp.Request{}) {
		t.Error("got a yes from a terminal that is closed")
	}
}

func (a *answers) waits() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked != nil
}

// The status line shows the same iteration as the lines above it.
func TestTheStatusLineCountsTheCurrentTurn(t *testing.T) {
	var out bytes.Buffer
	v := &runView{e: &cli.Env{Stdout: &out, Now: time.Now}, line: true, width: func() int { return 80 }}
	for _, tt := range []struct {
		kind outer.ReportKind
		done int
		want string
	}{
		{outer.ReportTurn, 0, "Iter 1/20"},
		{outer.ReportVerify, 0, "Iter 1/20"},
		{outer.ReportDecided, 1, "Iter 2/20"},
		{outer.ReportTurn, 1, "Iter 2/20"},
	} {
		v.report(outer.Report{Kind: tt.kind, State: loop.State{Status: loop.Running, Contract: loop.Contract{Iterations: tt.done, MaxIterations: 20}}})
		if got := v.drawn; !strings.Contains(got, tt.want) || !strings.HasSuffix(out.String(), got) {
			t.Errorf("%s: got %q, want %q in it", tt.kind, got, tt.want)
		}
	}
}
