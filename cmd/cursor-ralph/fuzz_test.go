package main

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// FuzzPrintable asserts that whatever text comes from outside, no terminal obeys
// it and nothing of it is lost to who reads it.
func FuzzPrintable(f *testing.F) {
	for _, text := range append(hostile(), "a\x1b]8;;http://x\x07b\x1b[2J", "\u009b\u0085\x7f", "\u202e\u2066\u200f\u061c", "\xff\x00", "a\tb\nc\r", "漢字 👩\u200d👧") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := printable(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, dangerous) || len(got) > 6*len(text) {
			t.Errorf("got %q of %q", got, text)
		}
		if again := printable(got); again != got {
			t.Errorf("got %q of %q, want it as it is", again, got)
		}
		kept := func(r rune) rune {
			if dangerous(r) {
				return -1
			}
			return r
		}
		rest := got
		for _, r := range strings.Map(kept, text) {
			i := strings.IndexRune(rest, r)
			if i < 0 {
				t.Fatalf("got %q of %q, without %q", got, text, r)
			}
			rest = rest[i+utf8.RuneLen(r):]
		}
		for _, s := range []string{loop.Status(text).Word(), explain(hooklog.Line{Action: text, Why: text, Promise: text})} {
			if s == "" || !strings.ContainsFunc(text, unicode.IsControl) && strings.ContainsFunc(s, unicode.IsControl) {
				t.Errorf("got %q of %q", s, text)
			}
		}
		if word := loop.Status(text).Word(); strings.ContainsFunc(word, func(r rune) bool { return r != ' ' && (r < 'A' || r > 'z') }) {
			t.Errorf("got the status %q", word)
		}
	})
}

// dangerous tells of what a terminal obeys, what shows a text as another, and
// what nobody sees.
func dangerous(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Join_Control, r)
}

// FuzzSession asserts that a script for the simulated Cursor is played as it is
// read: each round has a message, each turn ends where it says, and each step is
// one that is known.
func FuzzSession(f *testing.F) {
	f.Add(builtInSession)
	for _, script := range []string{
		"- user: hi\n- say: a\n- stop\n- shell: ls\n- abort\n", `{"user":"hi"}` + "\n" + `"stop"` + "\n" + `{"event":"sessionEnd"}`, "- event: sessionStart\n", "- edit: {path: a, content: b}", "- user: a\n- tool: {name: x, input: [1]}",
		"[]", "a: &a [*a]", "- user: a\n- user: b\n- fail\n", "- {user: a, say: b}", "- 7", "- user: ''", "\"stop", "- user: a\n- stop\n- event: {name: stop, fields: {x: 1}}",
	} {
		f.Add([]byte(script))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 4096 {
			return
		}
		rounds, err := parseSession(script)
		if err != nil {
			if rounds != nil {
				t.Errorf("got %d rounds and %v", len(rounds), err)
			}
			return
		}
		steps := 0
		for i, r := range rounds {
			if (i == 0) != (r.message == "") || (i == 0) != (len(r.turns) == 0) {
				t.Errorf("round %d: got %+v", i, r)
			}
			steps += len(r.after) + min(i, 1)
			for n, turn := range r.turns {
				steps += len(turn)
				checkTurn(t, turn, n == len(r.turns)-1)
			}
			for _, s := range r.after {
				checkStep(t, s, []string{"event"})
			}
		}
		if items, _ := sessionItems(script); steps != len(items) {
			t.Errorf("got %d steps, want %d", steps, len(items))
		}
	})
}

// checkTurn: only the last step ends a turn, and only the last turn may have none.
func checkTurn(t *testing.T, turn []step, last bool) {
	t.Helper()
	for i, s := range turn {
		known := append(textVerbs()[1:], "edit", "tool", "event")
		if i == len(turn)-1 {
			known = append(known, endVerbs()...)
		}
		checkStep(t, s, known)
	}
	if !last && (len(turn) == 0 || !strings.Contains("stop abort fail", turn[len(turn)-1].verb)) {
		t.Errorf("got a turn without an end: %+v", turn)
	}
}

func checkStep(t *testing.T, s step, known []string) {
	t.Helper()
	for _, verb := range known {
		if s.verb == verb {
			return
		}
	}
	t.Errorf("got the step %+v, want one of %q", s, known)
}
