package keystroke

import (
	"context"
	"fmt"
	"slices"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// Keysyms. Source: X11/keysymdef.h.
const (
	symReturn = 0xff0d
	symInsert = 0xff63
	symF1     = 0xffbe
	symShift  = 0xffe1
	symCtrl   = 0xffe3
	symAlt    = 0xffe9
	symSuper  = 0xffeb
)

// heldSyms are of the modifiers that act while they are held, and no more. To
// release and press another one, such as Num_Lock, would change something.
var heldSyms = []xproto.Keysym{
	symShift, symShift + 1, symCtrl, symCtrl + 1, symAlt, symAlt + 1, symSuper, symSuper + 1,
	0xffe7, 0xffe8, // Meta
	0xffed, 0xffee, // Hyper
	0xfe03, 0xfe11, 0xff7e, // ISO_Level3_Shift, ISO_Level5_Shift, Mode_switch
}

// strokes is a chord in the keys of a keyboard.
type strokes struct {
	key       xproto.Keycode
	with      []xproto.Keycode // held meanwhile
	state     uint16           // what an event says of those that are held
	modifiers []xproto.Keycode // all keys that would change the key's meaning
}

// strokes finds chords on the keyboard as it is laid out now.
func (x *x11) strokes(ctx context.Context, chords ...Chord) (found []strokes, err error) {
	err = x.ask(ctx, func() error {
		board, err := x.board()
		if err != nil {
			return err
		}
		for _, c := range chords {
			if c.Key == "" {
				continue
			}
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

// board is a keyboard's layout.
type board struct {
	first     xproto.Keycode
	columns   int
	syms      []xproto.Keysym     // columns of each key: levels, groups
	modifiers [8][]xproto.Keycode // the keys of each modifier
}

func (x *x11) board() (b board, err error) {
	setup := xproto.Setup(x.conn)
	keys := xproto.GetKeyboardMapping(x.conn, setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1))
	modifiers := xproto.GetModifierMapping(x.conn)
	k, err := keys.Reply()
	if err != nil {
		return b, err
	}
	m, err := modifiers.Reply()
	if err != nil {
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

// find gives the key that has a keysym in one of its groups, the first group
// first: what an editor makes of a key does not hang on the group.
func (b board) find(sym xproto.Keysym) (xproto.Keycode, bool) {
	for column := range b.columns {
		for i := column; i < len(b.syms); i += b.columns {
			if b.syms[i] == sym {
				return b.first + xproto.Keycode(i/b.columns), true
			}
		}
	}
	return 0, false
}

func (b board) strokes(c Chord) (s strokes, err error) {
	key, ok := b.find(symOf(c.Key))
	if !ok {
		return s, fmt.Errorf("the keyboard has no key %s", c.Key)
	}
	s = strokes{key: key, modifiers: b.held()}
	for _, m := range []struct {
		held bool
		sym  xproto.Keysym
		name string
	}{{c.Ctrl, symCtrl, "ctrl"}, {c.Shift, symShift, "shift"}, {c.Alt, symAlt, "alt"}, {c.Super, symSuper, "super"}} {
		if !m.held {
			continue
		}
		key, ok := b.find(m.sym)
		if !ok {
			return s, fmt.Errorf("the keyboard has no key %s", m.name)
		}
		s.with = append(s.with, key)
		s.state |= b.mask(key)
	}
	return s, nil
}

func symOf(key string) xproto.Keysym {
	var n int
	switch {
	case key == "insert":
		return symInsert
	case key == "return":
		return symReturn
	case len(key) == 1: // in Latin 1 a keysym is the character
		return xproto.Keysym(key[0])
	}
	if _, err := fmt.Sscanf(key, "f%d", &n); err != nil || n < 1 || n > 12 {
		return 0xffffff // which no key has
	}
	return symF1 + xproto.Keysym(n-1)
}

// mask gives the bits of a state that a modifier key stands for.
func (b board) mask(key xproto.Keycode) (state uint16) {
	for i, keys := range b.modifiers {
		if slices.Contains(keys, key) {
			state |= 1 << i
		}
	}
	return state
}

// held gives the modifier keys that may be released and pressed again.
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
func (x *x11) sendKeys(s strokes, to xproto.Window, now xproto.Timestamp) {
	e := xproto.KeyPressEvent{
		Detail: s.key, Time: now, Root: x.root, Event: to, State: s.state, SameScreen: true,
	}
	xproto.SendEvent(x.conn, false, to, 0, string(e.Bytes()))
	xproto.SendEvent(x.conn, false, to, 0, string(xproto.KeyReleaseEvent(e).Bytes()))
}

// fakeKeys presses and releases keys. Modifiers that are held are released
// before, and held again afterwards; so are our own, for one that was put back
// earlier stays down for XTEST until it is released there.
func (x *x11) fakeKeys(s strokes, held []xproto.Keycode) {
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
