package x11

import (
	"context"
	"errors"
	"fmt"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// OpenProgram opens the display for a program that presses the keys. Prepare gets
// the program ready for a chord.
func OpenProgram(ctx context.Context, m desk.Machine, r desk.Request, prepare func(Pressing) (desk.Prepared, error)) (desk.Session, error) {
	x, err := Open(ctx, m)
	if err != nil {
		return desk.Session{}, err
	}
	if err := x.canPress(ctx, r); err != nil {
		x.Close()
		return desk.Session{}, err
	}
	keyboard := desk.ProgramKeyboard{Desk: x, Prepare: func(ctx context.Context, c key.Chord) (desk.Prepared, error) {
		p, err := x.pressing(ctx, c)
		if err != nil {
			return desk.Prepared{}, err
		}
		prepared, err := prepare(p)
		press := prepared.Press
		prepared.Press = func() error { return x.clean(p, press()) }
		return prepared, err
	}}
	return desk.Session{Desk: x, Keyboard: keyboard, Close: x.Close}, nil
}

// Pressing is what a program needs to know of the keyboard to press a chord.
type Pressing struct {
	Chord key.Chord
	strokes
	held []xproto.Keycode // modifiers that are down, to be released and pressed again
	syms []xproto.Keysym  // of those
}

// HeldNames returns the names of the held modifiers, such as lshift.
func (p Pressing) HeldNames() (names []string, err error) {
	for n, sym := range p.syms {
		name := ""
		for _, m := range key.Modifiers() {
			switch uint32(sym) {
			case m.Sym:
				name = "l" + m.Name
			case m.Sym + 1:
				name = "r" + m.Name
			}
		}
		if name == "" {
			return nil, fmt.Errorf("the modifier key %d is held, which robotgo does not know", p.held[n])
		}
		names = append(names, name)
	}
	return names, nil
}

// pressing looks at the keyboard, and checks that clipboard and selection are
// still ours.
func (x *Display) pressing(ctx context.Context, c key.Chord) (p Pressing, err error) {
	p.Chord = c
	err = x.ask(ctx, func() error {
		b, err := x.board()
		if err != nil {
			return err
		}
		if p.strokes, err = b.strokes(c); err != nil {
			return err
		}
		if p.held, err = x.down(p.modifiers); err != nil {
			return err
		}
		for _, key := range p.held {
			p.syms = append(p.syms, b.syms[int(key-b.first)*b.columns])
		}
		return x.stillOwns(x.wanted(0, c))
	})
	return p, err
}

func (x *Display) stillOwns(wanted moment) error {
	owner, err1 := x.owner()
	primary, err2 := x.ownerOf(xproto.AtomPrimary)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return moment{owner: owner, primary: primary}.allows(wanted, sent)
}

func (x *Display) down(keys []xproto.Keycode) ([]xproto.Keycode, error) {
	reply, err := xproto.QueryKeymap(x.conn).Reply()
	if err != nil {
		return nil, err
	}
	return moment{down: reply.Keys}.held(keys), nil
}

// clean releases what a program that failed has left down: it would repeat.
func (x *Display) clean(p Pressing, err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, x.ask(context.Background(), func() error {
		left, err := x.down(append(p.with, p.key))
		if err == nil && len(left) > 0 {
			err = xtest.Init(x.conn)
		}
		if err != nil {
			return err
		}
		for _, key := range left {
			xtest.FakeInput(x.conn, xproto.KeyRelease, byte(key), 0, xproto.WindowNone, 0, 0, 0)
		}
		return x.sync()
	}))
}
