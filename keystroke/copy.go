package keystroke

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Copy leaves a line on the clipboard, for the user to paste.
func Copy(ctx context.Context, m Machine, line string) error {
	if err := (Target{Line: line}).Check(); err != nil {
		return err
	}
	program, args := "", []string(nil)
	switch m.Desktop.Kind {
	case platform.X11:
		return m.copyX11(ctx, line)
	case platform.Wayland:
		program, args = "wl-copy", []string{"--type", "text/plain"}
	case platform.MacOS:
		program = "pbcopy"
	case platform.Windows, platform.WSL:
		program = "clip.exe" // Source: Microsoft's documentation of clip; ASCII is the same in all code pages
	default:
		return errors.New("there is no desktop")
	}
	path, err := m.look(program)
	if err != nil && m.Desktop.Kind == platform.WSL {
		path, err = exec.LookPath("/mnt/c/Windows/System32/" + program)
	}
	if err != nil {
		return err
	}
	_, err = m.run(ctx, line, path, args...)
	return err
}

// copyX11 has a guard serve the line, for a clipboard ends with its owner.
func (m Machine) copyX11(ctx context.Context, line string) error {
	x, err := openX11(ctx, m)
	if err != nil {
		return err
	}
	defer x.close()
	before, err := x.owner()
	if err != nil {
		return err
	}
	g := startGuard(m)
	if g == nil {
		return errors.New("there is no guard that would serve it")
	}
	g.keep(0, before, line, "") // whose clipboard it takes
	if !g.serve() {
		return errors.New("the guard has died")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for {
		now, err := x.owner()
		if err != nil || now != 0 && now != before {
			return err
		}
		if err := sleep(ctx, poll); err != nil {
			return errors.New("the guard did not take the clipboard")
		}
	}
}
