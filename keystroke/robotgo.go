package keystroke

import (
	"context"
	"errors"
	"fmt"

	"github.com/jezek/xgb/xproto"
)

// robotgo presses keys by the program cursor-ralph-robotgo, and does all else
// by the desktop itself.
type robotgo struct{ m Machine }

func newRobotgo(m Machine) Injector { return robotgo{m} }

// Name is robotgo.
func (robotgo) Name() string { return "robotgo" }

// Probe starts the program once, which finds out whether its libraries are
// there, and looks for the window. The display is tried by us first: robotgo
// crashes or hangs with one that does not answer.
func (i robotgo) Probe(ctx context.Context, t Target) error {
	if i.m.Robotgo == "" {
		return errors.New("cursor-ralph-robotgo is not installed beside cursor-ralph; make install builds it where there is a C compiler")
	}
	if _, err := i.m.run(ctx, "", i.m.Robotgo, "version"); err != nil {
		return err
	}
	if i.onX11() {
		return probeX11(ctx, i.m, t)
	}
	d, err := robotgoDesk(ctx, i.m)
	if err != nil {
		return err
	}
	_, err = find(ctx, t, d)
	return err
}

// Type delivers the line.
func (i robotgo) Type(ctx context.Context, t Target) error {
	d, err := robotgoDesk(ctx, i.m)
	if err != nil {
		return err
	}
	if x, ok := d.(*x11); ok {
		defer x.close()
	}
	return deliver(ctx, t, d, programKeyboard{d, func(ctx context.Context, c Chord) (func() error, func(), error) {
		if x, ok := d.(*x11); ok {
			return i.poiseX11(ctx, x, c)
		}
		return i.poise(blindArgs(i.m.OS, c))
	}})
}

func (i robotgo) onX11() bool { return i.m.OS != "darwin" && i.m.OS != "windows" }

func robotgoDesk(ctx context.Context, m Machine) (desk, error) {
	switch m.OS {
	case "darwin":
		return newMacDesk(m)
	case "windows":
		return newWinDesk(m)
	}
	return openX11(ctx, m)
}

// robotgoNames are what robotgo calls modifiers of X11.
var robotgoNames = map[xproto.Keysym]string{
	symShift: "lshift", symShift + 1: "rshift", symCtrl: "lctrl", symCtrl + 1: "rctrl",
	symAlt: "lalt", symAlt + 1: "ralt", symSuper: "lcmd", symSuper + 1: "rcmd",
}

func (i robotgo) poiseX11(ctx context.Context, x *x11, c Chord) (func() error, func(), error) {
	p, err := x.pressing(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	args, err := robotgoArgs(c, p)
	if err != nil {
		return nil, nil, err
	}
	press, drop, err := i.poise(args)
	return func() error { return x.clean(p, press()) }, drop, err
}

func (i robotgo) poise(args []string) (press func() error, drop func(), err error) {
	return i.m.poise(i.m.Robotgo, append([]string{"wait"}, args...), "", "go\n")
}

// robotgoArgs releases held modifiers, and presses them again afterwards.
func robotgoArgs(c Chord, p pressing) ([]string, error) {
	var held []string
	for n, sym := range p.syms {
		name, ok := robotgoNames[sym]
		if !ok {
			return nil, fmt.Errorf("the modifier key %d is held, which robotgo does not know", p.held[n])
		}
		held = append(held, name)
	}
	args := append(eachName("up", held), "press", c.String())
	return append(args, eachName("down", held)...), nil
}

// blindArgs are for where nobody tells which modifiers are held: all are
// released, and none pressed again.
func blindArgs(os string, c Chord) []string {
	if c == pasteChord && os == "darwin" {
		c = Chord{Super: true, Key: "v"}
	}
	return append(eachName("up", []string{"shift", "ctrl", "alt", "cmd"}), "press", c.String())
}

func eachName(do string, names []string) (args []string) {
	for _, name := range names {
		args = append(args, do, name)
	}
	return args
}
