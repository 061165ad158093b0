// Package hint has the one shape of an error for people: what failed, and what
// to do about it. Any package may make one; programs print them here.
package hint

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Error is an error with a hint.
type Error struct {
	Err    error
	Hint   string // what to do; may be several lines, or empty
	Misuse bool   // of the command line: the exit code is 2
}

// Error returns what failed, without the hint.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error that says what failed and what to do.
func New(what, todo string) error { return Add(errors.New(what), todo) }

// Misuse returns an error of the command line.
func Misuse(what, todo string) error {
	return &Error{Err: errors.New(what), Hint: todo, Misuse: true}
}

// Add adds to an error what to do about it.
func Add(err error, todo string) error { return &Error{Err: err, Hint: todo} }

// Of returns the outermost hint of an error, empty if it has none.
func Of(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// Code returns the exit code for an error: 2 for misuse, otherwise 1.
func Code(err error) int {
	if e := (*Error)(nil); errors.As(err, &e) && e.Misuse {
		return 2
	}
	return 1
}

// Indent begins the lines of a hint after its first.
const Indent = "  "

// Print writes an error and its hint as every command does. clean makes text
// safe for w.
func Print(w io.Writer, clean func(string) string, err error) {
	fmt.Fprintf(w, "cursor-ralph: %s\n", clean(err.Error()))
	begin := "cursor-ralph: hint: "
	for line := range strings.Lines(clean(Of(err))) {
		fmt.Fprintf(w, "%s%s\n", begin, strings.TrimRight(line, "\n"))
		begin = Indent
	}
}
