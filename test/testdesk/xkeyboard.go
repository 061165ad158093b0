package testdesk

import (
	"context"
	"strings"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// Shift and the others are what a keyboard holds: X11's state bits.
const (
	Shift    = xproto.ModMaskShift
	CapsLock = xproto.ModMaskLock
	Ctrl     = xproto.ModMaskControl
	Alt      = xproto.ModMask1
)

// modifierKeys are keycodes that all layouts of a PC keyboard have in common.
// Source: xkeyboard-config, keycodes/evdev.
var modifierKeys = map[uint16]byte{Shift: 50, Ctrl: 37, Alt: 64}

// Layout sets the keyboard's layouts, such as de, or us,ru, in the first group.
func (x *X) Layout(ctx context.Context, layout string) error {
	layout, variant, _ := strings.Cut(layout, "/")
	if _, err := x.run(ctx, "setxkbmap", "-layout", layout, "-variant", variant); err != nil {
		return err
	}
	return x.Group(ctx, 0)
}

// Group locks one of the layouts that the keyboard has, from 0.
func (x *X) Group(ctx context.Context, n int) error {
	return x.lock(ctx, 0, 0, true, n)
}

// CapsLock turns Caps Lock on or off.
func (x *X) CapsLock(ctx context.Context, on bool) error {
	var locks byte
	if on {
		locks = CapsLock
	}
	return x.lock(ctx, CapsLock, locks, false, 0)
}

// lock sets locked modifiers or the locked group. Source: the XKB protocol,
// requests UseExtension and LatchLockState.
func (x *X) lock(ctx context.Context, affect, locks byte, setGroup bool, group int) error {
	xkb, err := xproto.QueryExtension(x.conn, 9, "XKEYBOARD").Reply()
	if err != nil {
		return err
	}
	use := x.conn.NewCookie(true, true)
	x.conn.NewRequest([]byte{xkb.MajorOpcode, 0, 2, 0, 1, 0, 0, 0}, use)
	if _, err := use.Reply(); err != nil {
		return err
	}
	const coreKeyboard = 0x100
	buf := make([]byte, 16)
	buf[0], buf[1] = xkb.MajorOpcode, 5
	xgb.Put16(buf[2:], uint16(len(buf)/4))
	xgb.Put16(buf[4:], coreKeyboard)
	buf[6], buf[7] = affect, locks
	if setGroup {
		buf[8], buf[9] = 1, byte(group)
	}
	set := x.conn.NewCookie(true, false)
	x.conn.NewRequest(buf, set)
	return set.Check()
}

// Held returns the state bits of the keyboard: modifiers held, and CapsLock if it
// is on.
func (x *X) Held() (uint16, error) {
	p, err := xproto.QueryPointer(x.conn, x.root).Reply()
	if err != nil {
		return 0, err
	}
	return p.Mask & 0xff, nil
}

// CurrentGroup returns the layout that is in use, from 0.
func (x *X) CurrentGroup() (int, error) {
	p, err := xproto.QueryPointer(x.conn, x.root).Reply()
	if err != nil {
		return 0, err
	}
	return int(p.Mask >> 13 & 3), nil // XKB puts the group into bits 13 and 14
}

// Hold presses Shift, Ctrl or Alt and keeps it down.
func (x *X) Hold(modifier uint16) error { return x.key(xproto.KeyPress, modifierKeys[modifier]) }

// LetGo releases Shift, Ctrl or Alt.
func (x *X) LetGo(modifier uint16) error { return x.key(xproto.KeyRelease, modifierKeys[modifier]) }

func (x *X) key(event, keycode byte) error {
	return xtest.FakeInputChecked(x.conn, event, keycode, 0, x.root, 0, 0, 0).Check()
}

// Down returns the keycodes of all keys that are down.
func (x *X) Down() ([]byte, error) {
	keymap, err := xproto.QueryKeymap(x.conn).Reply()
	if err != nil {
		return nil, err
	}
	var down []byte
	for code := range 256 {
		if keymap.Keys[code/8]>>(code%8)&1 != 0 {
			down = append(down, byte(code))
		}
	}
	return down, nil
}
