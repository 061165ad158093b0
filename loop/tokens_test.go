package loop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// took is what a turn is reported to have taken.
func took(input, output int64) *loop.Tokens { return loop.TokensOf(input, output, 0, 0) }

// driverTook is what the driver of a run reports.
func driverTook(input, output int64) loop.Record {
	return loop.Record{Kind: loop.RecordTokens, Generation: "g", Tokens: &loop.Tokens{Input: input, Output: output, CacheRead: -1}}
}

// Tokens of a turn are counted once, whichever events report them and how often.
func TestTokensOfATurn(t *testing.T) {
	said := func(generation string, n *loop.Tokens) loop.Record {
		return loop.Record{Kind: loop.RecordText, Generation: generation, Text: "Done in " + generation, Tokens: n}
	}
	driver := func(generation string, n *loop.Tokens) loop.Record {
		return loop.Record{Kind: loop.RecordTokens, Generation: generation, Tokens: n}
	}
	prompt := loop.Record{Kind: loop.RecordPrompt, Generation: "g2"}
	counted := func(l *loop.State) {
		l.LastStop = loop.StopMark{Generation: "g1", At: began(), Tokens: took(10, 1)}
	}
	for _, tt := range []struct {
		name    string
		stop    *loop.Tokens
		change  func(*loop.State)
		records []loop.Record
		want    *loop.Tokens
	}{
		{"nobody reports any", nil, nil, []loop.Record{said("g2", nil)}, nil},
		{"the stop", took(5, 2), nil, nil, took(5, 2)},
		{"the stop and the text", took(5, 2), nil, []loop.Record{said("g2", took(5, 2))}, took(5, 2)},
		{"the stop and another text", took(5, 2), nil, []loop.Record{said("g2", took(4, 1))}, took(5, 2)},
		{"the text alone", nil, nil, []loop.Record{said("g2", took(5, 2))}, took(5, 2)},
		{"the text twice", nil, nil, []loop.Record{said("g2", took(5, 2)), said("g2", took(5, 2))}, took(5, 2)},
		{"two texts of a turn: the last has both", nil, nil, []loop.Record{said("g2", took(2, 1)), said("g2", took(5, 2))}, took(5, 2)},
		{"a turn before, whose stop no hook saw", took(5, 2), nil, []loop.Record{said("g0", took(7, 1)), prompt, said("g2", took(5, 2))}, took(12, 3)},
		{"two turns of one generation", nil, nil, []loop.Record{said("g2", took(7, 1)), prompt, said("g2", took(5, 2))}, took(12, 3)},
		{"a late copy of what was counted", took(5, 2), counted, []loop.Record{said("g1", took(10, 1))}, took(5, 2)},
		{"a late copy, and no numbers now", nil, counted, []loop.Record{said("g1", took(10, 1))}, nil},
		{"late ones of a stop that had none", took(5, 2), func(l *loop.State) { counted(l); l.LastStop.Tokens = nil }, []loop.Record{said("g1", took(10, 1))}, took(15, 3)},
		{"drivers report parts", nil, nil, []loop.Record{driver("g2", took(5, 2)), driver("g2", took(5, 2))}, took(10, 4)},
		{"negative ones", nil, nil, []loop.Record{{Kind: loop.RecordText, Generation: "g2", Text: "x", Tokens: &loop.Tokens{Input: -5, Output: -1}}}, nil},
		{"of another turn than the loop's", nil, func(l *loop.State) { *l = l.Requested("g2") }, []loop.Record{said("g1", took(10, 1)), said("g2", took(5, 2))}, took(5, 2)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLoop(tt.change)
			e := loop.Event{Kind: loop.EventStop, Generation: "g2", Stop: loop.Stop{Status: loop.Completed, Tokens: tt.stop}}
			if diff := cmp.Diff(tt.want, l.TurnIn(lines(tt.records...), &e).Tokens); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTokensThatCannotBeTrue(t *testing.T) {
	for _, n := range []int64{-1, -1 << 63, 1<<63 - 1, 2_000_000_000_000} {
		if got := loop.TokensOf(n, n, 1, 1); got != nil {
			t.Errorf("%d: got %+v", n, got)
		}
		if got := loop.TokensOf(n, 7, n, 1); got == nil || *got != (loop.Tokens{Output: 7, CacheWrite: 1}) {
			t.Errorf("%d: got %+v", n, got)
		}
	}
	huge := &loop.Tokens{Input: 1<<63 - 1, Output: 1<<63 - 1}
	if sum := huge.Plus(huge); sum.Input <= 0 || sum.Sum() <= 0 {
		t.Errorf("got %+v", sum)
	}
}

// taking is a turn that takes tokens; nil is unknown.
func taking(n *loop.Tokens, said ...string) loop.Turn {
	turn := worked(said...)
	turn.Tokens = n
	return turn
}

func atMostTokens(n int64) func(*loop.State) { return func(l *loop.State) { l.MaxTokens = n } }

func TestMaxTokens(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		events []loop.Event
		want   outcome
		sum    *loop.Tokens
	}{
		{"below it", atMostTokens(100), []loop.Event{stop(taking(took(50, 10), working))}, outcome{loop.Followup, loop.Running, 1}, took(50, 10)},
		{"reached", atMostTokens(100), []loop.Event{stop(taking(took(50, 10), working)), stop(taking(took(30, 10), working))}, outcome{loop.Rest, loop.MaxTokens, 2}, took(80, 20)},
		{"a promise goes before it", atMostTokens(100), []loop.Event{stop(taking(took(500, 10), marker))}, outcome{loop.Rest, loop.PromiseAccepted, 1}, took(500, 10)},
		{"unknown", atMostTokens(1), []loop.Event{stop(worked(working)), stop(worked(working))}, outcome{loop.Followup, loop.Running, 2}, nil},
		{"some unknown", atMostTokens(100), []loop.Event{stop(worked(working)), stop(taking(took(100, 0), working))}, outcome{loop.Rest, loop.MaxTokens, 2}, took(100, 0)},
		{"no limit", nil, []loop.Event{stop(taking(took(1e9, 1e9), working))}, outcome{loop.Followup, loop.Running, 1}, took(1e9, 1e9)},
		{"raised", atMostTokens(100), []loop.Event{stop(taking(took(100, 0), working)), {Kind: loop.EventContinue, Continue: loop.Continue{MaxTokens: 200}}}, outcome{loop.Followup, loop.Running, 1}, took(100, 0)},
		{"not raised", atMostTokens(100), []loop.Event{stop(taking(took(100, 0), working)), {Kind: loop.EventContinue}}, outcome{loop.Refuse, loop.MaxTokens, 1}, took(100, 0)},
		{"raised too little", atMostTokens(100), []loop.Event{stop(taking(took(150, 0), working)), {Kind: loop.EventContinue, Continue: loop.Continue{MaxTokens: 150}}}, outcome{loop.Refuse, loop.MaxTokens, 1}, took(150, 0)},
		{"a turn that failed", atMostTokens(100), []loop.Event{stop(taking(took(150, 0), working), status(loop.Errored))}, outcome{loop.Rest, loop.Paused, 0}, took(150, 0)},
		{"a turn in a pause", nil, []loop.Event{{Kind: loop.EventPause}, stop(taking(took(150, 0), working))}, outcome{loop.Rest, loop.Paused, 0}, took(150, 0)},
		{"the user stopped it", nil, []loop.Event{stop(taking(took(5, 0), working), status(loop.Aborted))}, outcome{loop.Rest, loop.UserStopped, 0}, took(5, 0)},
		{"a turn before the agent had the task", func(l *loop.State) { *l = l.Started(); l.MaxTokens = 10 }, []loop.Event{{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}, Turn: loop.Turn{Tokens: took(50, 0)}}}, outcome{loop.Followup, loop.Running, 0}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.change)
			a := c.all(tt.events...)
			if diff := cmp.Diff(tt.want, c.outcome(a)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tt.sum, c.l.Tokens); diff != "" {
				t.Errorf("sum -want +got:\n%s", diff)
			}
			if a.Kind == loop.Refuse && (!strings.Contains(a.Hint, "--max-tokens") || !strings.Contains(a.Why(), "tokens")) {
				t.Errorf("got %q, hint %q", a.Why(), a.Hint)
			}
		})
	}
}
