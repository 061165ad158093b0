//go:build linux

package testdesk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Keyboard is a keyboard of sway, as if the user had plugged it in: with a
// layout, with Caps Lock, with keys that are held. It is a client of the
// virtual-keyboard protocol. Source: virtual-keyboard-unstable-v1.xml, and
// wayland.xml for how a client begins.
type Keyboard struct {
	conn *net.UnixConn

	mu     sync.Mutex
	held   uint32 // modifiers
	locked uint32
}

// Objects of the keyboard's connection.
const (
	wlDisplay = 1 + iota
	wlRegistry
	wlCallback
	wlSeat
	wlManager
	wlKeyboard
)

// modifiers have the bits of XKB's real modifiers by the codes of their keys.
var modifiers = map[uint16]uint32{42: 1, 54: 1, 29: 4, 97: 4, 56: 8, 125: 64}

const capsLock = 2

// NewKeyboard plugs a keyboard in. The layout is one of XKB's, such as de.
func (s *Sway) NewKeyboard(layout string) (*Keyboard, error) {
	display := ""
	for _, pair := range s.Env {
		if value, ok := strings.CutPrefix(pair, "WAYLAND_DISPLAY="); ok {
			display = value
		}
	}
	addr := &net.UnixAddr{Name: filepath.Join(s.dir, display), Net: "unix"}
	conn, err := net.DialUnix("unix", nil, addr)
	if err != nil {
		return nil, err
	}
	k := &Keyboard{conn: conn}
	if err := k.open(s.dir, layout); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return k, nil
}

func (k *Keyboard) open(dir, layout string) error {
	names, err := k.names()
	if err != nil {
		return err
	}
	for _, want := range []struct {
		iface string
		id    uint32
	}{{"wl_seat", wlSeat}, {"zwp_virtual_keyboard_manager_v1", wlManager}} {
		name, ok := names[want.iface]
		if !ok {
			return fmt.Errorf("sway has no %s", want.iface)
		}
		if err := k.send(nil, wlRegistry, 0, name, want.iface, uint32(1), want.id); err != nil {
			return err
		}
	}
	if err := k.send(nil, wlManager, 0, uint32(wlSeat), uint32(wlKeyboard)); err != nil {
		return err
	}
	if err := k.keymap(dir, layout); err != nil {
		return err
	}
	go func() { _, _ = io.Copy(io.Discard, k.conn) }() // events are of no interest; ends with Close
	return nil
}

// names returns the numbers of the globals.
func (k *Keyboard) names() (map[string]uint32, error) {
	err := errors.Join(k.send(nil, wlDisplay, 1, uint32(wlRegistry)), k.send(nil, wlDisplay, 0, uint32(wlCallback)))
	names := map[string]uint32{}
	for err == nil {
		var head [8]byte
		if _, err = io.ReadFull(k.conn, head[:]); err != nil {
			break
		}
		body := make([]byte, binary.NativeEndian.Uint32(head[4:])>>16-8)
		if _, err = io.ReadFull(k.conn, body); err != nil {
			break
		}
		switch binary.NativeEndian.Uint32(head[:]) {
		case wlCallback:
			return names, nil
		case wlRegistry:
			n := binary.NativeEndian.Uint32(body[4:])
			names[string(body[8:8+n-1])] = binary.NativeEndian.Uint32(body)
		}
	}
	return nil, err
}

// keymap sends a keymap; sway looks the includes up.
func (k *Keyboard) keymap(dir, layout string) error {
	text := `xkb_keymap { xkb_keycodes { include "evdev+aliases(qwerty)" }; xkb_types { include "complete" }; ` +
		`xkb_compat { include "complete" }; xkb_symbols { include "pc+` + layout + `+inet(evdev)" }; };` + "\x00"
	file, err := os.CreateTemp(dir, "keymap")
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	return k.send(file, wlKeyboard, 0, uint32(1), uint32(len(text)))
}

// send sends a request with numbers and strings, and a file beside it.
func (k *Keyboard) send(file *os.File, object uint32, opcode uint32, args ...any) error {
	var body []byte
	for _, arg := range args {
		switch arg := arg.(type) {
		case uint32:
			body = binary.NativeEndian.AppendUint32(body, arg)
		case string:
			body = binary.NativeEndian.AppendUint32(body, uint32(len(arg)+1))
			body = append(body, arg+"\x00\x00\x00\x00"[:4-len(arg)%4]...)
		}
	}
	message := binary.NativeEndian.AppendUint32(nil, object)
	message = binary.NativeEndian.AppendUint32(message, uint32(len(body)+8)<<16|opcode)
	var rights []byte
	if file != nil {
		rights = syscall.UnixRights(int(file.Fd()))
	}
	_, _, err := k.conn.WriteMsgUnix(append(message, body...), rights, nil)
	return err
}

// Key presses or releases a key by its code of linux/input-event-codes.h.
func (k *Keyboard) Key(code uint16, down bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	state := uint32(0)
	if down {
		state = 1
	}
	if err := k.send(nil, wlKeyboard, 1, uint32(0), uint32(code), state); err != nil {
		return err
	}
	if bit := modifiers[code]; bit != 0 {
		k.held &^= bit
		if down {
			k.held |= bit
		}
		return k.send(nil, wlKeyboard, 2, k.held, uint32(0), k.locked, uint32(0))
	}
	return nil
}

// CapsLock switches Caps Lock.
func (k *Keyboard) CapsLock(on bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.locked = 0
	if on {
		k.locked = capsLock
	}
	return k.send(nil, wlKeyboard, 2, k.held, uint32(0), k.locked, uint32(0))
}

// Close unplugs the keyboard.
func (k *Keyboard) Close() error { return k.conn.Close() }
