package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// OpenXTEST types by X11 itself. The check of the focus and the key are one step:
// the display serves nobody else meanwhile.
func OpenXTEST(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error) {
	x, err := Open(ctx, m)
	if err != nil {
		return desk.Session{}, err
	}
	if err := errors.Join(x.quick(), x.canPress(ctx, r)); err != nil {
		x.Close()
		return desk.Session{}, err
	}
	return desk.Session{Desk: x, Keyboard: &xtestKeyboard{x: x, permit: r.Permit}, Close: x.Close}, nil
}

func (x *Display) canPress(ctx context.Context, r desk.Request) error {
	_, err := x.strokes(ctx, r.Chords()...)
	return err
}

// quick returns an error for a display that takes longer to answer than it may be
// grabbed: the guard would kill us in the middle.
func (x *Display) quick() error {
	if x.trip > guardGrabMost/4 {
		return fmt.Errorf("display %s takes %s for an answer, too long to be held meanwhile", x.display, x.trip.Round(time.Millisecond))
	}
	return nil
}

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
	fakeWait  = 1500 * time.Millisecond // for a moment in which the window has the focus, to fake it
)

// xtestKeyboard presses keys on an X11 display. Which way the editor takes them
// is found out by the paste, because its fetch is seen. What comes before the
// paste is faked.
type xtestKeyboard struct {
	x      *Display
	way    way
	permit func(context.Context) error
}

// Press sends or fakes a chord.
func (k *xtestKeyboard) Press(ctx context.Context, w desk.Window, c key.Chord) error {
	switch {
	case c == key.Paste:
		return k.paste(ctx, w)
	case c.Key == key.Return.Key: // whatever submits
		return k.x.step(ctx, w, c, k.way)
	}
	return k.x.step(ctx, w, c, faked)
}

func (k *xtestKeyboard) paste(ctx context.Context, w desk.Window) error {
	if err := k.x.step(ctx, w, key.Paste, sent); err != nil {
		return err
	}
	return k.noticed(ctx, w)
}

// noticed waits until the editor takes notice of a paste that was sent, and
// fakes it if it does not. An editor that is only slow would paste twice then,
// so it has to answer before.
func (k *xtestKeyboard) noticed(ctx context.Context, w desk.Window) error {
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
	for end := time.Now().Add(fakeWait); ; {
		if err := k.permit(ctx); err != nil {
			return err
		}
		err := k.x.step(ctx, w, key.Paste, faked)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, desk.ErrLostFocus) || time.Now().After(end):
			// Not %w: it would mean that no key was pressed.
			return fmt.Errorf("the editor ignored the key that was sent to it, and faking it: %v", err)
		}
		if err := proc.Sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// ping waits until the editor has seen all events that were sent to its window.
// A window that does not answer pings is trusted to have.
func (x *Display) ping(ctx context.Context, w desk.Window) error {
	events, stop := x.events()
	defer stop()
	listen := func(mask uint32) {
		xproto.ChangeWindowAttributes(x.conn, x.root, xproto.CwEventMask, []uint32{mask})
	}
	listen(xproto.EventMaskSubstructureNotify)
	defer listen(xproto.EventMaskNoEvent)
	answers := false
	err := x.ask(ctx, func() error {
		protocols, err := x.numbers(xid(w), "WM_PROTOCOLS")
		answers = slices.Contains(protocols, uint32(x.atoms["_NET_WM_PING"]))
		return err
	})
	if err != nil || !answers {
		return err
	}
	message := xproto.ClientMessageEvent{
		Format: 32, Window: xid(w), Type: x.atoms["WM_PROTOCOLS"],
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(x.atoms["_NET_WM_PING"]), uint32(x.clip.clipboard.took), uint32(xid(w)), 0, 0}),
	}
	xproto.SendEvent(x.conn, false, xid(w), 0, string(message.Bytes()))
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	err = x.await(ctx, events, func(event xgb.Event) bool {
		e, ok := event.(xproto.ClientMessageEvent)
		return ok && e.Window == x.root && e.Type == x.atoms["WM_PROTOCOLS"] && e.Data.Data32[0] == uint32(x.atoms["_NET_WM_PING"]) &&
			e.Data.Data32[2] == uint32(xid(w))
	})
	if err != nil {
		return fmt.Errorf("the editor does not answer: %w", err)
	}
	return nil
}

// step checks and presses while the display serves no other client. Nothing slow
// happens between the two.
func (x *Display) step(ctx context.Context, w desk.Window, c key.Chord, how way) error {
	s, err := x.strokes(ctx, c)
	if err != nil {
		return desk.NotPressed(err)
	}
	if how == faked {
		if err := x.ask(ctx, func() error { return xtest.Init(x.conn) }); err != nil {
			return desk.NotPressed(err)
		}
	}
	x.watched()
	return x.ask(context.WithoutCancel(ctx), func() error {
		focus, err := x.inputFocus()
		if err != nil {
			return err
		}
		if in, err := x.within(focus, xid(w)); err != nil || !in {
			return errors.Join(err, desk.ErrLostFocus)
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
