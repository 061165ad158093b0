//go:build cgo && !darwin && !windows

package main

/*
#cgo LDFLAGS: -lX11
#include <X11/Xlib.h>
*/
import "C"

import (
	"errors"

	"github.com/go-vgo/robotgo"
)

// ready opens the display that robotgo will, then makes robotgo open it. Where
// it does not open robotgo goes on to :0, whoever sits there, and crashes if
// there is none either.
func ready() error {
	display := C.XOpenDisplay(nil)
	if display == nil {
		return errors.New("the X11 display that DISPLAY names does not open")
	}
	C.XCloseDisplay(display)
	robotgo.Location()
	return nil
}

func tapPasteMac() error { return errors.New("the keyboard has no v") }
