package x11

import (
	"context"
	"fmt"
	"testing"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const testLine = "/ralph-loop --continue 6f1d2c3b-0a4e-4b5f-9c8d-7e6a5b4c3d2e"

// What the tests of the ways as a whole use of their parts.
var (
	ErrClipboardLost = errClipboardLost
	ErrPrimaryLost   = errPrimaryLost
	ErrTerminal      = errTerminal
	HeldSyms         = heldSyms
)

const (
	AnswerWait = answerWait
	SentWait   = sentUsual + sentWait
)

// Lasting has what the tests share.
var Lasting testdesk.Lasting

var sharedX *testdesk.X

// SharedX returns the display that most tests share. It has no screen saver extension, through which pressed keys
// count as the user's: the next delivery would wait for a second.
func SharedX(t testing.TB) *testdesk.X {
	t.Helper()
	if sharedX == nil {
		sharedX = testdesk.NewX(Lasting.TB(t), "-extension", "MIT-SCREEN-SAVER")
	}
	return sharedX
}

// openShared connects to the shared display, where nothing is copied or selected.
func openShared(t testing.TB) (*testdesk.X, *Display) {
	t.Helper()
	x := SharedX(t)
	c := open(t, x)
	for _, selection := range []xproto.Atom{c.atoms["CLIPBOARD"], xproto.AtomPrimary} {
		_, err := c.own(xproto.WindowNone, selection)
		testdesk.Must(t, err)
	}
	return x, c
}

// open connects to a display for a test.
func open(t testing.TB, x *testdesk.X) *Display {
	t.Helper()
	c, err := Open(testdesk.Patient(t), desk.Machine{Env: x.Env()})
	testdesk.Must(t, err)
	t.Cleanup(c.Close)
	return c
}

// OpenFaked types as into an editor that ignores events that are sent to it, which
// is known from the start or has to be found out.
func OpenFaked(ctx context.Context, m desk.Machine, r desk.Request, known bool) (desk.Session, error) {
	s, err := OpenXTEST(ctx, m, r)
	if err == nil {
		s.Keyboard = deaf{s.Keyboard.(*xtestKeyboard), known}
	}
	return s, err
}

// deaf does not send the paste.
type deaf struct {
	*xtestKeyboard
	known bool
}

func (d deaf) Press(ctx context.Context, w desk.Window, c key.Chord) error {
	switch {
	case c != key.Paste && !d.known:
		return d.xtestKeyboard.Press(ctx, w, c)
	case d.known:
		d.way = faked
		return d.x.step(ctx, w, c, faked)
	}
	return d.noticed(ctx, w)
}

// GrabKeyboard grabs the keyboard as another program may.
func GrabKeyboard(ctx context.Context, m desk.Machine) (release func(), err error) {
	x, err := Open(ctx, m)
	if err != nil {
		return nil, err
	}
	grab, err := xproto.GrabKeyboard(x.conn, false, x.root, 0, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
	if err == nil && grab.Status != xproto.GrabStatusSuccess {
		err = fmt.Errorf("status %d", grab.Status)
	}
	return x.Close, err
}
