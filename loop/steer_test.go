package loop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func goOn(t loop.Turn, changes ...func(*loop.Event)) loop.Event {
	e := loop.Event{Kind: loop.EventContinue, Turn: t}
	for _, change := range changes {
		change(&e)
	}
	return e
}

func raised(n int) func(*loop.Event) { return func(e *loop.Event) { e.MaxIterations = n } }
func longer(d time.Duration) func(*loop.Event) {
	return func(e *loop.Event) { e.MaxDuration = loop.Duration(d) }
}

func TestPauseAndResume(t *testing.T) {
	turn, said := stop(worked(working)), stop(worked(marker))
	pause, resume := loop.Event{Kind: loop.EventPause}, loop.Event{Kind: loop.EventResume}
	message := loop.Event{Kind: loop.EventMessage, Text: "hello"}
	refused := func(s loop.Status, i int) outcome { return outcome{loop.Refuse, s, i} }
	play(t, []rule{
		{"a pause takes effect at the next stop", nil, []loop.Event{pause, turn}, pausedAt(0), ""},
		{"paused, a promise is not looked for", nil, []loop.Event{turn, pause, said}, pausedAt(1), ""},
		{"paused, a limit is not looked at", atMost(1), []loop.Event{pause, turn, turn}, pausedAt(0), ""},
		{"resumed before the stop it goes on", nil, []loop.Event{turn, pause, resume, turn}, goesOn(2), "none"},
		{"resumed before the stop it runs", nil, []loop.Event{turn, pause, resume}, runningAt(1), ""},
		{"resumed after the stop it waits", nil, []loop.Event{turn, pause, turn, resume}, waitingAt(1), ""},
		{"resumed after the stop it goes on by continue", nil, []loop.Event{turn, pause, turn, resume, goOn(worked(working))}, goesOn(1), ""},
		{"resumed after the stop it goes on by a message", nil, []loop.Event{turn, pause, turn, resume, message, turn}, goesOn(2), "none"},
		{"resumed after the stop and a message it runs", nil, []loop.Event{turn, pause, turn, message, resume}, runningAt(1), ""},
		{"a stop that was answered sets the agent to work", nil, []loop.Event{turn, pause, turn, resume, turn, pause, resume}, runningAt(2), ""},
		{"a second pause after a resume", nil, []loop.Event{turn, pause, turn, resume, pause, resume}, waitingAt(1), ""},
		{"paused while it waits, it waits again", nil, []loop.Event{stop(worked(working), sessionLimit(1)), pause, resume}, waitingAt(1), ""},
		{"a running loop cannot be resumed", nil, []loop.Event{turn, resume}, refused(loop.Running, 1), ""},
		{"a waiting loop cannot be resumed", nil, []loop.Event{stop(worked(working), sessionLimit(1)), resume}, refused(loop.Waiting, 1), ""},
		{"an ended loop is not paused", nil, []loop.Event{said, pause, resume}, accepted(1), ""},
		{"continue lifts a pause", nil, []loop.Event{turn, pause, turn, goOn(worked(working))}, goesOn(1), ""},
	})
	c := newChat(t)
	c.all(turn, pause)
	if c.l.PauseReason != "user" || c.l.Reason != "" {
		t.Errorf("got %q, %q", c.l.PauseReason, c.l.Reason)
	}
	if c.do(resume); c.l.PauseReason != "" || c.l.Reason != "" {
		t.Errorf("got %q, %q", c.l.PauseReason, c.l.Reason)
	}
	if c.all(pause, turn, resume); c.l.PauseReason != "" || c.l.Reason != "resumed; the agent is idle until the continue line is typed" {
		t.Errorf("idle: got %q, %q", c.l.PauseReason, c.l.Reason)
	}
}

func TestWhatARefusalSays(t *testing.T) {
	const anew = "start a new one with /ralph-loop"
	in := func(s loop.Status) func(*loop.State) { return func(l *loop.State) { l.Status = s } }
	for _, tt := range []struct {
		name      string
		change    func(*loop.State)
		event     loop.Event
		why, hint string
	}{
		{"resume", nil, loop.Event{Kind: loop.EventResume}, "the loop is not paused", "`cursor-ralph status` shows where it stands"},
		{"continue, of a kept promise", nil, goOn(worked(marker)), "the loop is over: its promise was accepted", "nothing is left to do; tell the user so"},
		{"continue, over already", in(loop.PromiseAccepted), goOn(loop.Turn{}), "the loop is over: its promise was accepted", anew},
		{"continue, replaced", in(loop.Replaced), goOn(loop.Turn{}), "the loop has ended (REPLACED)", anew},
		{"continue, at the limit", func(l *loop.State) { l.Iterations = 20 }, goOn(loop.Turn{}), "the limit of 20 iterations is reached", "raise it: cursor-ralph continue k7f2m --max-iterations 40"},
		{"continue, at the last limit", func(l *loop.State) { l.MaxIterations, l.Iterations = 10000, 10000 }, goOn(loop.Turn{}),
			"the limit of 10000 iterations is reached", "a loop has at most 10000 iterations; " + anew},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newChat(t, tt.change).do(tt.event)
			if a.Kind != loop.Refuse || a.Why() != tt.why || a.Hint != tt.hint || a.Text != "" {
				t.Errorf("got %+v want %q, %q", a, tt.why, tt.hint)
			}
		})
	}
}

func TestTheTurnThatPassedWhilePausedIsNotLost(t *testing.T) {
	c := newChat(t)
	c.all(loop.Event{Kind: loop.EventPause}, stop(worked(marker)), loop.Event{Kind: loop.EventResume})
	if a := c.do(goOn(worked(marker))); c.l.Status != loop.PromiseAccepted || a.Promise != "accepted" {
		t.Errorf("got %s, %+v", c.l.Status, a)
	}
}

func TestContinueALiveLoop(t *testing.T) {
	handOver := stop(worked(working), sessionLimit(1))
	over := func(i int) outcome { return outcome{loop.Refuse, loop.PromiseAccepted, i} }
	atLimit := func(i int) outcome { return outcome{loop.Refuse, loop.MaxIterations, i} }
	play(t, []rule{
		{"the handed-over turn is counted", nil, []loop.Event{handOver, goOn(worked(working))}, goesOn(2), ""},
		{"by its words alone too", nil, []loop.Event{handOver, goOn(talked(working))}, goesOn(2), ""},
		{"by its tools alone too", nil, []loop.Event{handOver, goOn(worked())}, goesOn(2), ""},
		{"it is counted once", nil, []loop.Event{handOver, goOn(worked(working)), goOn(worked(working))}, goesOn(2), ""},
		{"it is counted once, with the turn that follows", nil, []loop.Event{handOver, goOn(worked(working)), stop(worked(working))}, goesOn(3), "none"},
		{"a turn of which nothing was seen is not counted", nil, []loop.Event{handOver, goOn(loop.Turn{})}, goesOn(1), ""},
		{"a turn that was not handed over is not counted", nil, []loop.Event{stop(worked(working)), goOn(worked(working))}, goesOn(1), ""},
		{"paused meanwhile it is counted", nil, []loop.Event{handOver, {Kind: loop.EventPause}, goOn(worked(working))}, goesOn(2), ""},
		{"its end seen it is not counted twice", nil, []loop.Event{handOver, handOver, goOn(worked(working))}, goesOn(3), ""},

		{"a promise in it ends the loop", nil, []loop.Event{handOver, goOn(worked(marker))}, over(2), "accepted"},
		{"a promise in it goes before the limit", atMost(2), []loop.Event{handOver, goOn(worked(marker))}, over(2), "accepted"},
		{"a promise that needs this iteration", atLeast(2), []loop.Event{handOver, goOn(worked(marker))}, over(2), "accepted"},
		{"a promise that is too early", atLeast(3), []loop.Event{handOver, goOn(worked(marker))}, goesOn(2), ""},
		{"a promise without work", needs(3, "reject"), []loop.Event{handOver, goOn(talked(marker))}, goesOn(2), ""},
		{"a promise that was noted", nil, []loop.Event{handOver, {Kind: loop.EventNote, Text: marker}, goOn(worked(working))}, over(2), "accepted"},
		{"a refused one does not count again", atLeast(3), []loop.Event{handOver, {Kind: loop.EventNote, Text: marker}, goOn(worked(working)), stop(worked(working))}, goesOn(3), "none"},
		{"a promise in a first turn whose end was not seen", nil, []loop.Event{{Kind: loop.EventMessage}, goOn(worked(marker))}, over(1), "accepted"},
		{"a promise in a turn whose end was not seen, too early", atLeast(2), []loop.Event{{Kind: loop.EventMessage}, goOn(worked(marker))}, goesOn(0), ""},
		{"a promise in a later turn whose end was not seen", atLeast(2), []loop.Event{stop(worked(working)), goOn(worked(marker))}, over(2), "accepted"},

		{"the limit is reached by it", atMost(2), []loop.Event{handOver, goOn(worked(working))}, atLimit(2), ""},
		{"the limit is reached by it and raised too little", nil, []loop.Event{handOver, goOn(worked(working), raised(2))}, outcome{loop.Refuse, loop.Waiting, 1}, ""},
		{"a promise in it goes before a limit that is too low", nil, []loop.Event{handOver, goOn(worked(marker), raised(1))}, over(2), "accepted"},
		{"the limit is reached by it and raised", atMost(2), []loop.Event{handOver, goOn(worked(working), raised(3))}, goesOn(2), ""},
		{"without it the limit is not reached", atMost(2), []loop.Event{handOver, goOn(loop.Turn{})}, goesOn(1), ""},
		{"the time is over", within(time.Second), []loop.Event{{Kind: loop.EventMessage}, goOn(worked(working))}, outcome{loop.Refuse, loop.MaxDuration, 0}, ""},
		{"the time is over and more is given", within(time.Second), []loop.Event{{Kind: loop.EventMessage}, goOn(worked(working), longer(time.Hour))}, goesOn(0), ""},
		{"the user's stop is taken back", func(l *loop.State) { l.Stop = true }, []loop.Event{goOn(loop.Turn{}), stop(worked(working))}, goesOn(1), "none"},
		{"an unknown status runs again", func(l *loop.State) { l.Status = "odd" }, []loop.Event{goOn(loop.Turn{})}, goesOn(0), ""},
		{"a session begins anew", func(l *loop.State) { l.SessionIterations = 4 }, []loop.Event{goOn(loop.Turn{}), stop(worked(working), sessionLimit(5))}, goesOn(1), "none"},
		{"a stop right after it is counted", nil, []loop.Event{stop(worked(working), loopCount(4), sessionLimit(6)), goOn(loop.Turn{}), stop(worked(working), sessionLimit(6))}, goesOn(2), "none"},
	})
}

func TestContinueLeavesNothingBehind(t *testing.T) {
	c := newChat(t)
	c.all(
		loop.Event{Kind: loop.EventNotice, Text: "a notice"},
		stop(worked(working), sessionLimit(1), generation("g")),
		loop.Event{Kind: loop.EventPause},
		loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c2"}},
		loop.Event{Kind: loop.EventNameTokens, Text: "c1:abc"},
	)
	if c.l.ContinueIn != "c2" || c.l.Token != "c1:abc" {
		t.Errorf("got continue in %q, token %q", c.l.ContinueIn, c.l.Token)
	}
	turn := worked(working)
	turn.Length, turn.IDs = 40, []string{"t"}
	a := c.do(goOn(turn, raised(30)))
	want := newLoop(func(l *loop.State) {
		l.Version, l.Iterations, l.ToolCalls, l.TokenGaps, l.MaxIterations = 1, 2, 2, 2, 30
		l.StartedAt, l.EventAt = began(), began().Add(50*time.Second)
		l.Pauses = loop.Pauses{Total: loop.Duration(30 * time.Second), Before: loop.Duration(30 * time.Second)}
		l.Journal = loop.Mark{Offset: 40, Tools: []string{"t"}}
		l.History, l.LastFollowup, l.LastStop = c.l.History, c.l.LastFollowup, c.l.LastStop
		l.Unknown = c.l.Unknown
	})
	if diff := cmp.Diff(want, c.l); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(c.l.History) != 2 || c.l.History[1].Action != "continued" || c.l.History[1].Number != 2 {
		t.Errorf("got history %+v", c.l.History)
	}
	if a.Why() != "continued" || !strings.HasPrefix(a.Text, "[Ralph loop 3/30] The user continues the loop in a new session.") {
		t.Errorf("got %+v", a)
	}
}

func TestContinueTellsWhyAPromiseWasRefused(t *testing.T) {
	c := newChat(t, atLeast(9))
	a := c.all(stop(worked(working), sessionLimit(1)), goOn(worked(marker)))
	if want := "[Ralph loop 3/20] Your promise was refused: this is iteration 2 and the loop runs for at least 9."; !strings.HasPrefix(a.Text, want) {
		t.Errorf("got %.120q want %q", a.Text, want)
	}
	if h := c.l.History[1]; h.Promise != "refused" || h.Refused == "" {
		t.Errorf("got %+v", h)
	}
}

func TestContinueAnEndedLoop(t *testing.T) {
	refused := func(s loop.Status, i int) outcome { return outcome{loop.Refuse, s, i} }
	ended := func(s loop.Status) func(*loop.State) {
		return func(l *loop.State) {
			l.Status, l.Iterations, l.EndedAt, l.Stop, l.StartedAt = s, 20, began(), true, began()
		}
	}
	early := func(s loop.Status) func(*loop.State) {
		return func(l *loop.State) { ended(s)(l); l.Iterations = 3 }
	}
	overtime := func(l *loop.State) {
		early(loop.MaxDuration)(l)
		l.MaxDuration, l.StartedAt = loop.Duration(time.Hour), began().Add(-2*time.Hour)
	}
	again := []loop.Event{goOn(talked(marker))}
	play(t, []rule{
		{"an accepted promise stays", early(loop.PromiseAccepted), []loop.Event{goOn(loop.Turn{}, raised(99))}, refused(loop.PromiseAccepted, 3), ""},
		{"a replaced one stays", early(loop.Replaced), []loop.Event{goOn(loop.Turn{}, raised(99))}, refused(loop.Replaced, 3), ""},
		{"a stopped one goes on", early(loop.UserStopped), again, goesOn(3), ""},
		{"a cancelled one goes on", early(loop.Cancelled), again, goesOn(3), ""},
		{"a blocked one goes on", early(loop.Blocked), again, goesOn(3), ""},
		{"a stopped one at its limit does not", ended(loop.UserStopped), again, refused(loop.UserStopped, 20), ""},
		{"a stopped one at its limit goes on with a higher one", ended(loop.UserStopped), []loop.Event{goOn(loop.Turn{}, raised(21))}, goesOn(20), ""},
		{"one at its limit stays", ended(loop.MaxIterations), again, refused(loop.MaxIterations, 20), ""},
		{"one at its limit stays with the same limit", ended(loop.MaxIterations), []loop.Event{goOn(loop.Turn{}, raised(20))}, refused(loop.MaxIterations, 20), ""},
		{"one at its limit goes on with a higher one", ended(loop.MaxIterations), []loop.Event{goOn(loop.Turn{}, raised(21))}, goesOn(20), ""},
		{"one at its limit stays with more time", ended(loop.MaxIterations), []loop.Event{goOn(loop.Turn{}, longer(time.Hour))}, refused(loop.MaxIterations, 20), ""},
		{"one out of time stays", overtime, again, refused(loop.MaxDuration, 3), ""},
		{"one out of time stays with more iterations", overtime, []loop.Event{goOn(loop.Turn{}, raised(99))}, refused(loop.MaxDuration, 3), ""},
		{"one out of time stays with too little more", overtime, []loop.Event{goOn(loop.Turn{}, longer(2*time.Hour))}, refused(loop.MaxDuration, 3), ""},
		{"one out of time goes on with more", overtime, []loop.Event{goOn(loop.Turn{}, longer(3*time.Hour))}, goesOn(3), ""},
		{"one that went on is counted on", early(loop.UserStopped), []loop.Event{goOn(loop.Turn{}), stop(worked(working))}, goesOn(4), "none"},
		{"one that went on ends at its new limit", ended(loop.MaxIterations), append([]loop.Event{goOn(loop.Turn{}, raised(22))}, repeat(2, stop(worked(working)))...), atMaximum(22), "none"},
	})
}

func TestALoopThatIsTakenUpAgainIsNotOverAnyMore(t *testing.T) {
	c := newChat(t)
	c.all(stop(worked(working)), stop(worked(working), status(loop.Aborted)))
	want := c.l
	c.do(goOn(loop.Turn{}))
	want.Status, want.Reason, want.Stop = loop.Running, "", false
	want.LastAnswer, want.Unchanged, want.Evident = "", 0, 0
	want.Pauses = loop.Pauses{Total: loop.Duration(10 * time.Second)}
	want.EndedAt, want.EventAt, want.LastStop.Past, want.SessionIterations = time.Time{}, began().Add(20*time.Second), true, 0
	want.Followup.Replaced = c.l.Followup.Replaced // the continuation took its place
	if diff := cmp.Diff(want, c.l); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestThereIsAlwaysALimit(t *testing.T) {
	c := newChat(t)
	if c.do(goOn(loop.Turn{}, raised(1<<40))); c.l.MaxIterations != loop.MaxMaxIterations {
		t.Errorf("got %d", c.l.MaxIterations)
	}
	next, _ := loop.Decide(newLoop(), goOn(loop.Turn{}, raised(1<<40)), began())
	if next.MaxIterations != loop.MaxMaxIterations {
		t.Errorf("got %d want %d", next.MaxIterations, loop.MaxMaxIterations)
	}
}

// What a refusal proposes must help.
func TestTheHintOfARefusalWorks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
	}{
		{"at the limit", func(l *loop.State) { l.MaxIterations, l.Iterations = 7, 7 }},
		{"past the limit", func(l *loop.State) { l.MaxIterations, l.Iterations = 7, 70 }},
		{"shortly before the last limit there is", func(l *loop.State) { l.MaxIterations, l.Iterations = 9999, 9999 }},
		{"after a little time", func(l *loop.State) {
			l.MaxDuration, l.StartedAt = loop.Duration(time.Minute), began().Add(-29*time.Minute)
		}},
		{"after more time than before", func(l *loop.State) {
			l.MaxDuration, l.StartedAt = loop.Duration(time.Hour), began().Add(-61*time.Minute)
		}},
		{"after much time", func(l *loop.State) {
			l.MaxDuration, l.StartedAt = loop.Duration(time.Second), began().Add(-29*time.Hour)
		}},
		{"just at its time", func(l *loop.State) { l.MaxDuration, l.StartedAt = loop.Duration(time.Hour), began().Add(-time.Hour) }},
		{"at both limits", func(l *loop.State) {
			l.MaxIterations, l.Iterations, l.MaxDuration, l.StartedAt = 7, 7, loop.Duration(time.Hour), began().Add(-time.Hour)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.change)
			hint := c.do(goOn(loop.Turn{})).Hint
			if a := c.do(hinted(t, hint)); a.Kind != loop.Followup {
				t.Errorf("got %+v after the hint %q", a, hint)
			}
		})
	}
}

// hinted is the continue that a hint proposes.
func hinted(t *testing.T, hint string) loop.Event {
	t.Helper()
	_, line, ok := strings.Cut(hint, "cursor-ralph continue k7f2m ")
	r, err := loop.ParseCommand("--continue c1 "+line, nil)
	if !ok || err != nil {
		t.Fatalf("got hint %q: %v", hint, err)
	}
	e := loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{MaxDuration: r.State.MaxDuration}}
	if r.Given("max-iterations") {
		e.MaxIterations = r.State.MaxIterations
	}
	return e
}

func TestContextIsDeliveredOnceAndInOrder(t *testing.T) {
	context := func(text string) loop.Event { return loop.Event{Kind: loop.EventContext, Text: text} }
	notice := loop.Event{Kind: loop.EventNotice, Text: "a notice"}
	turn := stop(worked(working))
	for _, tt := range []struct {
		name   string
		events []loop.Event
		want   string // what the last continuation has of it
	}{
		{"with the next continuation", []loop.Event{context("one"), turn}, "one"},
		{"in the order it came", []loop.Event{context("one"), context("two"), notice, context("three"), turn}, "one,two,three,a notice"},
		{"once", []loop.Event{context("one"), notice, turn, turn}, ""},
		{"once where our hook is installed twice", []loop.Event{context("one"), context("one"), notice, notice, turn}, "one,a notice"},
		{"again where the user says it again later", []loop.Event{context("one"), turn, context("one"), turn}, "one"},
		{"not by a paused stop, but afterwards", []loop.Event{context("one"), {Kind: loop.EventPause}, turn, {Kind: loop.EventResume}, turn}, "one"},
		{"not by a stop that failed, but by continue", []loop.Event{context("one"), stop(worked(), status(loop.Errored)), goOn(loop.Turn{})}, "one"},
		{"with a hand-over", []loop.Event{context("one"), stop(worked(working), sessionLimit(1))}, "one"},
		{"with a continue", []loop.Event{stop(worked(working), sessionLimit(1)), context("one"), notice, goOn(worked(working))}, "one,a notice"},
		{"not again after a continue", []loop.Event{context("one"), goOn(worked(working)), turn}, ""},
		{"with a stop that awaited a text", []loop.Event{context("one"), turn}, "one"},
		{"not lost when a limit ends the loop", []loop.Event{context("one"), goOn(loop.Turn{}, raised(1)), context("two"), turn, goOn(loop.Turn{}, raised(9))}, "two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			text := c.all(tt.events...).Text
			var got []string
			for line := range strings.Lines(text) {
				if item, ok := strings.CutPrefix(line, "- "); ok {
					got = append(got, strings.TrimSpace(item))
				}
			}
			if s := strings.Join(got, ","); s != tt.want || text == "" {
				t.Errorf("got %q want %q in %.60q", s, tt.want, text)
			}
			if c.l.Context != nil || c.l.Notices != nil {
				t.Errorf("got %q %q left", c.l.Context, c.l.Notices)
			}
		})
	}
}

func TestHistoryTellsWhereContextWasDelivered(t *testing.T) {
	context := func(text string) loop.Event { return loop.Event{Kind: loop.EventContext, Text: text} }
	c := newChat(t, atMost(3))
	c.all(
		context("first"), stop(worked(working)), // delivered by the stop
		context("second"), goOn(worked(working)), // by a continue, before the next stop
		stop(worked(working)),
		context("third"), stop(worked(working)), // by nothing: the limit
	)
	var got []string
	for _, h := range c.l.History {
		got = append(got, fmt.Sprint(h.Context))
	}
	if want := []string{"[first second]", "[]", "[]"}; !slices.Equal(got, want) {
		t.Errorf("got %q want %q", got, want)
	}
	c.do(goOn(loop.Turn{}, raised(4)))
	if got := fmt.Sprint(c.l.History[2].Context); got != "[third]" {
		t.Errorf("after continue: got %s", got)
	}
}

func TestWhatIsOnlyRemembered(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event loop.Event
		want  func(*loop.State)
	}{
		{"a note", loop.Event{Kind: loop.EventNote, Text: "half"}, func(l *loop.State) { l.LastOutput, l.Note = "half", "half" }},
		{"a confirmation", loop.Event{Kind: loop.EventConfirm}, func(l *loop.State) { l.Confirmed = true }},
		{"a confirmation, with the program's name", loop.Event{Kind: loop.EventConfirm, Text: "/opt/cursor-ralph"}, func(l *loop.State) { l.Confirmed, l.Program = true, "/opt/cursor-ralph" }},
		{"a typed line", loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c2"}}, func(l *loop.State) {
			l.ContinueIn, l.ContinueAt = "c2", l.EventAt.Add(10*time.Second)
		}},
		{"a printed token", loop.Event{Kind: loop.EventNameTokens, Text: "c1:f"}, func(l *loop.State) { l.Token = "c1:f" }},
		{"context", loop.Event{Kind: loop.EventContext, Text: "x"}, func(l *loop.State) { l.Context = []string{"x"} }},
		{"a notice", loop.Event{Kind: loop.EventNotice, Text: "x"}, func(l *loop.State) { l.Notices = []string{"x"} }},
		{"late text of a running loop, not at all", loop.Event{Kind: loop.EventLateText, Turn: worked(marker)}, func(*loop.State) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.do(stop(worked(working)))
			want := c.l
			tt.want(&want)
			want.EventAt = c.now
			if a := c.do(tt.event); a.Kind != "" || a.Reason != "" || a.Text != "" {
				t.Errorf("got %+v", a)
			}
			if diff := cmp.Diff(want, c.l); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestWhatEndsALoopAtOnce(t *testing.T) {
	for _, tt := range []struct {
		name        string
		event       loop.Event
		want        loop.Status
		reason, why string
	}{
		{"blocked", loop.Event{Kind: loop.EventBlocked, Text: "no key"}, loop.Blocked, "no key", "blocked: no key"},
		{"cancelled", loop.Event{Kind: loop.EventCancel}, loop.Cancelled, "cancelled by the user", "cancelled by the user"},
		{"replaced", loop.Event{Kind: loop.EventReplace}, loop.Replaced, "replaced by another loop in this conversation", "replaced by another loop in this conversation"},
	} {
		for _, from := range statuses() {
			t.Run(tt.name+" from "+string(from), func(t *testing.T) {
				c := newChat(t, func(l *loop.State) { l.Status, l.PauseReason, l.Reason = from, "user", "before" })
				a := c.do(tt.event)
				want := [3]string{string(tt.want), tt.reason, tt.why}
				if from.Ended() {
					want = [3]string{string(from), "before", ""}
				}
				if got := [3]string{string(c.l.Status), c.l.Reason, a.Why()}; got != want || a.Kind != loop.Rest {
					t.Errorf("got %q want %q", got, want)
				}
				if !from.Ended() && (!c.l.EndedAt.Equal(began()) || c.l.PauseReason != "") {
					t.Errorf("got ended %s, pause reason %q", c.l.EndedAt, c.l.PauseReason)
				}
			})
		}
	}
}

// An ended loop remembers where it is to be continued, and nothing else.
func TestAnEndedLoopRemembersWhereToGo(t *testing.T) {
	c := newChat(t)
	c.do(stop(worked(marker)))
	want := c.l
	c.all(
		loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c2"}}, loop.Event{Kind: loop.EventNameTokens, Text: "c1:f"},
		loop.Event{Kind: loop.EventNote, Text: "x"}, loop.Event{Kind: loop.EventContext, Text: "x"},
		loop.Event{Kind: loop.EventMessage, Text: "x"}, loop.Event{Kind: loop.EventConfirm}, stop(worked(working)),
	)
	want.ContinueIn, want.ContinueAt, want.Token = "c2", want.EventAt.Add(10*time.Second), "c1:f"
	if diff := cmp.Diff(want, c.l); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestANewLimitThatIsReachedAlreadyChangesNothing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event loop.Event
	}{
		{"iterations", loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{MaxIterations: 1}}},
		{"time", loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{MaxDuration: loop.Duration(time.Second)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.all(stop(worked(working)), stop(worked(working)))
			want := c.l
			a := c.do(tt.event)
			if a.Kind != loop.Refuse || a.Hint == "" {
				t.Errorf("got %+v", a)
			}
			want.EventAt = c.l.EventAt
			if diff := cmp.Diff(want, c.l); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestContinueAwayFromTheChatDeliversNothing(t *testing.T) {
	c := newChat(t)
	a := c.all(stop(worked(working)), loop.Event{Kind: loop.EventContext, Text: "port 5433"}, loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{Idle: true}})
	if a.Kind != loop.Rest || c.l.Status != loop.Waiting || len(c.l.Context) != 1 {
		t.Errorf("got %+v, status %s, context %q", a, c.l.Status, c.l.Context)
	}
	if a := c.do(loop.Event{Kind: loop.EventContinue}); !strings.Contains(a.Text, "port 5433") || c.l.Status != loop.Running {
		t.Errorf("got %+v, status %s", a, c.l.Status)
	}
}

func TestATypedLineIsForgotten(t *testing.T) {
	typed := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c2"}}
	c := newChat(t)
	c.do(typed)
	if got := c.l.TypedIn(c.now); got != "c2" {
		t.Errorf("got %q, want c2", got)
	}
	for _, at := range []time.Duration{2 * time.Minute, -2 * time.Minute} {
		if got := c.l.TypedIn(began().Add(at)); got != "c2" {
			t.Errorf("got %q after %s, want c2", got, at)
		}
		if got := c.l.TypedIn(began().Add(at + at/1000)); got != "" {
			t.Errorf("got %q after more than %s", got, at)
		}
	}
	untyped := newLoop()
	if got := untyped.TypedIn(began()); got != "" {
		t.Errorf("got %q where nothing was typed", got)
	}
	if c.do(stop(worked(working))); c.l.TypedIn(c.now) != "" {
		t.Error("a stop did not forget it")
	}
}

// TestTheLineAfterOneThatCrossedACancel: the refusal has the user send it. A second report
// of the first line is no other line.
func TestTheLineAfterOneThatCrossedACancel(t *testing.T) {
	typed := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}
	c := newChat(t)
	c.all(atSessionLimit(loop.TypingPossible, working), loop.Event{Kind: loop.EventCancel})
	for _, line := range []struct {
		after time.Duration
		want  loop.ActionKind
	}{{0, loop.Refuse}, {-9 * time.Second, loop.Refuse}, {0, loop.Rest}} {
		c.now = c.now.Add(line.after)
		if a := c.do(typed); a.Kind != line.want {
			t.Errorf("got %q, want %q", a.Kind, line.want)
		}
	}
	if c.do(goOn(loop.Turn{})); c.l.Status != loop.Running {
		t.Errorf("got %s, want it to go on", c.l.Status)
	}
}

// A cancel and our own line may cross: only a line that the user sends later undoes the
// cancel.
func TestALineThatCrossesACancelDoesNotUndoIt(t *testing.T) {
	for _, tt := range []struct {
		name  string
		after time.Duration
		want  loop.Status
	}{
		{"at once", time.Second, loop.Cancelled},
		{"when Cursor's queue got to it", time.Minute, loop.Cancelled},
		{"much later it is the user's", time.Hour, loop.Running},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.all(atSessionLimit(loop.TypingPossible, working), loop.Event{Kind: loop.EventCancel})
			c.now = c.now.Add(tt.after)
			if c.do(goOn(loop.Turn{})); c.l.Status != tt.want {
				t.Errorf("got %s, want %s", c.l.Status, tt.want)
			}
		})
	}
	c := newChat(t)
	c.all(stop(worked(working)), loop.Event{Kind: loop.EventCancel})
	if c.do(goOn(loop.Turn{})); c.l.Status != loop.Running {
		t.Errorf("got %s, want it to go on: no line was on its way", c.l.Status)
	}
}
