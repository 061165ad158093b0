package windows

import (
	"slices"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// Windows's virtual-key codes that code here names, beside those of the key
// table. They name a key by what it does, so a chord made of them is the same on
// every layout. Source: Microsoft, "Virtual-Key Codes".
const (
	vkInsert   = 0x2D
	vkLWin     = 0x5B
	vkRWin     = 0x5C
	vkRShift   = 0xA1
	vkRControl = 0xA3
	vkLMenu    = 0xA4 // Alt
	vkRMenu    = 0xA5
	vkNothing  = 0xE8 // assigned to no key
)

type keyEvent struct {
	vk uint16
	up bool
}

// modifierKeys are looked at before a chord: one that the user holds would make
// another chord of it.
func modifierKeys() (vks []uint16) {
	for _, m := range key.Modifiers() {
		vks = append(vks, m.VK[:]...)
	}
	return vks
}

// extendedKey reports whether a key stands twice on a keyboard and has a prefix in
// its scan code. Without it Insert is the 0 of the number pad, and with
// Num Lock on Shift+Insert pastes nothing. Source: Microsoft, "About Keyboard
// Input", extended-key flag. The right Shift has no prefix, and without the
// flag Windows still reports the left one. Source: AutoHotkey,
// SC_RSHIFT.
func extendedKey(vk uint16) bool {
	return slices.Contains([]uint16{vkInsert, vkRShift, vkRControl, vkRMenu, vkLWin, vkRWin}, vk)
}

// virtualKeys returns what is sent for a chord while the user holds some modifiers:
// those are released first and put back last.
//
// Alt or the Windows key opens a menu when it goes up without another key since it
// went down, so a key that does nothing is pressed before.
func virtualKeys(c key.Chord, held []uint16) ([]keyEvent, error) {
	k, err := key.Of(c)
	if err != nil {
		return nil, err
	}
	var mods []uint16
	for _, m := range key.Held(c) {
		mods = append(mods, m.VK[0])
	}
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
	down(k.VK)
	up(k.VK)
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
