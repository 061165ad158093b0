//go:build robotgo && !darwin && !windows

package main

import "testing"

// A display that does not exist is an error: robotgo would crash, or go on to :0.
func TestDeadDisplay(t *testing.T) {
	t.Setenv("DISPLAY", ":987")
	exits(t, []exit{
		{"press return", "", exitUnfit, "does not open"},
		{"press shift+insert", "go\n", exitUnfit, "does not open"},
	})
}
