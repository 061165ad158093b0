package keystroke

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

func TestParseSubmitKey(t *testing.T) {
	for _, tt := range []struct {
		text, goos string
		want       Chord
		written    string
		fails      string
	}{
		{"", "linux", key.Return, "return", ""},
		{"return", "windows", key.Return, "return", ""},
		{" Enter ", "darwin", key.Return, "return", ""},
		{"Ctrl+Enter", "linux", Chord{Ctrl: true, Key: "return"}, "ctrl+enter", ""},
		{"ctrl+return", "darwin", Chord{Ctrl: true, Key: "return"}, "ctrl+enter", ""},
		{"cmd+enter", "darwin", Chord{Super: true, Key: "return"}, "cmd+enter", ""},
		{"cmd+enter", "linux", Chord{}, "", "cmd+enter is a key of macOS; here it is ctrl+enter"},
		{"cmd+enter", "windows", Chord{}, "", "cmd+enter is a key of macOS"},
		{"shift+enter", "linux", Chord{}, "", `"shift+enter" does not submit`},
		{"ctrl+i", "linux", Chord{}, "", "does not submit"},
	} {
		got, err := ParseSubmitKey(tt.text, tt.goos)
		if got != tt.want || (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%q on %s: got %+v, %v", tt.text, tt.goos, got, err)
		}
		if err == nil && got.SubmitKey() != tt.written {
			t.Errorf("%q is written %q, want %q", tt.text, got.SubmitKey(), tt.written)
		}
	}
}
