package wayland

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

func TestYdotoolArguments(t *testing.T) {
	for _, tt := range []struct {
		chord key.Chord
		codes string
		names string
	}{
		{key.Paste, "key 42:1 110:1 110:0 42:0", "key --delay 20 shift+insert"},
		{key.Return, "key 28:1 28:0", "key --delay 20 enter"},
		{key.Chord{Ctrl: true, Key: "return"}, "key 29:1 28:1 28:0 29:0", "key --delay 20 ctrl+enter"},
		{key.Chord{Ctrl: true, Key: "i"}, "key 29:1 23:1 23:0 29:0", "key --delay 20 ctrl+i"},
		{key.Chord{Shift: true, Super: true, Alt: true, Key: "f12"}, "key 42:1 56:1 125:1 88:1 88:0 125:0 56:0 42:0", "key --delay 20 shift+alt+super+f12"},
	} {
		codes, err := ydotoolCodes(tt.chord)
		if got := strings.Join(codes, " "); err != nil || got != tt.codes {
			t.Errorf("1.x, %s: %s, %v; want %s", tt.chord, got, err, tt.codes)
		}
		names, err := ydotoolNames(tt.chord)
		if got := strings.Join(names, " "); err != nil || got != tt.names {
			t.Errorf("0.1.x, %s: %s, %v; want %s", tt.chord, got, err, tt.names)
		}
	}
	unknown := key.Chord{Key: "r2"} // 0.1.x would take it for r
	if codes, err := ydotoolCodes(unknown); err == nil {
		t.Errorf("1.x takes an unknown key: %v", codes)
	}
	if names, err := ydotoolNames(unknown); err == nil {
		t.Errorf("0.1.x takes an unknown key: %v", names)
	}
}
