//go:build !darwin && !windows

package main

import "testing"

// A display that does not exist is an error: robotgo would crash, or go on to :0.
func TestDeadDisplay(t *testing.T) {
	t.Setenv("DISPLAY", ":987")
	words := "does not open"
	if !built {
		words = "no robotgo"
	}
	exits(t, []exit{
		{"press return", "", exitUnfit, words},
		{"press shift+insert", "go\n", exitUnfit, words},
	})
}
