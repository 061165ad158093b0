// Package key has the keys that cursor-ralph presses: chords, and one table of
// keys with their codes on every system. It presses nothing.
package key

import (
	"fmt"
	"strings"
)

// Chord is a key with the modifiers that are held meanwhile.
type Chord struct {
	Ctrl, Shift, Alt, Super bool   // Super is the Command key on macOS, the Windows key on Windows
	Key                     string // a to z, 0 to 9, f1 to f12, insert or return; empty for no chord
}

// Paste is Shift+Insert, which pastes on every layout: Ctrl+V fails on a layout
// without a v.
var Paste = Chord{Shift: true, Key: "insert"}

// Return sends what is in the chat input.
var Return = Chord{Key: "return"}

// String writes the chord as ParseChord reads it.
func (c Chord) String() string {
	var b strings.Builder
	for _, m := range Held(c) {
		b.WriteString(m.Name + "+")
	}
	return b.String() + c.Key
}

// SubmitKey writes the chord as ParseSubmitKey reads it.
func (c Chord) SubmitKey() string {
	if c == Return {
		return "return"
	}
	return strings.TrimSuffix(c.String(), "return") + "enter"
}

// Held returns the modifiers of a chord, in the order in which they are pressed.
func Held(c Chord) (held []Modifier) {
	for i, is := range []bool{c.Ctrl, c.Shift, c.Alt, c.Super} {
		if is {
			held = append(held, modifiers[i])
		}
	}
	return held
}

// Of returns the key of a chord, or an error for a key that chords do not have.
func Of(c Chord) (Key, error) {
	k, ok := Find(c.Key)
	if !ok || k.VK == 0 { // punctuation is in the table for lines
		return Key{}, fmt.Errorf("there is no key %q", c.Key)
	}
	return k, nil
}

// MayFocus reports whether the user may choose this key to move the focus: a
// letter, a digit or a function key.
func (k Key) MayFocus() bool { return k.VK != 0 && k.Name != Return.Key && k.Name != Paste.Key }
