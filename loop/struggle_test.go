package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// inTree is a turn that leaves a git work tree so.
func inTree(print string, t loop.Turn) loop.Event {
	return stop(t, func(e *loop.Event) { e.Tree = loop.Tree{Root: "/w", Head: "h" + print[:1], Print: print} })
}

// edits is a turn with edit events, outside git.
func edits(print string, texts ...string) loop.Event {
	t := worked(texts...)
	t.Files = []string{"/w/a"}
	return stop(t, func(e *loop.Event) { e.Tree = loop.Tree{Print: print} })
}

func fails(line string) loop.Event {
	t := worked(working + line)
	t.Errors = []string{line}
	return stop(t)
}

func begunAt(print string) func(*loop.State) {
	return func(l *loop.State) { l.Tree = loop.Tree{Root: "/w", Print: print} }
}

func pauseAfter(n int) func(*loop.State) { return func(l *loop.State) { l.StrugglePause = n } }

const stuckHint = "You seem to be stuck: "

func TestStruggle(t *testing.T) {
	ask := func(n int) loop.Event { return stop(talked(fmt.Sprint("Which one? ", n))) }
	read := func(n int) loop.Event { return stop(worked(fmt.Sprint("I have read ", n))) }
	play := func(change func(*loop.State), events ...loop.Event) string {
		c := newChat(t, change)
		return c.all(events...).Text
	}
	for _, tt := range []struct {
		name string
		text string
		hint string // nothing for none
	}{
		{"three trees that are the same", play(begunAt("a"), inTree("a", worked("1")), inTree("a", worked("2")), inTree("a", worked("3"))), "3 iterations in a row have changed nothing"},
		{"two are not enough", play(begunAt("a"), inTree("a", worked("1")), inTree("a", worked("2"))), ""},
		{"a change starts the count again", play(begunAt("a"), inTree("a", worked("1")), inTree("a", worked("2")), inTree("b", worked("3")), inTree("b", worked("4"))), ""},
		{"a commit is a change", play(begunAt("a"), inTree("a", worked("1")), inTree("a", worked("2")), inTree("commit", worked("3"))), ""},
		{"only new trees", play(begunAt("a"), inTree("b", worked("1")), inTree("c", worked("2")), inTree("d", worked("3")), inTree("e", worked("4"))), ""},
		{"edits outside git", play(nil, edits("1"), edits("2"), edits("3"), edits("4")), ""},
		{"edits that change nothing", play(nil, edits("1"), edits("1"), edits("1"), edits("1")), "3 iterations"},
		{"nothing but reading", play(nil, read(1), read(2), read(3)), "3 iterations"},
		{"nothing that could tell", play(nil, ask(1), ask(2), ask(3)), "3 iterations"},
		{"the same error twice", play(nil, edits("1"), fails("E1"), edits("2"), fails("E1")), "the same error came again: E1"},
		{"other errors", play(nil, edits("1"), fails("E1"), edits("2"), fails("E2")), ""},
		{"an error of long ago", play(nil, edits("1"), fails("E1"), edits("2"), edits("3"), edits("4"), fails("E1")), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, hint, found := strings.Cut(tt.text, stuckHint)
			if found != (tt.hint != "") || !strings.HasPrefix(hint, tt.hint) {
				t.Errorf("got %q, want the hint %q", tt.text, tt.hint)
			}
		})
	}
}

func TestTheBreaker(t *testing.T) {
	read := stop(worked(working))
	wonder := func(n int) loop.Event { return stop(talked(fmt.Sprint("Hm ", n))) }
	play(t, []rule{
		{"it is off unless asked for", nil, repeat(9, read), goesOn(9), "none"},
		{"it pauses", pauseAfter(4), repeat(4, read), pausedAt(4), "none"},
		{"not before", pauseAfter(4), repeat(3, read), goesOn(3), "none"},
		{"a change starts the count again", pauseAfter(3), append(repeat(2, read), edits("1"), read, read), goesOn(5), "none"},
		{"turns that nothing could tell about do not count", pauseAfter(2), []loop.Event{wonder(1), wonder(2), wonder(3), wonder(4)}, goesOn(4), "none"},
		{"the same answer again is evidence", pauseAfter(2), []loop.Event{wonder(1), wonder(1), wonder(1)}, pausedAt(3), "none"},
		{"an honest promise ends the loop all the same", pauseAfter(2), []loop.Event{read, stop(worked(marker))}, accepted(2), "accepted"},
		{"the limit comes first", func(l *loop.State) { l.StrugglePause, l.MaxIterations = 2, 2 }, []loop.Event{read, read}, atMaximum(2), "none"},
		{"a promise in the turn after the hint", nil, append(repeat(5, read), stop(worked(marker))), accepted(6), "accepted"},
		{"resumed, it begins anew", pauseAfter(2), []loop.Event{read, read, {Kind: loop.EventResume}, read}, goesOn(3), "none"},
	})
}

func TestAStruggleIsRecordedAndToldToTheUser(t *testing.T) {
	c := newChat(t, pauseAfter(3))
	a := c.all(repeat(3, stop(worked(working)))...)
	last := c.l.History[2]
	if c.l.PauseReason != "struggling" || !c.l.Idle || a.Why() != c.l.Reason || !strings.HasPrefix(c.l.Reason, "STRUGGLING: 3 iterations") {
		t.Errorf("got %+v, reason %q, paused because of %q", a, c.l.Reason, c.l.PauseReason)
	}
	if last.Action != "pause" || last.Progress != "no" || last.Struggle == "" || c.l.Struggle == "" {
		t.Errorf("got %+v", last)
	}
	c.do(loop.Event{Kind: loop.EventContinue})
	if c.l.Struggle != "" || c.l.Status != loop.Running {
		t.Errorf("continued: got %s, struggle %q", c.l.Status, c.l.Struggle)
	}
}

func TestWhichFilesATurnChanged(t *testing.T) {
	tree := func(print string, files loop.Contents) loop.Tree {
		return loop.Tree{Root: "/w", Print: print, Files: files}
	}
	c := newChat(t, func(l *loop.State) {
		l.Tree = tree("1", loop.Contents{"/w/same": "1", "/w/other": "1", "/w/gone": "1"})
	})
	e := stop(loop.Turn{Files: []string{"/elsewhere", "/w/other"}})
	e.Tree, e.Committed = tree("2", loop.Contents{"/w/same": "1", "/w/other": "2", "/w/new": "1"}), []string{"/w/gone", "/w/done"}
	c.do(e)
	want := "[/elsewhere /w/done /w/gone /w/new /w/other]"
	if got := fmt.Sprint(c.l.History[0].Files); got != want || c.l.History[0].Progress != "yes" {
		t.Errorf("got %s, progress %q, want %s", got, c.l.History[0].Progress, want)
	}
	if c.l.Tree.Print != "2" {
		t.Errorf("got tree %+v", c.l.Tree)
	}
}
