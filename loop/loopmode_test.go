package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestAnOrdinaryMessage(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		want          bool
	}{
		{"a task", "make it green", true},
		{"a path inside it", "look at /etc/hosts", true},
		{"a question", "is it green?", true},
		{"a command", "/help me", false},
		{"a command after white space", "\n \u00a0/help", false},
		{"a slash alone", "/", false},
		{"a path", "/etc/hosts is wrong", false},
		{"nothing", "", false},
		{"white space", " \n\t", false},
		{"the text of our command", "# /ralph-help\n\n<!-- cursor-ralph: installed file, changes are lost (1234) -->\n\nx", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := loop.Ordinary(tt.message); got != tt.want {
				t.Errorf("%q: got %v, want %v", tt.message, got, tt.want)
			}
		})
	}
}

func TestAMessageBecomesALoopOfItsRules(t *testing.T) {
	rules := loop.New()
	rules.MaxIterations, rules.Program = 3, "/opt/cursor-ralph"
	got := rules.InLoopMode(" make it\ngreen ")
	want := rules
	want.Prompt, want.ArmedBy, want.Notices = " make it\ngreen ", "mode", got.Notices
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(got.Notices) != 1 || !strings.Contains(got.Notices[0], "`/opt/cursor-ralph loop-mode off`") {
		t.Errorf("got the notices %q, want one that names the off switch", got.Notices)
	}
}

func TestTheContractOfLoopMode(t *testing.T) {
	rules := loop.New()
	rules.ConversationID, rules.CompletionPromise = "chat-1", "ALL GREEN"
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		parts  []string
	}{
		{"the usual rules", func(*loop.State) {}, []string{"[Ralph loop 1/20]", "<promise>ALL GREEN</promise>", "cursor-ralph note chat-1", "cursor-ralph blocked chat-1"}},
		{"another program", func(l *loop.State) { l.Program = "/opt/cr" }, []string{"/opt/cr note chat-1", "/opt/cr blocked chat-1"}},
		{"ultrawork", func(l *loop.State) { l.Ultrawork = true }, []string{"Ultrawork:"}},
		{"a plan", func(l *loop.State) { l.Plan = true }, []string{"Plan mode:"}},
		{"the composer's plan", func(l *loop.State) { l.PlanMode = true }, []string{"Plan mode:"}},
		{"the longest there is", func(l *loop.State) {
			l.CompletionPromise, l.Program, l.Plan, l.Ultrawork = strings.Repeat("x", 200), strings.Repeat("p", 4096/2), true, true
			l.ConversationID = strings.Repeat("i", 128)
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := rules
			tt.change(&l)
			l = l.InLoopMode(strings.Repeat("the task ", 2000))
			got := l.ContractText()
			for _, part := range tt.parts {
				if !strings.Contains(got, part) {
					t.Errorf("got %q, want %q in it", got, part)
				}
			}
			if strings.Contains(got, "the task the task") || len(got) >= 10000 {
				t.Errorf("got %d bytes, want few and no task in them", len(got))
			}
		})
	}
}

func TestTheMessageAfterALoopThatIsOver(t *testing.T) {
	over := func(status loop.Status) loop.State {
		l := loop.New()
		l.Prompt, l.Status, l.StartedAt, l.LastFollowup = "build it", status, time.Unix(1, 0), "[Ralph loop 2/20] build it\n"
		return l
	}
	spoken := over(loop.Cancelled)
	spoken.SpokenIn, spoken.SpokenAt = "turn-1", time.Unix(99, 0)
	told, _ := loop.Decide(over(loop.Cancelled), loop.Event{Kind: loop.EventSpoken, Text: "never mind", Generation: "c1"}, time.Unix(95, 0))
	ended, _ := loop.Decide(told, loop.Event{Kind: loop.EventAfterEnd, Generation: "c1", Stop: loop.Stop{Status: loop.Completed}}, time.Unix(96, 0))
	nameless, earlier := over(loop.Cancelled), over(loop.Cancelled)
	nameless.SpokenIn, nameless.SpokenAt = "unknown", time.Unix(100, 0)
	earlier.SpokenIn, earlier.SpokenAt = "unknown", time.Unix(50, 0)
	for _, tt := range []struct {
		name       string
		l          loop.State
		text, turn string
		belongs    bool
		spokenIn   string
	}{
		{"the first after a cancel", over(loop.Cancelled), "never mind", "turn-1", true, "turn-1"},
		{"the first of an editor that names no turns", over(loop.Cancelled), "never mind", "", true, "unknown"},
		{"the same, seen twice", spoken, "never mind", "turn-1", true, "turn-1"},
		{"the second", spoken, "never mind", "turn-2", false, "turn-1"},
		{"the second of an editor that names no turns", spoken, "never mind", "", false, "turn-1"},
		{"the same of an editor that names no turns, seen twice", nameless, "never mind", "", true, "unknown"},
		{"the second, long after, of an editor that names no turns", earlier, "never mind", "", false, "unknown"},
		{"the same of an editor whose turns are all of one generation, seen twice", told, "never  mind", "c1", true, "c1"},
		{"the second of an editor whose turns are all of one generation", told, "now this", "c1", false, "c1"},
		{"the same words in the turn after, of an editor whose turns are all of one generation", ended, "never mind", "c1", false, "c1"},
		{"our own follow-up that crossed with the cancel", over(loop.Cancelled), " [Ralph loop 2/20] build it", "turn-1", true, ""},
		{"our own follow-up that crossed with an end", over(loop.Blocked), "[Ralph loop 2/20] build it", "turn-1", true, ""},
		{"after a promise", over(loop.PromiseAccepted), "now this", "turn-1", false, ""},
		{"after a limit", over(loop.MaxIterations), "now this", "turn-1", false, ""},
		{"after the user's stop", over(loop.UserStopped), "now this", "turn-1", false, ""},
		{"after another loop came", over(loop.Replaced), "now this", "turn-1", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, action := loop.Decide(tt.l, loop.Event{Kind: loop.EventSpoken, Text: tt.text, Generation: tt.turn}, time.Unix(100, 0))
			if belongs := action.Why() != ""; belongs != tt.belongs || action.Kind != loop.Rest {
				t.Errorf("got %+v, want one that belongs to it: %v", action, tt.belongs)
			}
			want := tt.l
			if want.SpokenIn = tt.spokenIn; tt.belongs && tt.spokenIn != "" {
				want.SpokenAt, want.Spoken = time.Unix(100, 0), next.Spoken
			}
			if diff := cmp.Diff(want, next); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
