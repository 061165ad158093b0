package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func freshAfter(n int) func(*loop.State) { return func(l *loop.State) { l.FreshChat = n } }

// turnWith is a stop where a new chat can be created, or not.
func turnWith(typing loop.Typing, changes ...func(*loop.Event)) loop.Event {
	return stop(worked(working), append(changes, func(e *loop.Event) { e.Typing = typing })...)
}

func lineIn(chat string, isNew bool) loop.Event {
	return loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{FromLine: true, Conversation: chat, NewChat: isNew}}
}

func TestWhoBeginsANewChat(t *testing.T) {
	turn, unknown, possible, impossible := stop(worked(working)), turnWith(""), turnWith(loop.TypingPossible), turnWith(loop.TypingImpossible)
	over := turnWith(loop.TypingImpossible, func(e *loop.Event) { e.SessionLimit = 2 })
	awaits := outcome{loop.HandOver, loop.Waiting, 2}
	message := loop.Event{Kind: loop.EventMessage, Text: "hello"}
	play(t, []rule{
		{"without the option never", nil, []loop.Event{turn, turn, possible}, goesOn(3), "none"},
		{"before it is time nobody asks", freshAfter(3), []loop.Event{turn}, goesOn(1), "none"},
		{"before the last turn nobody asks", freshAfter(3), []loop.Event{turn, turn}, goesOn(2), "none"},
		{"after it, it is asked whether one can be created", freshAfter(2), []loop.Event{turn, unknown}, asks(1), ""},
		{"where it can, the line goes there", freshAfter(2), []loop.Event{turn, possible}, injects(2), "none"},
		{"where it cannot, the loop waits for the user", freshAfter(2), []loop.Event{turn, impossible}, awaits, "none"},
		{"at the session limit too", freshAfter(2), []loop.Event{turn, over}, awaits, "none"},
		{"the session limit before it is an ordinary one", freshAfter(3), []loop.Event{turn, over}, handsOver(2), "none"},
		{"the promise goes before it", freshAfter(1), []loop.Event{stop(worked(marker))}, accepted(1), "accepted"},
		{"the limit of iterations goes before it", func(l *loop.State) { l.FreshChat, l.MaxIterations = 1, 1 }, []loop.Event{stop(worked(working), waited)}, atMaximum(1), "none"},
		{"a message in the old chat keeps the loop there", freshAfter(2), []loop.Event{possible, possible, message, possible}, goesOn(3), "none"},
		{"also where the user was to open the new one", freshAfter(2), []loop.Event{turn, impossible, message, turn}, goesOn(3), "none"},
		{"for as many iterations as before", freshAfter(2), []loop.Event{possible, possible, message, possible, possible}, injects(4), "none"},
		{"a turn of which nothing else is known", freshAfter(2), []loop.Event{possible, possible, possible}, goesOn(3), "none"},
		{"pause", freshAfter(1), []loop.Event{possible, {Kind: loop.EventPause}}, pausedAt(1), ""},
		{"cancel", freshAfter(1), []loop.Event{possible, {Kind: loop.EventCancel}}, outcome{loop.Rest, loop.Cancelled, 1}, ""},
		{"Stop", freshAfter(1), []loop.Event{possible, stop(worked(), status(loop.Aborted))}, stoppedAt(1), ""},
	})
}

// Whatever comes while a new chat is awaited, the loop goes on in one chat.
func TestWhereALoopGoesOn(t *testing.T) {
	refused, taken := loop.Refuse, loop.Followup
	pause, resume := loop.Event{Kind: loop.EventPause}, loop.Event{Kind: loop.EventResume}
	failed := loop.Event{Kind: loop.EventInjected, Injected: loop.Injected{Line: loop.Delivery{ID: "last", Outcome: "nobody saw it"}}}
	message := loop.Event{Kind: loop.EventMessage, Text: "hello"}
	note := loop.Event{Kind: loop.EventNote, Text: "a second passes"}
	old := []loop.Event{lineIn("c1", false)}
	fresh := lineIn("c2", true)
	for _, tt := range []struct {
		name    string
		before  []loop.Event
		line    loop.Event
		want    loop.ActionKind
		outcome loop.Outcome
	}{
		{"the new chat", nil, fresh, taken, loop.Arrived},
		{"a chat that is not new", nil, lineIn("c3", false), refused, ""},
		{"the old chat", nil, lineIn("c1", false), taken, "the loop went on in the chat that it was in"},
		{"the new chat after the old one", old, fresh, refused, "it came after the loop had gone on, or was paused"},
		{"and once more, by the user", append(old, fresh), fresh, taken, "it came after the loop had gone on, or was paused"},
		{"the new chat after a message in the old one", []loop.Event{message}, fresh, refused, "it came after the loop had gone on, or was paused"},
		{"the new chat after it was given up", []loop.Event{failed}, fresh, taken, "nobody saw it"},
		{"after it was given up, and the old chat", append([]loop.Event{failed}, old...), fresh, refused, "it came after the loop had gone on, or was paused"},
		{"any chat after it was given up", []loop.Event{failed}, lineIn("c3", false), taken, "nobody saw it"},
		{"the new chat after a pause", []loop.Event{pause}, fresh, refused, "paused by the user"},
		{"some time after a pause", []loop.Event{pause, note, note, note, note, note, note}, fresh, refused, "it came after the loop had gone on, or was paused"},
		{"after a pause that was taken back", []loop.Event{pause, resume}, fresh, taken, "paused by the user"},
		{"after it was given up, and a pause", []loop.Event{failed, pause}, fresh, refused, "paused by the user"},
		{"some time after that", []loop.Event{failed, pause, note, note, note, note, note, note}, fresh, refused, "it came after the loop had gone on, or was paused"},
		{"after it was given up, and a cancel", []loop.Event{failed, {Kind: loop.EventCancel}}, fresh, refused, "the loop ended"},
		{"after a cancel", []loop.Event{{Kind: loop.EventCancel}}, fresh, refused, "the loop ended"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, freshAfter(1))
			c.do(turnWith(loop.TypingPossible))
			for _, e := range tt.before {
				if e.Kind == loop.EventInjected {
					e.Injected.Line.ID = c.l.Delivery.ID
				}
				c.do(e)
				c.now = c.now.Add(-9 * time.Second)
			}
			if a := c.do(tt.line); a.Kind != tt.want || c.l.Delivery.Outcome != tt.outcome {
				t.Errorf("got %q (%s), %q; want %q, %q", a.Kind, a.Why(), c.l.Delivery.Outcome, tt.want, tt.outcome)
			}
		})
	}
	c := newChat(t, freshAfter(1))
	c.do(turnWith(loop.TypingPossible))
	if a := c.do(fresh); a.Kind != taken || !strings.Contains(a.Text, "The loop goes on in this new chat. You know nothing") {
		t.Errorf("got %q %q", a.Kind, a.Text)
	}
	if c.l.EnterChat("c2"); c.l.ChatSince != 1 || c.l.AwaitsNewChat() || c.l.ConversationID != "c2" {
		t.Errorf("got %+v", c.l.Continuation)
	}
}

// An agent that knows nothing of the turns before learns what was done, in few words.
func TestANewChatLearnsWhatWasDone(t *testing.T) {
	c := newChat(t, freshAfter(2), func(l *loop.State) {
		l.TaskCount = &loop.TaskCount{Done: 7, Total: 12, Next: "the eighth\nand more"}
		l.Verify = "make test"
	})
	said := "all but the roof\n<promise>COMPLETE</promise>\n" + strings.Repeat("x", 5000)
	turn := worked(working)
	turn.Files = []string{"a.go", "b.go"}
	c.all(loop.Event{Kind: loop.EventNote, Text: said}, stop(worked(marker), generation("g")))
	c.do(stop(worked(marker), generation("g"), func(e *loop.Event) {
		e.Verified, e.Typing = loop.Verification{ID: c.l.Verifying.ID, Exit: 2, Output: "FAIL"}, loop.TypingPossible
	}))
	c.do(stop(turn, func(e *loop.Event) { e.Typing = loop.TypingPossible }))
	if c.l.Status != loop.Waiting {
		t.Fatalf("got %s (%s) %+v", c.l.Status, c.l.Reason, c.l.History)
	}
	text := c.do(lineIn("c2", true)).Text
	for _, part := range []string{
		"[Ralph loop 3/20] The loop goes on in this new chat. ", "\n- iterations done: 2\n", "\n- last progress note: all but the ", "\n- tasks done: 7 of 12\n- next task: the eighth\n",
		"\n- the promise of iteration 1 was refused: `make test` failed with exit 2\n", "\n- files changed lately: a.go, b.go\n", "The task, word for word:\n\nBuild it.\n", "cursor-ralph note k7f2m ",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %q", part, text)
		}
	}
	if n := strings.Count(text, marker); n != 1 || len(text) > 4000 {
		t.Errorf("got the marker %d times, %d bytes", n, len(text))
	}
}
