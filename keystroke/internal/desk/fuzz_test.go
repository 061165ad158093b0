package desk

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzPowerShell asserts that only answers to the last request are taken, and that
// a window read from one is a window.
func FuzzPowerShell(f *testing.F) {
	f.Add("ok 12 99 "+utf16Base64("cursor")+" "+utf16Base64("a - repo - Cursor"), "a")
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
			if w, err := psWindow(line); err == nil && (strings.ContainsAny(w.ID, " ;\n") || strings.Count(line, " ") != 3) {
				t.Errorf("%q: got %+v", line, w)
			}
		}
		if back, err := fromUTF16Base64(utf16Base64(text)); err != nil || strings.ToValidUTF8(text, "") == text && back != text {
			t.Errorf("got %q, %v, want %q", back, err, text)
		}
	})
}

// FuzzMacWindows asserts that only processes and windows that were listed are found.
func FuzzMacWindows(f *testing.F) {
	f.Add("12 /Applications/Cursor.app/Contents/MacOS/Cursor\n7 /bin/sh\n", "a - repo - Cursor\x1eb - other - Cursor\x1e")
	f.Add(" 1 cursor\nx\n99999999999999999999 cursor", "\x1e\x1e")
	f.Fuzz(func(t *testing.T, processes, titles string) {
		for _, w := range macProcesses(processes, []string{"cursor"}) {
			if !strings.Contains(processes, strings.TrimPrefix(fmt.Sprint(w.PID), "-")) {
				t.Errorf("got the process %d out of %q", w.PID, processes)
			}
		}
		if got := macWindows(Window{PID: 7}, titles); len(got) > strings.Count(titles, titleEnd)+1 {
			t.Errorf("got %d windows out of %q", len(got), titles)
		}
	})
}
