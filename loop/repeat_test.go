package loop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// longTask has a first line, and a last one that says whether all of it is there.
func longTask(length int) string {
	const first, last = "Build the parser.", "Mind the last line."
	return first + strings.Repeat("\nEvery rule has a test.", max(0, length-len(first)-len(last))/23) + "\n" + last
}

func repeats(how loop.Repeat) func(*loop.State) {
	return func(l *loop.State) { l.Repeat, l.Prompt = how, longTask(2000) }
}

// has says of a text what it has of the task: all, its first line, or nothing.
func has(l loop.State, text string) string {
	switch {
	case strings.Contains(text, l.Prompt):
		return "all"
	case strings.Contains(text, "\nBuild the parser.\n"):
		return "first"
	}
	return "none"
}

func TestRepeat(t *testing.T) {
	turn := stop(worked(working))
	goesOn := loop.Event{Kind: loop.EventContinue}
	session := func(id string) loop.Event { return loop.Event{Kind: loop.EventSession, Text: id} }
	for _, tt := range []struct {
		name   string
		how    loop.Repeat
		change func(*loop.State)
		events []loop.Event
		want   string
	}{
		{"by default", "", nil, repeat(3, turn), "all all all"},
		{"full", "full", nil, repeat(3, turn), "all all all"},
		{"first", "first", nil, repeat(11, turn), strings.Repeat("first ", 11)},
		{"first: after a continue", "first", nil, []loop.Event{turn, goesOn, turn}, "first all first"},
		{"first: the agent has not seen it", "first", started, repeat(2, stop(talked(working))), "all first"},
		{"first: a run whose sessions are all new", "first", func(l *loop.State) { l.Run = loop.Run{Driver: "acp", Fresh: true} }, repeat(2, turn), "all all"},
		{"first: a run that lost its session", "first", func(l *loop.State) { l.Run = loop.Run{Driver: "acp", Session: "s1"} }, []loop.Event{turn, session("s2"), turn, turn}, "first none all first"},
		{"first: a run of one session", "first", func(l *loop.State) { l.Run = loop.Run{Driver: "acp"} }, []loop.Event{session("s1"), turn, session("s1"), turn}, "none first none first"},
		{"a short task is shorter than its place", "first", func(l *loop.State) { l.Prompt = "Build it." }, repeat(2, turn), "all all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, repeats(tt.how), tt.change)
			var got []string
			for _, e := range tt.events {
				got = append(got, has(c.l, c.do(e).Text))
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if start := has(c.l, c.l.StartText()); start != "all" {
				t.Errorf("the beginning has %s of the task", start)
			}
		})
	}
}
