//go:build robotgo

package main

/*
#cgo LDFLAGS: -framework ApplicationServices
#include <ApplicationServices/ApplicationServices.h>

static int tapCommand(CGKeyCode code) {
	for (int down = 1; down >= 0; down--) {
		CGEventRef event = CGEventCreateKeyboardEvent(NULL, code, down);
		if (event == NULL) return 0;
		CGEventSetFlags(event, kCGEventFlagMaskCommand);
		CGEventPost(kCGHIDEventTap, event);
		CFRelease(event);
	}
	return 1;
}
*/
import "C"

import (
	"errors"

	"github.com/go-vgo/robotgo"
)

func ready() error { return nil }

func letGo() {
	for _, modifier := range []string{"shift", "ctrl", "alt", "cmd"} {
		_ = robotgo.KeyToggle(modifier, "up") // one that is not held
	}
}

// tapPasteMac presses Cmd with the key that is v on a US keyboard, which macOS
// takes for Cmd+V on a layout without Latin letters. Robotgo knows keys by
// their letters only. Source: Carbon's Events.h, kVK_ANSI_V is 9.
func tapPasteMac() error {
	const keyV = 9
	if C.tapCommand(keyV) == 0 {
		return errors.New("macOS makes no keyboard event")
	}
	return nil
}
