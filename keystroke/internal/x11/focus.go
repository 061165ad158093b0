package x11

import (
	"context"
	"errors"
	"time"

	"github.com/jezek/xgb/screensaver"
	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// Focused reports whether the window has the input focus and is the window
// manager's active window, if a window manager runs.
func (x *Display) Focused(ctx context.Context, w desk.Window) (ok bool, err error) {
	err = x.ask(ctx, func() error {
		focus, err := x.inputFocus()
		if err != nil {
			return err
		}
		if ok, err = x.within(focus, xid(w)); err != nil || !ok {
			return err
		}
		manager, err := x.manager()
		if err != nil || !manager {
			return err
		}
		active, err := x.number(x.root, "_NET_ACTIVE_WINDOW")
		ok = xproto.Window(active) == xid(w)
		return err
	})
	return ok && err == nil, err
}

func (x *Display) inputFocus() (xproto.Window, error) {
	reply, err := xproto.GetInputFocus(x.conn).Reply()
	if err != nil {
		return 0, err
	}
	return reply.Focus, nil
}

func (x *Display) within(id, top xproto.Window) (bool, error) {
	for id > xproto.InputFocusPointerRoot && id != x.root {
		if id == top {
			return true, nil
		}
		tree, err := xproto.QueryTree(x.conn, id).Reply()
		switch {
		case isAnswer(err):
			return false, nil
		case err != nil:
			return false, err
		}
		id = tree.Parent
	}
	return false, nil
}

// Activate asks the window manager for the focus; without one it takes the focus.
func (x *Display) Activate(ctx context.Context, w desk.Window) error {
	hidden := false
	err := x.ask(ctx, func() error {
		attributes, err := xproto.GetWindowAttributes(x.conn, xid(w)).Reply()
		if err != nil {
			return err
		}
		hidden = attributes.MapState != xproto.MapStateViewable
		manager, err := x.manager()
		if err != nil {
			return err
		}
		now, err := x.now()
		switch {
		case err != nil:
			return err
		case manager:
			return x.requestActive(xid(w), now)
		case hidden:
			return errors.New("the window of Cursor is hidden, and no window manager runs that could show it")
		}
		return x.takeFocus(xid(w), now)
	})
	if err != nil || !hidden {
		return err
	}
	return x.refocus(ctx, w)
}

// refocus takes the focus from a window that was hidden until now, and gives it
// back: Chromium forgets a focus that it gets before it is shown. A window manager
// may focus another window meanwhile, so the focus is requested again.
func (x *Display) refocus(ctx context.Context, w desk.Window) error {
	isFocused := func() (bool, error) { return x.Focused(ctx, w) }
	if ok, err := desk.Until(ctx, comeWait, isFocused); err != nil || !ok {
		return err // the caller waits for the focus, and reports that it did not come
	}
	if err := proc.Sleep(ctx, settle); err != nil {
		return err
	}
	err := x.ask(ctx, func() error {
		x.wire.cork()
		xproto.SetInputFocus(x.conn, xproto.InputFocusNone, xproto.InputFocusNone, xproto.TimeCurrentTime)
		xproto.SetInputFocus(x.conn, xproto.InputFocusParent, xid(w), xproto.TimeCurrentTime)
		return errors.Join(x.wire.uncork(), x.sync())
	})
	if err != nil {
		return err
	}
	if err := proc.Sleep(ctx, settle); err != nil {
		return err
	}
	if ok, err := isFocused(); ok || err != nil {
		return err
	}
	return x.ask(ctx, func() error {
		now, err := x.now()
		if err != nil {
			return err
		}
		return x.requestActive(xid(w), now)
	})
}

// comeWait is how long a hidden window has to come to the front.
const comeWait = 1500 * time.Millisecond

// settle is how long a window manager has to answer a change of the focus.
const settle = 50 * time.Millisecond

// requestActive asks the window manager, in the way of a pager: what a user
// wants is not held back. Source: EWMH, _NET_ACTIVE_WINDOW.
func (x *Display) requestActive(id xproto.Window, now xproto.Timestamp) error {
	const pager = 2
	message := xproto.ClientMessageEvent{
		Format: 32, Window: id, Type: x.atoms["_NET_ACTIVE_WINDOW"],
		Data: xproto.ClientMessageDataUnionData32New([]uint32{pager, uint32(now), 0, 0, 0}),
	}
	return xproto.SendEventChecked(x.conn, false, x.root,
		xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(message.Bytes())).Check()
}

func (x *Display) takeFocus(id xproto.Window, now xproto.Timestamp) error {
	xproto.ConfigureWindow(x.conn, id, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
	return xproto.SetInputFocusChecked(x.conn, xproto.InputFocusParent, id, now).Check()
}

// Idle asks the screen saver extension.
func (x *Display) Idle(ctx context.Context) (idle time.Duration, err error) {
	const name = "MIT-SCREEN-SAVER"
	err = x.ask(ctx, func() error {
		extension, err := xproto.QueryExtension(x.conn, uint16(len(name)), name).Reply()
		if err != nil {
			return err
		}
		if !extension.Present {
			return desk.ErrUnknown
		}
		// Not screensaver.Init: it writes into maps of xgb that other
		// connections of this process read.
		x.conn.ExtLock.Lock()
		x.conn.Extensions[name] = extension.MajorOpcode
		x.conn.ExtLock.Unlock()
		info, err := screensaver.QueryInfo(x.conn, xproto.Drawable(x.root)).Reply()
		if err != nil {
			return err
		}
		idle = time.Duration(info.MsSinceUserInput) * time.Millisecond
		return nil
	})
	return idle, err
}
