package macos

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// FuzzMacWindows asserts that only processes and windows that were listed are found.
func FuzzMacWindows(f *testing.F) {
	f.Add("12 /Applications/Cursor.app/Contents/MacOS/Cursor\n7 /bin/sh\n", "a - repo - Cursor\x1eb - other - Cursor\x1e")
	f.Add(" 1 cursor\nx\n99999999999999999999 cursor", "\x1e\x1e")
	f.Fuzz(func(t *testing.T, processes, titles string) {
		for _, pid := range editorProcesses(processes, desk.Editors{"cursor"}) {
			if !strings.Contains(processes, strings.TrimPrefix(strconv.Itoa(pid), "-")) {
				t.Errorf("got the process %d out of %q", pid, processes)
			}
		}
		if got := macWindows(7, titles); len(got) > strings.Count(titles, titleEnd)+1 {
			t.Errorf("got %d windows out of %q", len(got), titles)
		}
	})
}
