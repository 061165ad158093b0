package keystroke

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Windows's virtual-key codes. They name a key by what it does, so a chord made
// of them is the same on every layout. Source: Microsoft, "Virtual-Key Codes".
const (
	vkReturn   = 0x0D
	vkInsert   = 0x2D
	vkF1       = 0x70
	vkLWin     = 0x5B
	vkRWin     = 0x5C
	vkLShift   = 0xA0
	vkRShift   = 0xA1
	vkLControl = 0xA2
	vkRControl = 0xA3
	vkLMenu    = 0xA4 // Alt
	vkRMenu    = 0xA5
	vkNothing  = 0xE8 // assigned to no key
)

// keyEvent is a key that goes down or up.
type keyEvent struct {
	vk uint16
	up bool
}

// modifierKeys are looked at before a chord: one that the user holds would make
// another chord of it.
func modifierKeys() []uint16 {
	return []uint16{vkLShift, vkRShift, vkLControl, vkRControl, vkLMenu, vkRMenu, vkLWin, vkRWin}
}

// extendedKey tells the keys that stand twice on a keyboard and have a prefix
// in their scan code. Without it Insert is the 0 of the number pad, and with
// Num Lock on Shift+Insert pastes nothing. Source: Microsoft, "About Keyboard
// Input", extended-key flag. The right Shift has no prefix, and without the
// flag the left one is taken for it all the same. Source: AutoHotkey,
// SC_RSHIFT.
func extendedKey(vk uint16) bool {
	return slices.Contains([]uint16{vkInsert, vkRShift, vkRControl, vkRMenu, vkLWin, vkRWin}, vk)
}

// virtualKeys gives what is sent for a chord while the user holds some
// modifiers: those are released first and put back last.
//
// Alt or the Windows key going up with no other key in between opens a menu, so
// a key that does nothing goes in between.
func virtualKeys(c Chord, held []uint16) ([]keyEvent, error) {
	key, err := virtualKey(c.Key)
	if err != nil {
		return nil, err
	}
	mods := c.modifiers()
	var events []keyEvent
	down := func(vk uint16) { events = append(events, keyEvent{vk, false}) }
	up := func(vk uint16) { events = append(events, keyEvent{vk, true}) }
	mask := func() {
		if slices.ContainsFunc(held, opensMenu) {
			down(vkNothing)
			up(vkNothing)
		}
	}
	mask()
	for _, vk := range held {
		up(vk)
	}
	for _, vk := range mods {
		down(vk)
	}
	down(key)
	up(key)
	for _, vk := range slices.Backward(mods) {
		up(vk)
	}
	for _, vk := range held {
		down(vk)
	}
	mask()
	return events, nil
}

func opensMenu(vk uint16) bool {
	return slices.Contains([]uint16{vkLMenu, vkRMenu, vkLWin, vkRWin}, vk)
}

func (c Chord) modifiers() (vks []uint16) {
	for _, mod := range []struct {
		held bool
		vk   uint16
	}{{c.Ctrl, vkLControl}, {c.Shift, vkLShift}, {c.Alt, vkLMenu}, {c.Super, vkLWin}} {
		if mod.held {
			vks = append(vks, mod.vk)
		}
	}
	return vks
}

// virtualKey gives the code of a chord's key. Those of letters and digits are
// their ASCII codes.
func virtualKey(key string) (uint16, error) {
	switch {
	case key == "insert":
		return vkInsert, nil
	case key == "return":
		return vkReturn, nil
	case !slices.Contains(chordKeys(), key):
		return 0, fmt.Errorf("there is no key %q", key)
	case len(key) == 1:
		return uint16(strings.ToUpper(key)[0]), nil
	}
	n, err := strconv.Atoi(key[1:])
	return uint16(vkF1 + n - 1), err
}
