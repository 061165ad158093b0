//go:build robotgo

package main

import "github.com/go-vgo/robotgo"

func robotgoVersion() string { return robotgo.Version }

// tap presses by robotgo's keys alone: its Type is wrong on many layouts, and its
// Paste types a bare v. A modifier that the user holds would change the key.
func tap(name string, chord []string) error {
	letGo()
	err := robotgo.KeyTap(chord[0], chord[1:])
	if err != nil && name == "cmd+v" {
		return tapPasteMac() // a layout without a v; nothing was pressed yet
	}
	return err
}
