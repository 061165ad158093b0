//go:build robotgo

package main

import "errors"

func ready() error { return nil }

// letGo has nothing to do: cursor-ralph waits until no modifier is held. A lone Alt
// that goes up would open a menu.
func letGo() {}

func tapPasteMac() error { return errors.New("the keyboard has no v") }
