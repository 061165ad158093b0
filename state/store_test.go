package state_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	check(t, "ended", w.record(other))
	w.apply(other, loop.Event{Kind: loop.EventContinue})
	check(t, "revived", w.places.Live(other))
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
			w.write(w.places.Record("k7f2m"), content)
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
		"", loop.EventStop, loop.EventMessage, loop.EventLateText, loop.EventContinue, loop.EventPause,
		loop.EventResume, loop.EventCancel, loop.EventContext, loop.EventNotice, loop.EventNote, loop.EventBlocked,
		loop.EventReplace, loop.EventConfirm, "no such event",
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
			"Recorded": func() error { _, err := w.store.Recorded(id); return err },
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

func TestJournalThatWasClearedOrTornIsNoLoss(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	tool := func(id string) { w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, Event: id})) }
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
