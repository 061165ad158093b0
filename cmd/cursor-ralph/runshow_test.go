package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

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
