package keystroke

import (
	"context"
	"errors"
	"os/exec"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Copy leaves a line on the clipboard, for the user to paste. On X11 it needs
// m.Guard, which serves the line after this process has ended.
func Copy(ctx context.Context, machine Machine, line string) error {
	if err := (Target{Line: line}).Check(); err != nil {
		return err
	}
	m := desk.Machine(machine)
	program, args := "", []string(nil)
	switch m.Desktop.Kind {
	case platform.X11:
		return x11.Copy(ctx, m, line)
	case platform.Wayland:
		program, args = "wl-copy", []string{"--type", "text/plain"}
	case platform.MacOS:
		program = "pbcopy"
	case platform.Windows, platform.WSL:
		program = "clip.exe" // Source: Microsoft's documentation of clip; ASCII is the same in all code pages
	default:
		return errors.New("there is no desktop")
	}
	path, err := m.Look(program)
	if err != nil && m.Desktop.Kind == platform.WSL {
		path, err = exec.LookPath("/mnt/c/Windows/System32/" + program)
	}
	if err != nil {
		return err
	}
	_, err = m.Run(ctx, line, path, args...)
	return err
}
