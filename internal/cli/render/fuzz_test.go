package render

import (
	"strings"
	"testing"
	"unicode"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// FuzzWords asserts that the words made of a log line and of a status are safe
// for a terminal, whatever is in the files.
func FuzzWords(f *testing.F) {
	for _, text := range append(hostile(), "a\x1b[2J", "\u009b\u0085\x7f", "\xff\x00") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []string{loop.Status(text).Word(), explain(hooklog.Line{Action: text, Why: text, Promise: text})} {
			if s == "" || !strings.ContainsFunc(text, unicode.IsControl) && strings.ContainsFunc(s, unicode.IsControl) {
				t.Errorf("got %q of %q", s, text)
			}
		}
		if word := loop.Status(text).Word(); strings.ContainsFunc(word, func(r rune) bool { return !strings.ContainsRune(" ()", r) && (r < 'A' || r > 'z') }) {
			t.Errorf("got the status %q", word)
		}
	})
}
