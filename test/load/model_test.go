package main

import (
	"strings"
	"testing"
)

// TestTheModelFinds what is wrong with a history and with answers.
func TestTheModelFindsWhatIsWrong(t *testing.T) {
	want := model{
		iterations: []iteration{{tools: map[string]int{"Write": 2}}, {tools: map[string]int{"Read": 1}, errors: []string{"x"}}},
		recorded:   []string{"remember-1-0"},
	}
	good := func() []toldIteration {
		return []toldIteration{
			{Number: 1, Tools: map[string]int{"Write": 2}, Context: []string{"remember-1-0"}},
			{Number: 2, Tools: map[string]int{"Read": 1}, Errors: []string{"x"}},
		}
	}
	for name, tt := range map[string]struct {
		change func(h []toldIteration) []toldIteration
		want   string
	}{
		"nothing":                 {func(h []toldIteration) []toldIteration { return h }, ""},
		"an iteration is missing": {func(h []toldIteration) []toldIteration { return h[:1] }, "has 1 iterations, want 2"},
		"one is there twice":      {func(h []toldIteration) []toldIteration { return append(h, h[1]) }, "has 3 iterations, want 2"},
		"they are out of order":   {func(h []toldIteration) []toldIteration { return []toldIteration{h[1], h[0]} }, "has number 2"},
		"a call too many":         {func(h []toldIteration) []toldIteration { h[0].Tools["Write"]++; return h }, "got tools"},
		"an error is lost":        {func(h []toldIteration) []toldIteration { h[1].Errors = nil; return h }, "got errors"},
		"context came twice":      {func(h []toldIteration) []toldIteration { h[1].Context = h[0].Context; return h }, "reports the context"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := oneLine(want.compare(tt.change(good()))); err != nil {
				got = err.Error()
			}
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheModelFindsAnAnswerThatMustNotBe(t *testing.T) {
	const goesOn = "[Ralph loop 2/9]"
	for name, tt := range map[string]struct {
		user   act
		paused bool
		asked  []string
		answer string
		want   string
	}{
		"a loop goes on":                         {answer: goesOn},
		"a loop is silent":                       {want: "got no follow-up"},
		"a paused one is silent":                 {paused: true},
		"a paused one goes on":                   {paused: true, answer: goesOn, want: "got a follow-up"},
		"a cancelled one is silent":              {user: act{kind: "cancel", early: true}},
		"a cancelled one goes on":                {user: act{kind: "cancel", early: true}, answer: goesOn, want: "got a follow-up"},
		"one that is being cancelled goes on":    {user: act{kind: "cancel"}, answer: goesOn},
		"context comes":                          {user: act{kind: "context", early: true}, asked: []string{"remember-1-0"}, answer: "remember-1-0"},
		"context does not come":                  {user: act{kind: "context", early: true}, asked: []string{"remember-1-0"}, answer: goesOn, want: "context"},
		"context that is being added may wait":   {user: act{kind: "context"}, asked: []string{"remember-1-0"}, answer: goesOn},
		"context comes twice":                    {asked: []string{"remember-1-0"}, answer: "remember-1-0 remember-1-0", want: "context"},
		"context comes in another order than it": {asked: []string{"remember-1-0", "remember-1-1"}, answer: "remember-1-1 remember-1-0", want: "context"},
	} {
		t.Run(name, func(t *testing.T) {
			c := chat{max: 9, fate: fate{limit, 9}, user: &tt.user, model: model{paused: tt.paused, asked: tt.asked}}
			got := ""
			if err := c.stopped(iteration{tools: map[string]int{"Write": 1}}, tt.answer); err != nil {
				got = err.Error()
			}
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTwoFollowUpsAreOneTooMany(t *testing.T) {
	for want, texts := range map[string][]string{"": {"", ""}, "a": {"", "a"}} {
		if got, err := theOne(texts); got != want || err != nil {
			t.Errorf("%q: got %q and %v, want %q", texts, got, err, want)
		}
	}
	if _, err := theOne([]string{"a", "a"}); err == nil {
		t.Error("got no error")
	}
}
