package state_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func TestFieldsNobodyKnowsSurvive(t *testing.T) {
	unknown := map[string]any{"mine": map[string]any{"deep": []any{1.5, "<&>", nil}}, "Other_Tool": "x", "z": 123456789012345678}
	check := func(t *testing.T, what, path string) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for name, value := range unknown {
			want, _ := json.Marshal(value)
			var g, v any
			if json.Unmarshal(got[name], &g) != nil || json.Unmarshal(want, &v) != nil || !cmp.Equal(g, v) {
				t.Errorf("%s: %s: got %s, want %s", what, name, got[name], want)
			}
		}
		if !strings.Contains(string(got["z"]), "123456789012345678") {
			t.Errorf("%s: got the number %s, want it digit by digit", what, got["z"])
		}
	}
	w := newWorld(t)
	w.live(me, with("a", unknown))
	for _, e := range []loop.Event{
		{}, {Kind: loop.EventContext, Text: "hint"}, {Kind: loop.EventNote, Text: "progress"}, {Kind: loop.EventMessage, Text: "hello"},
		w.stopEvent(), {Kind: loop.EventPause}, {Kind: loop.EventResume}, {Kind: loop.EventContinue},
	} {
		w.apply(me, e)
		check(t, "after "+string(e.Kind), w.places.Live(me))
	}
	check(t, "the copy", w.record(me))
	w.must(w.store.Move(w.context(), me, other))
	check(t, "moved", w.places.Live(other))
	w.apply(other, loop.Event{Kind: loop.EventBlocked, Text: "no key"})
	check(t, "archived", w.record(other))
	w.apply(other, loop.Event{Kind: loop.EventContinue})
	check(t, "revived", w.places.Live(other))
	w.apply(other, loop.Event{Kind: loop.EventCancel})
	w.begun(other, "b")
	older, err := filepath.Glob(w.record(other + "~*"))
	w.must(err)
	if len(older) != 1 {
		t.Fatalf("got the older records %q, want one", older)
	}
	check(t, "an older record", older[0])
}

func TestNewerVersionIsLeftAlone(t *testing.T) {
	for what, content := range map[string]string{
		"with our types":  with("a", map[string]any{"version": 2, "status": "dreaming"}),
		"of other types":  `{"version": 3, "prompt": {"text": "a"}, "iterations": "many"}`,
		"that has ended":  with("a", map[string]any{"version": 2, "status": "CANCELLED"}),
		"without a task ": `{"version": 2}`,
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			w.live(me, content)
			w.write(w.record(me), content)
			before := w.files()
			for _, kind := range everyEvent() {
				if _, _, err := w.store.Apply(w.context(), me, loop.Event{Kind: kind}); !errors.Is(err, loop.ErrNewer) {
					t.Errorf("%s: got %v, want that it is newer", kind, err)
				}
			}
			if _, err := w.store.Read(me); !errors.Is(err, loop.ErrNewer) {
				t.Errorf("read: got %v, want that it is newer", err)
			}
			err := w.store.Claim(w.context(), me, func(string) error { t.Error("claimed over it"); return nil })
			if !errors.Is(err, loop.ErrNewer) {
				t.Errorf("claim: got %v, want that it is newer", err)
			}
			for _, pair := range [][2]string{{me, other}, {other, me}} {
				if err := w.store.Move(w.context(), pair[0], pair[1]); err == nil {
					t.Error("move: got no error")
				}
			}
			if live, problems := w.store.List(); len(live) != 0 || len(problems) != 1 {
				t.Errorf("list: got %v and %v, want one problem", live, problems)
			}
			if diff := cmp.Diff(before, w.files()); diff != "" {
				t.Errorf("got other files (-before +after):\n%s", diff)
			}
		})
	}
}

func everyEvent() []loop.EventKind {
	return []loop.EventKind{
		"", loop.EventStop, loop.EventMessage, loop.EventTyped, loop.EventLateText, loop.EventContinue, loop.EventPause,
		loop.EventResume, loop.EventCancel, loop.EventContext, loop.EventNotice, loop.EventNote, loop.EventBlocked,
		loop.EventReplace, loop.EventConfirm, loop.EventNameTokens, "no such event",
	}
}

func TestCorruptFileIsMovedAsideAndNotLost(t *testing.T) {
	for what, content := range map[string]string{
		"empty": "", "truncated": seven("a")[:40], "not JSON": "hello", "no object": "[]", "null": "null", "no task": "{}",
		"the wrong type": `{"prompt": 1}`, "binary": "\x00\x01\xff", "deep": strings.Repeat(`{"a":`, 20000), "two": seven("a") + seven("b"),
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			w.live(me, content)
			_, _, err := w.store.Apply(w.context(), me, w.stopEvent())
			var corrupt *state.CorruptError
			if !errors.As(err, &corrupt) {
				t.Fatalf("got %v, want that it is corrupt", err)
			}
			if got, err := os.ReadFile(corrupt.Aside); string(got) != content || err != nil {
				t.Errorf("got %q, %v aside, want it unchanged", got, err)
			}
			if dir := filepath.Dir(corrupt.Aside); dir != w.places.Base || !strings.Contains(corrupt.Aside, ".corrupt-") {
				t.Errorf("got it moved to %s, want the same folder", corrupt.Aside)
			}
			if errors.Is(err, fs.ErrNotExist) {
				t.Error("corrupt counts as missing")
			}
			if _, _, err := w.store.Apply(w.context(), me, w.stopEvent()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the next time: got %v, want fs.ErrNotExist", err)
			}
			w.begun(me, "next")
			w.live(me, content)
			if _, _, err := w.store.Apply(w.context(), me, w.stopEvent()); !errors.As(err, &corrupt) {
				t.Fatalf("got %v, want that it is corrupt again", err)
			}
			aside, err := filepath.Glob(w.places.Live(me) + ".corrupt-*")
			w.must(err)
			if len(aside) != 2 {
				t.Errorf("got %q, want two files aside", aside)
			}
		})
	}
}

func TestCorruptFileKeepsNobodyFromTheNextClaim(t *testing.T) {
	w := newWorld(t)
	w.live(me, "{")
	take := func(live string) error { return os.WriteFile(live, []byte(seven("next")), 0o600) }
	var corrupt *state.CorruptError
	if err := w.store.Claim(w.context(), me, take); !errors.As(err, &corrupt) {
		t.Errorf("got %v, want that it is corrupt", err)
	}
	w.must(w.store.Claim(w.context(), me, take))
	if got := w.read(me).Prompt; got != "next" {
		t.Errorf("got %q, want the next loop", got)
	}
}

func TestListTellsWhatCannotBeReadAndLeavesIt(t *testing.T) {
	w := newWorld(t)
	w.begun("chat-1", "one")
	w.begun("chat-2", "two")
	w.live("broken", "{")
	w.live("over", with("three", map[string]any{"status": "CANCELLED"}))
	w.write(filepath.Join(w.places.Base, "cursor-ralph-loop-.hidden.json"), seven("x"))
	w.write(filepath.Join(w.places.Base, "cursor-ralph-loop-a b.json"), seven("x"))
	w.write(filepath.Join(w.places.Base, "cursor-ralph-loop-chat-3.json.corrupt-1"), seven("x"))
	w.write(filepath.Join(w.places.Base, "other-loop-chat-4.json"), seven("x"))
	before := w.files()
	live, problems := w.store.List()
	var got []string
	for _, l := range live {
		got = append(got, l.ConversationID+" "+l.Prompt)
	}
	if diff := cmp.Diff([]string{"chat-1 one", "chat-2 two"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "broken") {
		t.Errorf("got the problems %v, want that of the broken file", problems)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

func TestHostileIDsTouchNothing(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.write(filepath.Join(w.places.Base, "x.json"), seven("x"))
	w.write(filepath.Join(w.places.Archive, "..json"), seven("x"))
	before := w.files()
	for _, id := range []string{
		"", ".", "..", ".x", "../x", "../../x", "a/b", `a\b`, "/etc/passwd", "a\nb", "a\x00", `a"`, "a'", "a b", "a~1", "*", "ä", "a\x1b[", "%2e",
		"$(id)", strings.Repeat("a", 129), strings.Repeat("a", 1<<20),
	} {
		do := map[string]func() error{
			"Read":     func() error { _, err := w.store.Read(id); return err },
			"Archived": func() error { _, err := w.store.Archived(id); return err },
			"Claim": func() error {
				return w.store.Claim(w.context(), id, func(string) error { t.Errorf("%q: claimed", id); return nil })
			},
			"Move from": func() error { return w.store.Move(w.context(), id, other) },
			"Move to":   func() error { return w.store.Move(w.context(), me, id) },
		}
		for _, kind := range everyEvent() {
			do["Apply "+string(kind)] = func() error {
				_, _, err := w.store.Apply(w.context(), id, loop.Event{Kind: kind})
				return err
			}
		}
		if id != "" {
			do["Put"] = func() error {
				return w.store.Put(w.context(), loop.State{Contract: loop.Contract{Prompt: "x"}, ConversationID: id, Status: loop.Cancelled})
			}
		}
		for name, f := range do {
			if err := f(); err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s of %.40q: got %v, want a refusal", name, id, err)
			}
		}
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

func TestEventsWithoutALoop(t *testing.T) {
	w := newWorld(t)
	for _, kind := range everyEvent() {
		if _, _, err := w.store.Apply(w.context(), me, loop.Event{Kind: kind}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want fs.ErrNotExist", kind, err)
		}
	}
	if has, err := w.store.Has(me); has || err != nil {
		t.Errorf("got %v, %v, want no loop", has, err)
	}
	if got := w.files(); len(got) != 0 {
		t.Errorf("got the files %v, want none", got)
	}
}

func TestUnchangedLoopIsNotWritten(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	first, err := os.Stat(w.places.Live(me))
	w.must(err)
	w.apply(me, loop.Event{}) // at the same time of the clock
	second, err := os.Stat(w.places.Live(me))
	w.must(err)
	if !os.SameFile(first, second) {
		t.Error("the file was replaced by one with the same content")
	}
}

// TestStopThatAwaitsTextChangesNothing: the hook asks again every moment.
func TestStopThatAwaitsTextChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.must(w.store.Claim(w.context(), me, func(live string) error {
		return os.WriteFile(live, []byte(with("a", map[string]any{"max_iterations": 1})), 0o600)
	}))
	e := w.stopEvent()
	e.Waited = false
	before := w.files()
	for range 3 {
		if _, action := w.apply(me, e); action.Kind != loop.AwaitText {
			t.Fatalf("got %q, want that the text is waited for", action.Kind)
		}
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordText, Text: "done <promise>COMPLETE</promise>"}))
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, ID: "1"}))
	if l, _ := w.apply(me, e); l.Status != loop.PromiseAccepted || l.Iterations != 1 {
		t.Errorf("got %s at iteration %d, want the promise that came meanwhile", l.Status, l.Iterations)
	}
}

func TestJournalIsFoldedOnce(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	for stop := range 4 {
		for i := range stop {
			w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, Tool: "Write", ID: fmt.Sprint(stop, "-", i)}))
		}
		l, _ := w.stop(me)
		if got := l.History[stop].Tools["Write"]; got != stop {
			t.Errorf("stop %d: got %d tool calls, want %d", stop, got, stop)
		}
	}
	if got := w.read(me).ToolCalls; got != 6 {
		t.Errorf("got %d tool calls, want 6", got)
	}
}

func TestJournalThatWasClearedOrTornIsNoLoss(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	tool := func(id string) { w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, ID: id})) }
	tool("1")
	w.stop(me)
	w.must(os.Remove(w.places.Journal(me)))
	w.stop(me)
	tool("2")
	w.stop(me)
	f, err := os.OpenFile(w.places.Journal(me), os.O_WRONLY|os.O_APPEND, 0)
	w.must(err)
	_, err = f.WriteString("\n{\"e\":\"tool\",\"id\":\"torn by a ki")
	w.must(errors.Join(err, f.Close()))
	w.stop(me)
	tool("3")
	if l, _ := w.stop(me); l.ToolCalls != 3 {
		t.Errorf("got %d tool calls, want 3", l.ToolCalls)
	}
}

// TestJournalThatIsBegunAnewIsReadFromItsBeginning: however long it is, and
// though its lines are as long as those of the one before.
func TestJournalThatIsBegunAnewIsReadFromItsBeginning(t *testing.T) {
	for calls := 1; calls < 8; calls++ {
		w := newWorld(t)
		w.begun(me, "a")
		tools := func(turn, n int) {
			for i := range n {
				w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, ID: fmt.Sprint(turn, "-", i)}))
			}
		}
		tools(1, 1)
		w.stop(me)
		tools(2, 2)
		w.stop(me)
		w.must(os.Remove(w.places.Journal(me)))
		tools(3, calls)
		w.stop(me)
		tools(4, 1)
		if l, _ := w.stop(me); l.ToolCalls != 3+calls+1 {
			t.Errorf("%d calls after it was removed: got %d tool calls, want %d", calls, l.ToolCalls, 3+calls+1)
		}
	}
}

// TestJournalOfTheLastLoopIsNotTheNextOnes: it may have been left by a kill,
// with a promise in it.
func TestJournalOfTheLastLoopIsNotTheNextOnes(t *testing.T) {
	w := newWorld(t)
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordText, Text: "<promise>COMPLETE</promise>"}))
	w.begun(me, "a")
	if l, _ := w.stop(me); l.Status != loop.Running {
		t.Errorf("got %s, want a loop that runs", l.Status)
	}
}

// TestNextLoopSweepsWhatAKillLeftUnfinished is about both folders in which new
// files are written.
func TestNextLoopSweepsWhatAKillLeftUnfinished(t *testing.T) {
	w := newWorld(t)
	for _, folder := range []string{w.places.Scratch(), filepath.Join(w.places.Archive, ".new")} {
		left := filepath.Join(folder, ".new-1")
		w.write(left, "{")
		w.must(os.Chtimes(left, w.clock.Add(-2*time.Hour), w.clock.Add(-2*time.Hour)))
	}
	w.begun(me, "a")
	w.stop(me)
	for name := range w.files() {
		if strings.Contains(name, ".new-") {
			t.Errorf("left behind: %s", name)
		}
	}
}

// TestArchiveIsWrittenInItsOwnFolder: what a kill leaves unfinished there must
// be found without a look at thousands of records.
func TestArchiveIsWrittenInItsOwnFolder(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.stop(me)
	info, err := os.Lstat(filepath.Join(w.places.Archive, ".new"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want a private folder", info, err)
	}
}

// A hook, or a run, found the loop live before somebody ended it.
func TestARecordThatComesAfterTheEndLeavesNoJournal(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "the task")
	text := loop.Record{Kind: loop.RecordText, Text: "So."}
	w.must(w.store.AddToJournal(me, text))
	if !w.exists(w.places.Journal(me)) {
		t.Fatal("a live loop has no journal")
	}
	w.apply(me, loop.Event{Kind: loop.EventCancel})
	w.must(w.store.AddToJournal(me, text))
	if w.exists(w.places.Journal(me)) {
		t.Error("the journal is still there")
	}
}

// The live file was cleared away: the loop goes on from its record.
func TestARecordOfAnInterruptedLoopIsKept(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "the task")
	w.stop(me)
	w.must(os.RemoveAll(w.places.Base))
	w.must(os.Mkdir(w.places.Base, 0o700))
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordText, Text: "So."}))
	if !w.exists(w.places.Journal(me)) {
		t.Error("the journal is gone")
	}
}

// A prompt template is filled in after one look at a loop and before the next, and nothing is
// decided before.
func TestAStopThatAsksForWordsIsSavedOnce(t *testing.T) {
	w := newWorld(t)
	w.live(me, with("the task", map[string]any{"prompt_template": "/own.tmpl"}))
	w.apply(me, loop.Event{})
	w.later(time.Minute)
	before, err := os.Stat(w.places.Live(me))
	w.must(err)
	event := w.stopEvent()
	event.Words = true
	_, action := w.apply(me, event)
	after, err := os.Stat(w.places.Live(me))
	w.must(err)
	if action.Kind != loop.AskWords || !os.SameFile(before, after) || w.store.HasRecord(me) {
		t.Fatalf("got %s, the file is the same: %v, recorded: %v", action.Kind, os.SameFile(before, after), w.store.HasRecord(me))
	}
	event.Filled = loop.Filled{For: action.Words.Default, Text: "go on"}
	l, action := w.apply(me, event)
	if action.Text != "go on" || l.Iterations != 1 || !w.store.HasRecord(me) {
		t.Errorf("got %q, iteration %d", action.Text, l.Iterations)
	}
}

// Whoever edits the verification out of a state file does not do it in silence.
func TestAVerificationThatIsTakenOutOfTheFile(t *testing.T) {
	said := loop.Record{Kind: loop.RecordText, Generation: "g2", Text: "<promise>COMPLETE</promise>"}
	drop := func(l *loop.State) { l.Verify = "" }
	for _, tt := range []struct {
		name  string
		edit  func(*loop.State)
		turns int // before the edit
		want  string
	}{
		{"in the first turn", drop, 0, "the verification `make test` was taken out of the state file"},
		{"later", drop, 2, "the verification `make test` was taken out of the state file"},
		{"for another", func(l *loop.State) { l.Verify = "true" }, 1, "the verification `make test` was changed to `true` in the state file"},
		{"with all but the public fields", func(l *loop.State) {
			fresh := loop.New()
			fresh.Prompt = l.Prompt
			*l = fresh
		}, 1, "the verification `make test` was taken out of the state file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			l := loop.New()
			l.Prompt, l.Verify, l.MinToolCalls = "the task", "make test", 0
			w.must(w.store.Claim(t.Context(), me, func(live string) error { return write(live, l) }))
			event := w.stopEvent()
			for range tt.turns {
				w.later(time.Minute)
				event.Generation += "x"
				w.apply(me, event)
			}
			edited, err := w.store.Read(me)
			w.must(err)
			tt.edit(&edited)
			edited.MinToolCalls = 0
			w.must(write(w.places.Live(me), edited))

			w.later(time.Minute)
			event.Generation = "g1"
			l, action := w.apply(me, event)
			if h := l.History[len(l.History)-1]; action.Warning != tt.want || h.Warning != tt.want || !strings.Contains(action.Text, tt.want) {
				t.Errorf("got %q, in the history %q, and said %q; want %q", action.Warning, h.Warning, action.Text, tt.want)
			}
			w.later(time.Minute)
			event.Generation = "g2"
			w.must(w.store.AddToJournal(me, said))
			l, action = w.apply(me, event)
			if l.Verify != "" {
				event.Verified = loop.Verification{ID: l.Verifying.ID, Passed: true}
				l, action = w.apply(me, event)
			}
			if l.Status != loop.PromiseAccepted || !strings.Contains(l.Reason, tt.want) || action.Warning != "" {
				t.Errorf("got %s because %q, %q", l.Status, l.Reason, action.Warning)
			}
			if h := l.History[len(l.History)-1]; strings.Count(h.Warning, tt.want) != 1 {
				t.Errorf("got %q in the history", h.Warning)
			}
		})
	}
}

// Of two gates that are taken out one after the other, the warning names both.
func TestGatesThatAreTakenOutOfTheFile(t *testing.T) {
	w := newWorld(t)
	l := loop.New()
	l.Prompt, l.Tasks, l.Review = "the task", "TODO.md", "codex"
	w.must(w.store.Claim(t.Context(), me, func(live string) error { return write(live, l) }))
	for _, drop := range []func(*loop.State){func(l *loop.State) { l.Tasks = "" }, func(l *loop.State) { l.Review = "" }} {
		l, err := w.store.Read(me)
		w.must(err)
		drop(&l)
		w.must(write(w.places.Live(me), l))
		w.later(time.Minute)
		w.stop(me)
	}
	l, err := w.store.Read(me)
	w.must(err)
	if !strings.Contains(l.GatesWere, "TODO.md") || strings.Count(l.GatesWere, "codex") != 1 {
		t.Errorf("got %q", l.GatesWere)
	}
}

// The same holds for the other gates.
func TestAGateThatIsTakenOutOfTheFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*loop.State)
		want string
	}{
		{"the tasks", func(l *loop.State) { l.Tasks = "" }, "the task list TODO.md was taken out of the state file, or changed there"},
		{"other tasks", func(l *loop.State) { l.Tasks = "done.md" }, "the task list TODO.md was taken out of the state file, or changed there"},
		{"the tasks of the beginning", func(l *loop.State) { l.Baseline = l.Baseline[:1] }, "the tasks with which the loop began were taken out of the state file, or changed there"},
		{"the review", func(l *loop.State) { l.Review = "" }, "the review by codex was taken out of the state file, or changed there"},
		{"the review of a loop that seems to be another", func(l *loop.State) { l.Review, l.StartedAt = "", l.StartedAt.Add(time.Second) }, "the review by codex was taken out of the state file, or changed there"},
		{"nothing", func(*loop.State) {}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			l := loop.New()
			l.Prompt, l.Tasks, l.Review, l.Baseline = "the task", "TODO.md", "codex", []string{"a", "b"}
			w.must(w.store.Claim(t.Context(), me, func(live string) error { return write(live, l) }))
			edited, err := w.store.Read(me)
			w.must(err)
			tt.edit(&edited)
			w.must(write(w.places.Live(me), edited))
			w.later(time.Minute)
			l, action := w.stop(me)
			if action.Warning != tt.want || l.GatesWere != tt.want || strings.Contains(action.Text, "While this loop ran") != (tt.want != "") {
				t.Errorf("got %q, %q, and said %q; want %q", action.Warning, l.GatesWere, action.Text, tt.want)
			}
			l.GatesWere = "" // nor does it help to remove that from the file
			w.must(write(w.places.Live(me), l))
			w.later(time.Minute)
			if l, _ := w.stop(me); l.GatesWere != tt.want {
				t.Errorf("later: got %q, want %q", l.GatesWere, tt.want)
			}
		})
	}
}

// One that is added, or was never there, is nothing to tell.
func TestAVerificationThatIsAddedToTheFile(t *testing.T) {
	w := newWorld(t)
	w.live(me, seven("the task"))
	w.stop(me)
	l, err := w.store.Read(me)
	w.must(err)
	l.Verify = "make"
	w.must(write(w.places.Live(me), l))
	if l, action := w.stop(me); action.Warning != "" || l.VerifyWas != "" || len(l.Notices) > 0 {
		t.Errorf("got %q, %q", action.Warning, l.Notices)
	}
}

func write(path string, l loop.State) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}
