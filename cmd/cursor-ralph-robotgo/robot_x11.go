//go:build robotgo && !darwin && !windows

package main

/*
#cgo LDFLAGS: -lX11 -lXtst
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>

static void letGo(void) {
	// Both Shift, Ctrl, Alt and Super keys, by the codes that evdev has for every layout.
	static const unsigned int codes[] = {50, 62, 37, 105, 64, 108, 133, 134};
	Display *display = XOpenDisplay(NULL);
	if (display == NULL) return;
	for (int i = 0; i < 8; i++) XTestFakeKeyEvent(display, codes[i], False, CurrentTime);
	XCloseDisplay(display);
}
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

func letGo() { C.letGo() }

func tapPasteMac() error { return errors.New("the keyboard has no v") }
