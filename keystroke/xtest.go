package keystroke

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// xtestInjector types by X11 itself. The check of the focus and the key are one
// step: the display serves nobody else meanwhile.
type xtestInjector struct{ m Machine }

func newXTEST(m Machine) Injector { return xtestInjector{m} }

// Name is xtest.
func (xtestInjector) Name() string { return "xtest" }

// Probe connects, and looks for the window and for the keys.
func (i xtestInjector) Probe(ctx context.Context, t Target) error {
	x, err := openX11(ctx, i.m)
	if err != nil {
		return err
	}
	defer x.close()
	if err := x.quick(); err != nil {
		return err
	}
	if _, err := find(ctx, t, x); err != nil {
		return err
	}
	_, err = x.strokes(ctx, pasteChord, returnChord, t.FocusKeys)
	return err
}

// quick wants a display that answers within the time that it may be grabbed
// for: a guard would kill us otherwise, in the middle of it.
func (x *x11) quick() error {
	if x.trip > guardGrabMost/4 {
		return fmt.Errorf("display %s takes %s for an answer, too long to be held meanwhile", x.display, x.trip.Round(time.Millisecond))
	}
	return nil
}

// Type delivers the line.
func (i xtestInjector) Type(ctx context.Context, t Target) error {
	x, err := openX11(ctx, i.m)
	if err != nil {
		return err
	}
	defer x.close()
	if err := x.quick(); err != nil {
		return err
	}
	if _, err := x.strokes(ctx, pasteChord, returnChord, t.FocusKeys); err != nil {
		return err
	}
	return deliver(ctx, t, x, &xtestKeyboard{x: x, permit: t.permit})
}

// way is how a key gets to a window.
type way int

const (
	// sent is straight to the window, as an event. It leaves no key down, and
	// held keys and programs that have grabbed the keyboard do not matter; but
	// an editor may ignore such events.
	sent way = iota
	// faked is by the XTEST extension, as if it came from a keyboard.
	faked
)

// The patience with a paste that was sent.
const (
	sentUsual = 300 * time.Millisecond  // in which the editor usually fetches the line
	sentWait  = 1500 * time.Millisecond // in which an editor fetches it that has seen the key
)

// xtestKeyboard presses keys on an X11 display. Which way the editor takes them
// is found out by the paste, because its fetch is seen. What comes before the
// paste is faked.
type xtestKeyboard struct {
	x      *x11
	way    way
	permit func(context.Context) error
}

func (k *xtestKeyboard) press(ctx context.Context, w window, c Chord) error {
	switch c {
	case pasteChord:
		return k.paste(ctx, w)
	case returnChord:
		return k.x.step(ctx, w, c, k.way)
	}
	return k.x.step(ctx, w, c, faked)
}

func (k *xtestKeyboard) paste(ctx context.Context, w window) error {
	if err := k.x.step(ctx, w, pasteChord, sent); err != nil {
		return err
	}
	return k.noticed(ctx, w)
}

// noticed waits until the editor takes notice of a paste that was sent, and
// fakes it if it does not. An editor that is only slow would paste twice then,
// so it has to answer before.
func (k *xtestKeyboard) noticed(ctx context.Context, w window) error {
	if err := k.x.clip.wait(ctx, sentUsual, 0); !errors.Is(err, errNotFetched) {
		return err
	}
	if err := k.x.ping(ctx, w); err != nil {
		return err
	}
	if err := k.x.clip.wait(ctx, sentWait, 0); !errors.Is(err, errNotFetched) {
		return err
	}
	k.way = faked
	for end := time.Now().Add(pressWait); ; {
		if err := k.permit(ctx); err != nil {
			return err
		}
		err := k.x.step(ctx, w, pasteChord, faked)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, errLostFocus) || time.Now().After(end):
			// Not %w: it would tell that no key was pressed.
			return fmt.Errorf("the editor ignored the key that was sent to it, and faking it: %v", err)
		}
		if err := sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// ping waits until the editor has seen all events that were sent to its window.
// A window that does not answer pings is trusted to have.
func (x *x11) ping(ctx context.Context, w window) error {
	events, stop := x.events()
	defer stop()
	heard := func(mask uint32) {
		xproto.ChangeWindowAttributes(x.conn, x.root, xproto.CwEventMask, []uint32{mask})
	}
	heard(xproto.EventMaskSubstructureNotify)
	defer heard(xproto.EventMaskNoEvent)
	answers := false
	err := x.ask(ctx, func() error {
		protocols, err := x.numbers(w.xid(), "WM_PROTOCOLS")
		answers = slices.Contains(protocols, uint32(x.atoms["_NET_WM_PING"]))
		return err
	})
	if err != nil || !answers {
		return err
	}
	message := xproto.ClientMessageEvent{
		Format: 32, Window: w.xid(), Type: x.atoms["WM_PROTOCOLS"],
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(x.atoms["_NET_WM_PING"]), uint32(x.clip.clipboard.took), uint32(w.xid()), 0, 0}),
	}
	xproto.SendEvent(x.conn, false, w.xid(), 0, string(message.Bytes()))
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	err = x.await(ctx, events, func(event xgb.Event) bool {
		e, ok := event.(xproto.ClientMessageEvent)
		return ok && e.Window == x.root && e.Type == x.atoms["WM_PROTOCOLS"] && e.Data.Data32[0] == uint32(x.atoms["_NET_WM_PING"]) &&
			e.Data.Data32[2] == uint32(w.xid())
	})
	if err != nil {
		return fmt.Errorf("the editor does not answer: %w", err)
	}
	return nil
}

// step checks and presses, while the display serves nobody else. Between the
// two nothing is done that could take long.
func (x *x11) step(ctx context.Context, w window, c Chord, how way) error {
	s, err := x.strokes(ctx, c)
	if err != nil {
		return unpressed{err}
	}
	if how == faked {
		if err := x.ask(ctx, func() error { return xtest.Init(x.conn) }); err != nil {
			return unpressed{err}
		}
	}
	x.watched()
	return x.ask(context.WithoutCancel(ctx), func() error {
		focus, err := x.inputFocus()
		if err != nil {
			return err
		}
		if in, err := x.within(focus, w.xid()); err != nil || !in {
			return errors.Join(err, errLostFocus)
		}
		now, err := x.now()
		if err != nil {
			return err
		}
		x.guard.grabs(x.trip)
		defer x.guard.say(sayFree)
		m, err := x.grab(how)
		if err != nil {
			return err // of the connection: with it the grab is gone
		}
		err = m.allows(x.wanted(focus, c), how)
		x.wire.cork()
		switch {
		case err != nil:
		case how == sent:
			x.sendKeys(s[0], x.receiver(focus, w), now)
		default:
			x.fakeKeys(s[0], m.held(s[0].modifiers))
		}
		xproto.UngrabServer(x.conn)
		return errors.Join(err, x.wire.uncork(), x.sync())
	})
}

// unpressed is an error before which no key was pressed.
type unpressed struct{ error }

// Unwrap gives the cause.
func (e unpressed) Unwrap() error { return e.error }

// owns is the window of ours that has to own the clipboard, 0 before a line is
// on it.
func (x *x11) owns() xproto.Window {
	if x.clip == nil {
		return 0
	}
	return x.self
}

// receiver is who gets what is sent: what has the focus, if that is the
// editor's own, or the editor's window.
func (x *x11) receiver(focus xproto.Window, w window) xproto.Window {
	if x.sameClient(focus, w.xid()) {
		return focus
	}
	return w.xid()
}

// moment is how things are while the display serves nobody else.
type moment struct {
	focus, owner, primary xproto.Window // of the keys, and the owners of the clipboard and of what is selected
	free                  bool          // nobody has grabbed the keyboard
	down                  []byte        // a bit for each key
}

// wanted is how things have to be for a chord; an owner of 0 is any. What is
// selected has to be ours for a paste alone: a terminal would paste it.
func (x *x11) wanted(focus xproto.Window, c Chord) moment {
	m := moment{focus: focus, owner: x.owns()}
	if c == pasteChord {
		m.primary = x.owns()
	}
	return m
}

// grab makes the display serve nobody else, and tells how things are, in one
// round trip.
func (x *x11) grab(how way) (m moment, err error) {
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
	f, err := focus.Reply()
	if err != nil {
		return m, err
	}
	o, err := owner.Reply()
	if err != nil {
		return m, err
	}
	p, err := primary.Reply()
	if err != nil {
		return m, err
	}
	d, err := down.Reply()
	if err != nil {
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

// allows tells whether a key may be pressed now.
func (m moment) allows(wanted moment, how way) error {
	switch {
	case m.focus != wanted.focus:
		return errLostFocus
	case wanted.owner != 0 && m.owner != wanted.owner:
		return unpressed{errClipboardLost}
	case wanted.primary != 0 && m.primary != wanted.primary:
		return unpressed{errPrimaryLost}
	case how == faked && !m.free:
		return unpressed{errors.New("another program has grabbed the keyboard")}
	}
	return nil
}

// held gives those of some keys that are down.
func (m moment) held(keys []xproto.Keycode) (held []xproto.Keycode) {
	for _, k := range keys {
		if m.down[k/8]&(1<<(k%8)) != 0 {
			held = append(held, k)
		}
	}
	return held
}

// sync waits until the display has done what it was told.
func (x *x11) sync() error {
	_, err := x.inputFocus()
	return err
}
