package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

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
	i := loop.Delivery{ID: "1", Way: "line", OpenedAt: began()}
	with := func(change func(*loop.Delivery)) loop.Delivery {
		changed := i
		change(&changed)
		return changed
	}
	for _, tt := range []struct {
		injection loop.Delivery
		later     time.Duration
		want      string
	}{
		{loop.Delivery{}, 0, ""},
		{i, time.Second, "under way"},
		{i, time.Hour, "nothing was reported about it"},
		{with(func(i *loop.Delivery) { i.Outcome, i.Method, i.Milliseconds = loop.Arrived, "xtest", 57 }), time.Second, "arrived, by xtest in 57 ms"},
		{with(func(i *loop.Delivery) { i.Outcome = "no window" }), time.Second, "no window"},
	} {
		if got := tt.injection.Describe(began().Add(tt.later)); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
