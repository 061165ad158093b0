// Package robotgo presses keys by the program cursor-ralph-robotgo, and does all
// else by the desktop itself.
package robotgo

import (
	"context"
	"errors"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/macos"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/windows"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
)

// Open starts the program once, which finds out whether its libraries are there.
// It opens an X11 display itself first: robotgo crashes or hangs with one that
// does not answer.
func Open(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error) {
	if m.Robotgo == "" {
		return desk.Session{}, errors.New("cursor-ralph-robotgo is not installed beside cursor-ralph; make install builds it where there is a C compiler")
	}
	if _, err := m.Run(ctx, "", m.Robotgo, "version"); err != nil {
		return desk.Session{}, err
	}
	switch m.OS {
	case "darwin":
		d, err := macos.Desk(m)
		return blind(m, d), err
	case "windows":
		d, err := windows.Desk()
		return blind(m, d), err
	}
	return x11.OpenProgram(ctx, m, r, func(p x11.Pressing) (desk.Prepared, error) {
		held, err := p.HeldNames()
		if err != nil {
			return desk.Prepared{}, err
		}
		return prepare(m, args(p.Chord, held))
	})
}

func prepare(m desk.Machine, args []string) (desk.Prepared, error) {
	return m.Prepare(m.Robotgo, append([]string{"wait"}, args...), "", "go\n")
}

// args releases held modifiers, and presses them again afterwards.
func args(c key.Chord, held []string) []string {
	words := append(each("up", held), "press", c.String())
	return append(words, each("down", held)...)
}

// blind presses where it is unknown which modifiers are held.
func blind(m desk.Machine, d desk.Desk) desk.Session {
	return desk.Session{Desk: d, Keyboard: desk.ProgramKeyboard{Desk: d, Prepare: func(_ context.Context, c key.Chord) (desk.Prepared, error) {
		return prepare(m, blindArgs(m.OS, c))
	}}}
}

// blindArgs releases all modifiers, and presses none again.
func blindArgs(os string, c key.Chord) []string {
	if c == key.Paste && os == "darwin" {
		c = key.Chord{Super: true, Key: "v"}
	}
	return append(each("up", []string{"shift", "ctrl", "alt", "cmd"}), "press", c.String())
}

func each(do string, names []string) (words []string) {
	for _, name := range names {
		words = append(words, do, name)
	}
	return words
}
