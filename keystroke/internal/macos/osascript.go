package macos

import (
	"context"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// OpenOsascript types through macOS's System Events: clipboard and Command+V.
// Looking for windows needs the same permission from macOS as pressing keys.
func OpenOsascript(ctx context.Context, m desk.Machine, _ desk.Request) (desk.Session, error) {
	d, err := newMacDesk(m)
	if err != nil {
		return desk.Session{}, err
	}
	return desk.Session{Desk: d, Keyboard: macKeyboard{d}}, pastesByPlace(currentLayout(ctx, m))
}

// currentLayout returns an identifier such as com.apple.keylayout.US, or nothing if
// macOS does not say.
func currentLayout(ctx context.Context, m desk.Machine) string {
	path, err := m.Look("defaults")
	if err != nil {
		return ""
	}
	layout, err := m.Run(ctx, "", path, "read", "com.apple.HIToolbox", "AppleCurrentKeyboardLayoutInputSourceID")
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

// Press checks the focus and presses in one script.
func (k macKeyboard) Press(ctx context.Context, w desk.Window, c key.Chord) error {
	if c == key.Paste {
		c = key.Chord{Super: true, Key: "v"}
	}
	pressed, err := key.Of(c)
	if err != nil {
		return desk.NotPressed(err)
	}
	var held []string
	for _, m := range key.Held(c) {
		held = append(held, m.Mac)
	}
	answer, err := k.desk.script(ctx, "press", fmt.Sprint(w.PID), w.ID, fmt.Sprint(pressed.Mac), strings.Join(held, " "))
	if err == nil && answer != "pressed" {
		return desk.ErrLostFocus
	}
	return err
}
