package x11

import (
	"context"
	"fmt"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

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
