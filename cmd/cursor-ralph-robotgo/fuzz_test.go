package main

import (
	"slices"
	"strings"
	"testing"
)

// FuzzArguments asserts that for any arguments the helper presses only what
// robotgo knows: for another name that would press key 0.
func FuzzArguments(f *testing.F) {
	for _, args := range []string{"press ctrl+i", "press shift+insert press return", "up lctrl down cmd", "version", "press ctrl+", "press +", "press f13", "down control", "press", "type x", "press ctrl+shift+alt+cmd+f12", "press I"} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		words := strings.Split(args, " ")
		actions, err := parse(words)
		if err != nil {
			if actions != nil {
				t.Errorf("%q: got %+v and %v", args, actions, err)
			}
			return
		}
		if actions == nil && args != "version" || actions != nil && len(actions)*2 != len(words) {
			t.Errorf("%q: got %+v", args, actions)
		}
		for _, a := range actions {
			known := append(functionKeys(), "enter", "insert")
			if a.do != "press" {
				known = modifierNames
			}
			if !slices.Contains(known, a.key) && (a.do != "press" || len(a.key) != 1 || !strings.Contains("abcdefghijklmnopqrstuvwxyz0123456789", a.key)) {
				t.Errorf("%q: got %+v", args, a)
			}
			for _, m := range a.modifiers {
				if !slices.Contains(modifierNames, m) {
					t.Errorf("%q: got the modifier %q", args, m)
				}
			}
		}
	})
}
