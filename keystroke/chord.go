package keystroke

import (
	"fmt"
	"slices"
	"strings"
)

// Chord is a key with the modifiers that are held meanwhile. The zero Chord is
// none.
type Chord struct {
	Ctrl, Shift, Alt, Super bool   // Super is the Command key on macOS, the Windows key on Windows
	Key                     string // a to z, 0 to 9 or f1 to f12
}

// pasteChord is what pastes whatever the keyboard's layout: Ctrl+V fails on a
// layout without a v.
var pasteChord = Chord{Shift: true, Key: "insert"}

// returnChord sends what is in the chat input.
var returnChord = Chord{Key: "return"}

// ParseChord reads a chord such as ctrl+i or cmd+shift+l. The empty text is no
// chord.
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
	if !slices.Contains(chordKeys(), c.Key) {
		return Chord{}, fmt.Errorf("%q in %q is no key for this; there are a to z, 0 to 9 and f1 to f12", c.Key, text)
	}
	if len(c.Key) == 1 && !c.Ctrl && !c.Alt && !c.Super {
		return Chord{}, fmt.Errorf("%q would type a character; add ctrl, alt or cmd", text)
	}
	return c, nil
}

func chordKeys() []string {
	var keys []string
	for c := 'a'; c <= 'z'; c++ {
		keys = append(keys, string(c))
	}
	for n := range 10 {
		keys = append(keys, fmt.Sprint(n))
	}
	for n := range 12 {
		keys = append(keys, fmt.Sprintf("f%d", n+1))
	}
	return keys
}

// String writes the chord as ParseChord reads it.
func (c Chord) String() string {
	var b strings.Builder
	for _, mod := range []struct {
		held bool
		name string
	}{{c.Ctrl, "ctrl+"}, {c.Shift, "shift+"}, {c.Alt, "alt+"}, {c.Super, "cmd+"}} {
		if mod.held {
			b.WriteString(mod.name)
		}
	}
	return b.String() + c.Key
}
