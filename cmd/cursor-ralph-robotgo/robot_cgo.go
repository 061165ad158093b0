//go:build cgo

package main

import "github.com/go-vgo/robotgo"

const built = true

func robotgoVersion() string { return robotgo.Version }

// perform presses by robotgo's keys alone: its Type is wrong on many layouts,
// and its Paste types a bare v.
func (a action) perform() error {
	if a.do != "press" {
		return robotgo.KeyToggle(a.key, a.do)
	}
	err := robotgo.KeyTap(a.key, a.modifiers)
	if err != nil && a.name == pasteMac {
		return tapPasteMac() // a layout without a v; nothing was pressed yet
	}
	return err
}

// pasteMac is what pastes on macOS.
const pasteMac = "cmd+v"
