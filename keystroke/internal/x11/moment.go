package x11

import (
	"errors"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// moment is the state of the display while it serves no other client.
type moment struct {
	focus, owner, primary xproto.Window // of the keys, and the owners of the clipboard and of what is selected
	free                  bool          // no program has grabbed the keyboard
	down                  []byte        // a bit for each key
}

// wanted returns the state that a chord needs; an owner of 0 means any. Only a paste
// needs the primary selection to be ours: a terminal would paste it.
func (x *Display) wanted(focus xproto.Window, c key.Chord) moment {
	m := moment{focus: focus, owner: x.owns()}
	if c == key.Paste {
		m.primary = x.owns()
	}
	return m
}

// grab makes the display serve no other client and returns the moment, in one round
// trip.
func (x *Display) grab(how way) (m moment, err error) {
	x.wire.cork()
	xproto.GrabServer(x.conn)
	focus := xproto.GetInputFocus(x.conn)
	owner := xproto.GetSelectionOwner(x.conn, x.atoms["CLIPBOARD"])
	primary := xproto.GetSelectionOwner(x.conn, xproto.AtomPrimary)
	down := xproto.QueryKeymap(x.conn)
	var grab xproto.GrabKeyboardCookie
	if how == faked {
		grab = xproto.GrabKeyboard(x.conn, false, x.root, xproto.TimeCurrentTime, xproto.GrabModeAsync, xproto.GrabModeAsync)
		xproto.UngrabKeyboard(x.conn, xproto.TimeCurrentTime)
	}
	if err := x.wire.uncork(); err != nil {
		return m, err
	}
	f, err1 := focus.Reply()
	o, err2 := owner.Reply()
	p, err3 := primary.Reply()
	d, err4 := down.Reply()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return m, err
	}
	m = moment{focus: f.Focus, owner: o.Owner, primary: p.Owner, down: d.Keys, free: true}
	if how == faked {
		g, err := grab.Reply()
		if err != nil {
			return m, err
		}
		m.free = g.Status == xproto.GrabStatusSuccess
	}
	return m, nil
}

func (m moment) allows(wanted moment, how way) error {
	switch {
	case m.focus != wanted.focus:
		return desk.ErrLostFocus
	case wanted.owner != 0 && m.owner != wanted.owner:
		return desk.NotPressed(errClipboardLost)
	case wanted.primary != 0 && m.primary != wanted.primary:
		return desk.NotPressed(errPrimaryLost)
	case how == faked && !m.free:
		return desk.NotPressed(errors.New("another program has grabbed the keyboard"))
	}
	return nil
}

func (m moment) held(keys []xproto.Keycode) (held []xproto.Keycode) {
	for _, k := range keys {
		if m.down[k/8]&(1<<(k%8)) != 0 {
			held = append(held, k)
		}
	}
	return held
}

// owns is the window that has to own the clipboard: ours, or 0 before a line is on
// it.
func (x *Display) owns() xproto.Window {
	if x.clip == nil {
		return 0
	}
	return x.self
}

// receiver is the window that events are sent to: the one with the focus, if that
// is the editor's own, or the editor's window.
func (x *Display) receiver(focus xproto.Window, w desk.Window) xproto.Window {
	if x.sameClient(focus, xid(w)) {
		return focus
	}
	return xid(w)
}

func (x *Display) sync() error {
	_, err := x.inputFocus()
	return err
}
