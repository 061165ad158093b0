package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestTheLineForAStatusBar(t *testing.T) {
	for status, want := range map[loop.Status]string{
		loop.Running:         "Loop • Running • Iter 4/20",
		loop.Waiting:         "Loop • Waiting • Iter 4/20",
		loop.Paused:          "Loop • Paused • Iter 4/20",
		loop.PromiseAccepted: "Loop • Promise accepted • Iter 3/20",
		loop.MaxIterations:   "Loop • Max iterations reached • Iter 3/20",
		"":                   "Loop • Unknown • Iter 3/20",
		"resting":            "Loop • Resting • Iter 3/20", // of a newer version
		"#[bg=red]":          "Loop • Unknown • Iter 3/20",
		"two\nlines":         "Loop • Unknown • Iter 3/20",
	} {
		l := newLoop(func(l *loop.State) { l.Status, l.Iterations = status, 3 })
		if got := loop.Chip(string(l.Status), l.Iteration(), l.MaxIterations); got != want {
			t.Errorf("got %q want %q", got, want)
		}
	}
}

func TestTheSameTask(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"word for word", "Build it.", "Build it.", true},
		{"with other white space", " Build\r\n\tit. ", "Build it.", true},
		{"with other letters", "build it.", "Build it.", false},
		{"with more words", "Build it. Now.", "Build it.", false},
		{"with words run together", "Buildit.", "Build it.", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := loop.State{Contract: loop.Contract{Prompt: tt.a}}
			if got := a.SameTask(loop.State{Contract: loop.Contract{Prompt: tt.b}}); got != tt.want {
				t.Errorf("got %t want %t", got, tt.want)
			}
		})
	}
}

func TestHowTypingWentInWords(t *testing.T) {
	i := loop.Injection{ID: "1", OpenedAt: began()}
	with := func(change func(*loop.Injection)) loop.Injection {
		changed := i
		change(&changed)
		return changed
	}
	for _, tt := range []struct {
		injection loop.Injection
		later     time.Duration
		want      string
	}{
		{loop.Injection{}, 0, ""},
		{i, time.Second, "under way"},
		{i, time.Hour, "nothing was reported about it"},
		{with(func(i *loop.Injection) { i.Outcome, i.Method, i.Milliseconds = loop.Arrived, "xtest", 57 }), time.Second, "arrived, by xtest in 57 ms"},
		{with(func(i *loop.Injection) { i.Outcome = "no window" }), time.Second, "no window"},
	} {
		if got := tt.injection.Words(began().Add(tt.later)); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
