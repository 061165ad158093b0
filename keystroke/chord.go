package keystroke

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// Chord is a key with the modifiers that are held meanwhile, made by ParseChord
// or ParseSubmitKey, whose forms its methods String and SubmitKey write. The zero
// Chord has no key.
type Chord = key.Chord

// ParseChord reads a chord such as ctrl+i or cmd+shift+l: modifiers, then a to z, 0
// to 9 or f1 to f12. The empty text is the zero Chord.
func ParseChord(text string) (Chord, error) {
	var c Chord
	if text == "" {
		return c, nil
	}
	parts := strings.Split(strings.ToLower(text), "+")
	for _, mod := range parts[:len(parts)-1] {
		switch strings.TrimSpace(mod) {
		case "ctrl", "control":
			c.Ctrl = true
		case "shift":
			c.Shift = true
		case "alt", "option":
			c.Alt = true
		case "cmd", "command", "super", "win", "meta":
			c.Super = true
		default:
			return Chord{}, fmt.Errorf("%q in %q is no modifier; there are ctrl, shift, alt and cmd", mod, text)
		}
	}
	c.Key = strings.TrimSpace(parts[len(parts)-1])
	if k, ok := key.Find(c.Key); !ok || !k.MayFocus() {
		return Chord{}, fmt.Errorf("%q in %q is no key for this; there are a to z, 0 to 9 and f1 to f12", c.Key, text)
	}
	if len(c.Key) == 1 && !c.Ctrl && !c.Alt && !c.Super {
		return Chord{}, fmt.Errorf("%q would type a character; add ctrl, alt or cmd", text)
	}
	return c, nil
}

// ParseSubmitKey reads the key that sends what is in the chat input: return,
// ctrl+enter or, with the goos darwin, cmd+enter. The empty text is return.
// Elsewhere cmd+enter is an error instead of ctrl+enter: no other keys may be
// pressed than those the user asked for.
func ParseSubmitKey(text, goos string) (Chord, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "return", "enter":
		return key.Return, nil
	case "ctrl+enter", "ctrl+return":
		return Chord{Ctrl: true, Key: key.Return.Key}, nil
	case "cmd+enter", "cmd+return":
		if goos == "darwin" {
			return Chord{Super: true, Key: key.Return.Key}, nil
		}
		return Chord{}, errors.New("cmd+enter is a key of macOS; here it is ctrl+enter")
	}
	return Chord{}, fmt.Errorf("%q does not submit; there are return, ctrl+enter and, on macOS, cmd+enter", text)
}
