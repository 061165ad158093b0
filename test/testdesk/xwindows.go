package testdesk

import (
	"context"
	"strconv"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// ActiveWindow returns the window manager's active window.
func (x *X) ActiveWindow() (uint32, error) { return x.windowProperty(x.root, "_NET_ACTIVE_WINDOW") }

// Windows returns the windows of a process that the window manager manages.
func (x *X) Windows(pid int) ([]uint32, error) {
	all, err := x.property(x.root, "_NET_CLIENT_LIST")
	if err != nil {
		return nil, err
	}
	var found []uint32
	for _, w := range all {
		if owner, err := x.windowProperty(xproto.Window(w), "_NET_WM_PID"); err == nil && owner == uint32(pid) {
			found = append(found, w)
		}
	}
	return found, nil
}

// Activate asks the window manager to activate a window, and waits until it has. It
// does not ask for a window that is active: nothing would show that the manager has
// read the request, and it could move the focus later.
func (x *X) Activate(ctx context.Context, window uint32) error {
	if active, err := x.isActive(window); active || err != nil {
		return err
	}
	if err := x.AskActivation(window); err != nil {
		return err
	}
	return until(ctx, "activation", func() (bool, error) { return x.isActive(window) })
}

// isActive reports whether a window is active and has the input focus.
func (x *X) isActive(window uint32) (bool, error) {
	active, err := x.ActiveWindow()
	if err != nil || active != window {
		return false, err
	}
	focus, err := x.InputFocus()
	return focus == window, err
}

// AskActivation asks the window manager to activate a window, as a taskbar does.
func (x *X) AskActivation(window uint32) error {
	atom, err := x.atom("_NET_ACTIVE_WINDOW")
	if err != nil {
		return err
	}
	const fromPager = 2
	message := xproto.ClientMessageEvent{Format: 32, Window: xproto.Window(window), Type: atom,
		Data: xproto.ClientMessageDataUnionData32New([]uint32{fromPager, 0, 0, 0, 0})}
	const mask = xproto.EventMaskSubstructureNotify | xproto.EventMaskSubstructureRedirect
	return xproto.SendEventChecked(x.conn, false, x.root, mask, string(message.Bytes())).Check()
}

// FocusWindow sets the input focus without asking the window manager.
func (x *X) FocusWindow(window uint32) error {
	return xproto.SetInputFocusChecked(x.conn, xproto.InputFocusParent, xproto.Window(window), xproto.TimeCurrentTime).Check()
}

// InputFocus is the window that has the input focus.
func (x *X) InputFocus() (uint32, error) {
	f, err := xproto.GetInputFocus(x.conn).Reply()
	if err != nil {
		return 0, err
	}
	return uint32(f.Focus), nil
}

// Minimize asks the window manager to minimize a window.
func (x *X) Minimize(ctx context.Context, window uint32) error {
	_, err := x.run(ctx, "xdotool", "windowminimize", "--sync", strconv.Itoa(int(window)))
	return err
}

func (x *X) atom(name string) (xproto.Atom, error) {
	a, err := xproto.InternAtom(x.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, err
	}
	return a.Atom, nil
}

// property returns a property of 32-bit values.
func (x *X) property(w xproto.Window, name string) ([]uint32, error) {
	atom, err := x.atom(name)
	if err != nil {
		return nil, err
	}
	p, err := xproto.GetProperty(x.conn, false, w, atom, xproto.GetPropertyTypeAny, 0, 1024).Reply()
	if err != nil {
		return nil, err
	}
	var values []uint32
	for b := p.Value; len(b) >= 4; b = b[4:] {
		values = append(values, xgb.Get32(b))
	}
	return values, nil
}

func (x *X) windowProperty(w xproto.Window, name string) (uint32, error) {
	values, err := x.property(w, name)
	if len(values) == 0 {
		return 0, err
	}
	return values[0], err
}
