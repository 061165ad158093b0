package main

import (
	"errors"
	"fmt"
	"strings"
)

// complaint is an error for people: what went wrong, and what to do about it.
type complaint struct {
	what, hint string
	code       int
}

func (c complaint) Error() string { return c.what }

// Hint says what to do.
func (c complaint) Hint() string { return c.hint }

// problem is an error of what was tried.
func problem(what, hint string) error { return complaint{what, hint, 1} }

// misuse is an error of the command line.
func misuse(what, hint string) error { return complaint{what, hint, 2} }

// complain prints an error in the one form that all have, and gives the exit
// code.
func (e *env) complain(err error) int {
	var code exited
	if errors.As(err, &code) {
		return int(code)
	}
	fmt.Fprintf(e.stderr, "cursor-ralph: %s\n", printable(err.Error()))
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		for line := range strings.Lines(printable(hinted.Hint())) {
			fmt.Fprintf(e.stderr, "cursor-ralph: hint: %s\n", strings.TrimRight(line, "\n"))
		}
	}
	var c complaint
	if errors.As(err, &c) {
		return c.code
	}
	return 1
}

// printable makes text from outside safe for a terminal: a control character,
// which could be part of an escape sequence, is shown as a code.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < ' ' || r >= 0x7f && r < 0xa0 || bidirectional(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// bidirectional tells of the characters that can make text look like another.
func bidirectional(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}
