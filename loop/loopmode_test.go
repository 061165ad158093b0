package loop_test

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestAnOrdinaryMessage(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		want          bool
	}{
		{"a task", "make it green", true},
		{"a path inside it", "look at /etc/hosts", true},
		{"a question", "is it green?", true},
		{"a command", "/help me", false},
		{"a command after white space", "\n \u00a0/help", false},
		{"a slash alone", "/", false},
		{"a path", "/etc/hosts is wrong", false},
		{"nothing", "", false},
		{"white space", " \n\t", false},
		{"the text of our command", "# /ralph-help\n\n<!-- cursor-ralph: installed file, changes are lost (1234) -->\n\nx", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := loop.Ordinary(tt.message); got != tt.want {
				t.Errorf("%q: got %v, want %v", tt.message, got, tt.want)
			}
		})
	}
}
