package keystroke

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

func TestParseSubmitKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, goos string
		want       SubmitKey
		fails      string
	}{
		{"", "linux", desk.Return, ""},
		{"return", "windows", desk.Return, ""},
		{" Enter ", "darwin", desk.Return, ""},
		{"Ctrl+Enter", "linux", "ctrl+enter", ""},
		{"ctrl+return", "darwin", "ctrl+enter", ""},
		{"cmd+enter", "darwin", "cmd+enter", ""},
		{"cmd+enter", "linux", "", "cmd+enter is a key of macOS; here it is ctrl+enter"},
		{"cmd+enter", "windows", "", "cmd+enter is a key of macOS"},
		{"shift+enter", "linux", "", `"shift+enter" does not submit`},
		{"ctrl+i", "linux", "", "does not submit"},
	} {
		got, err := ParseSubmitKey(tt.text, tt.goos)
		if got != tt.want || (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%q on %s: got %q, %v", tt.text, tt.goos, got, err)
		}
	}
}
