package windows

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzPowerShell asserts that only answers to the last request are taken, and that
// a window read from one is a window.
func FuzzPowerShell(f *testing.F) {
	f.Add("ok 12 99 "+utf16Base64("a - repo - Cursor"), "a")
	f.Add("no "+utf16Base64("because"), "ä漢🦊'’")
	f.Add("ok ;;1 2 !;", "")
	f.Fuzz(func(t *testing.T, answer, text string) {
		s := &powerShell{asked: 3}
		got, err, ours := s.answer("PS> ralph 3 " + answer)
		if (got != "" || err != nil) && !ours || len(fmt.Sprint(err)) > 2000 {
			t.Errorf("%q: got %q, %v, %v", answer, got, err, ours)
		}
		if _, _, ours := s.answer("ralph 2 ok x"); ours {
			t.Error("got the answer to another request")
		}
		for line := range strings.SplitSeq(got, ";") {
			if w, err := parsePSWindow(line); err == nil && (strings.ContainsAny(w.ID, " ;\n") || strings.Count(line, " ") != 2) {
				t.Errorf("%q: got %+v", line, w)
			}
		}
		if back, err := fromUTF16Base64(utf16Base64(text)); err != nil || strings.ToValidUTF8(text, "") == text && back != text {
			t.Errorf("got %q, %v, want %q", back, err, text)
		}
	})
}
