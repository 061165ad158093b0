package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
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
// which could be part of an escape sequence, is shown as a code, and so is what
// nobody sees or what makes text look like another. The codes are those of JSON.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t' || !unicode.IsControl(r) && !unseen(r):
			b.WriteRune(r)
		case r > 0xffff:
			one, two := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, one, two)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// unseen tells of the characters that change the direction of text, end a line
// for some readers alone, or have no width. The two that join letters and parts
// of an emoji are none of them.
func unseen(r rune) bool {
	joins := r == '\u200c' || r == '\u200d'
	return unicode.Is(unicode.Cf, r) && !joins || r == '\u2028' || r == '\u2029'
}
