package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// heldSyms are of the modifiers that act while they are held, and no more. To
// release and press another one, such as Num_Lock, would change something.
var heldSyms = []xproto.Keysym{
	0xffe1, 0xffe2, // Shift
	0xffe3, 0xffe4, // Control
	0xffe9, 0xffea, // Alt
	0xffeb, 0xffec, // Super
	0xffe7, 0xffe8, // Meta
	0xffed, 0xffee, // Hyper
	0xfe03, 0xfe11, 0xff7e, // ISO_Level3_Shift, ISO_Level5_Shift, Mode_switch
}

type strokes struct {
	key       xproto.Keycode
	with      []xproto.Keycode // held meanwhile
	state     uint16           // what an event says of those that are held
	modifiers []xproto.Keycode // all keys that would change the key's meaning
}

func (x *Display) strokes(ctx context.Context, chords ...key.Chord) (found []strokes, err error) {
	err = x.ask(ctx, func() error {
		board, err := x.board()
		if err != nil {
			return err
		}
		for _, c := range chords {
			s, err := board.strokes(c)
			if err != nil {
				return err
			}
			found = append(found, s)
		}
		return nil
	})
	return found, err
}

type board struct {
	first     xproto.Keycode
	columns   int
	syms      []xproto.Keysym     // columns of each key: levels, groups
	modifiers [8][]xproto.Keycode // the keys of each modifier
}

func (x *Display) board() (b board, err error) {
	setup := xproto.Setup(x.conn)
	keys := xproto.GetKeyboardMapping(x.conn, setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1))
	modifiers := xproto.GetModifierMapping(x.conn)
	k, err1 := keys.Reply()
	m, err2 := modifiers.Reply()
	if err := errors.Join(err1, err2); err != nil {
		return b, err
	}
	b = board{first: setup.MinKeycode, columns: int(k.KeysymsPerKeycode), syms: k.Keysyms}
	n := int(m.KeycodesPerModifier)
	for i := range b.modifiers {
		for _, key := range m.Keycodes[i*n : (i+1)*n] {
			if key != 0 {
				b.modifiers[i] = append(b.modifiers[i], key)
			}
		}
	}
	return b, nil
}

// find returns the key that has a keysym in one of its groups, the first group
// first: what an editor makes of a key does not depend on the group.
func (b board) find(sym uint32, name string) (xproto.Keycode, error) {
	for column := range b.columns {
		for i := column; i < len(b.syms); i += b.columns {
			if uint32(b.syms[i]) == sym {
				return b.first + xproto.Keycode(i/b.columns), nil
			}
		}
	}
	return 0, fmt.Errorf("the keyboard has no key %s", name)
}

func (b board) strokes(c key.Chord) (s strokes, err error) {
	k, err := key.Of(c)
	if err != nil {
		return s, err
	}
	s = strokes{modifiers: b.held()}
	if s.key, err = b.find(k.Sym, k.Name); err != nil {
		return s, err
	}
	for _, m := range key.Held(c) {
		with, err := b.find(m.Sym, m.Name)
		if err != nil {
			return s, err
		}
		s.with = append(s.with, with)
		s.state |= b.mask(with)
	}
	return s, nil
}

func (b board) mask(key xproto.Keycode) (state uint16) {
	for i, keys := range b.modifiers {
		if slices.Contains(keys, key) {
			state |= 1 << i
		}
	}
	return state
}

func (b board) held() (keys []xproto.Keycode) {
	for _, all := range b.modifiers {
		for _, key := range all {
			i := int(key-b.first) * b.columns
			if i >= 0 && i < len(b.syms) && slices.Contains(heldSyms, b.syms[i]) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// sendKeys sends a key with its modifiers as events of the window's own.
func (x *Display) sendKeys(s strokes, to xproto.Window, now xproto.Timestamp) {
	e := xproto.KeyPressEvent{
		Detail: s.key, Time: now, Root: x.root, Event: to, State: s.state, SameScreen: true,
	}
	xproto.SendEvent(x.conn, false, to, 0, string(e.Bytes()))
	xproto.SendEvent(x.conn, false, to, 0, string(xproto.KeyReleaseEvent(e).Bytes()))
}

// fakeKeys presses and releases keys. Modifiers that are held are released
// before, and held again afterwards; so are our own, for one that was put back
// earlier stays down for XTEST until it is released there.
func (x *Display) fakeKeys(s strokes, held []xproto.Keycode) {
	fake := func(kind byte, keys ...xproto.Keycode) {
		for _, key := range keys {
			xtest.FakeInput(x.conn, kind, byte(key), 0, xproto.WindowNone, 0, 0, 0)
		}
	}
	fake(xproto.KeyRelease, held...)
	fake(xproto.KeyRelease, s.with...)
	fake(xproto.KeyPress, s.with...)
	fake(xproto.KeyPress, s.key)
	fake(xproto.KeyRelease, s.key)
	for _, key := range slices.Backward(s.with) {
		fake(xproto.KeyRelease, key)
	}
	fake(xproto.KeyPress, held...)
}
