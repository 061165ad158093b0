package keystroke

import (
	"context"
	"fmt"
	"strings"
)

// osascript types through macOS's System Events.
type osascript struct{ m Machine }

func newOsascript(m Machine) Injector { return osascript{m} }

// Name is osascript.
func (osascript) Name() string { return "osascript" }

// Probe looks for the window, for which macOS asks the same permission as for
// keys.
func (i osascript) Probe(ctx context.Context, t Target) error {
	d, err := newMacDesk(i.m)
	if err != nil {
		return err
	}
	if err := pastesByPlace(currentLayout(ctx, i.m)); err != nil {
		return err
	}
	_, err = find(ctx, t, d)
	return err
}

// Type delivers the line with clipboard and Command+V.
func (i osascript) Type(ctx context.Context, t Target) error {
	d, err := newMacDesk(i.m)
	if err != nil {
		return err
	}
	return deliver(ctx, t, d, macKeyboard{d.(macDesk)})
}

// currentLayout gives an identifier such as com.apple.keylayout.US, or nothing
// where macOS does not tell.
func currentLayout(ctx context.Context, m Machine) string {
	path, err := m.look("defaults")
	if err != nil {
		return ""
	}
	layout, err := m.run(ctx, "", path, "read", "com.apple.HIToolbox", "AppleCurrentKeyboardLayoutInputSourceID")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(layout)
}

// pastesByPlace refuses the layouts that have another letter where others have
// v, with Command held too. Layouts of other scripts have v there with Command.
func pastesByPlace(layout string) error {
	name := strings.ToLower(layout[strings.LastIndex(layout, ".")+1:])
	if strings.Contains(name, "qwerty") { // Dvorak, and QWERTY with Command
		return nil
	}
	for _, other := range []string{"dvorak", "bepo", "bépo", "neo", "turkish-f", "workman"} {
		if strings.Contains(name, other) {
			return fmt.Errorf("on the keyboard layout %s Command+V is not where this presses it", layout)
		}
	}
	return nil
}

// macKeyboard is System Events.
type macKeyboard struct{ desk macDesk }

// press checks the focus and presses in one script.
func (k macKeyboard) press(ctx context.Context, w window, c Chord) error {
	if c == pasteChord {
		c = Chord{Super: true, Key: "v"}
	}
	code, err := macKeyCode(c.Key)
	if err != nil {
		return unpressed{err}
	}
	answer, err := k.desk.script(ctx, "press", fmt.Sprint(w.pid), w.id, fmt.Sprint(code), c.macModifiers())
	if err == nil && answer != "pressed" {
		return errLostFocus
	}
	return err
}

func (c Chord) macModifiers() string {
	var held []string
	for _, mod := range []struct {
		held bool
		name string
	}{{c.Super, "command"}, {c.Ctrl, "control"}, {c.Alt, "option"}, {c.Shift, "shift"}} {
		if mod.held {
			held = append(held, mod.name)
		}
	}
	return strings.Join(held, " ")
}

// macKeyCode gives the code of a key, which is its place on the keyboard.
// Source: Apple, HIToolbox, Events.h, kVK_ANSI_A and following.
func macKeyCode(key string) (int, error) {
	code, ok := map[string]int{
		"a": 0, "s": 1, "d": 2, "f": 3, "h": 4, "g": 5, "z": 6, "x": 7, "c": 8, "v": 9,
		"b": 11, "q": 12, "w": 13, "e": 14, "r": 15, "y": 16, "t": 17, "o": 31, "u": 32, "i": 34,
		"p": 35, "l": 37, "j": 38, "k": 40, "n": 45, "m": 46,
		"1": 18, "2": 19, "3": 20, "4": 21, "6": 22, "5": 23, "9": 25, "7": 26, "8": 28, "0": 29,
		"f1": 122, "f2": 120, "f3": 99, "f4": 118, "f5": 96, "f6": 97,
		"f7": 98, "f8": 100, "f9": 101, "f10": 109, "f11": 103, "f12": 111,
		"return": 36,
	}[key]
	if !ok {
		return 0, fmt.Errorf("there is no key %q on macOS", key)
	}
	return code, nil
}
