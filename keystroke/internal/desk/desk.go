// Package desk says what a desktop, its clipboard and its keyboard have to do
// for a delivery, and runs the programs that the ways of typing need. The rules
// of a delivery are not here but in package keystroke.
package desk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// Desk is a desktop.
type Desk interface {
	// Windows returns the windows whose class and executable are the editor's.
	Windows(ctx context.Context, editors Editors) ([]Window, error)
	// Front returns the window that has the focus, whichever program's it is.
	Front(ctx context.Context) (Window, error)
	// Focused reports whether a window has the keyboard focus now.
	Focused(ctx context.Context, w Window) (bool, error)
	// Activate requests the focus and need not wait for it.
	Activate(ctx context.Context, w Window) error
	// Idle returns how long the user has touched neither keys nor pointer, or
	// ErrUnknown.
	Idle(ctx context.Context) (time.Duration, error)
	// Put puts the line on the clipboard and keeps what was there.
	Put(ctx context.Context, w Window, line string) (Clip, error)
}

// Clip is a clipboard with our line on it.
type Clip interface {
	// Fetched waits until the window has read the line, after paste was pressed.
	// Where that cannot be observed it waits as long as reading usually takes.
	Fetched(ctx context.Context) error
	// Restore puts back what was there before. It describes what it cannot
	// restore in words, for the log.
	Restore(ctx context.Context) (lost string, err error)
}

// Keyboard presses keys.
type Keyboard interface {
	// Press presses and releases a chord. The window had the focus a moment ago;
	// a keyboard that checks again, in one step with the key, returns ErrLostFocus.
	// After that, and after a NotPressed error, no key was sent.
	Press(ctx context.Context, w Window, c key.Chord) error
}

// Session is a way of typing that is ready for one delivery.
type Session struct {
	Desk
	Keyboard
	// Probe replaces the search for the window where that takes too long to find
	// out whether this way works. Nil where it does not.
	Probe func(ctx context.Context) error
	// Close ends the session. Nil where there is nothing to end.
	Close func()
}

// Request is what a way of typing needs to know of a delivery.
type Request struct {
	Line              string
	Editors           Editors
	FocusKeys, Submit key.Chord
	Test, Unchecked   bool
	Permit            func(ctx context.Context) error
}

// Chords are all chords that a delivery may press.
func (r Request) Chords() []key.Chord {
	chords := []key.Chord{key.Paste, r.Submit}
	if r.FocusKeys.Key != "" {
		chords = append(chords, r.FocusKeys)
	}
	return chords
}

// Window is one top-level window.
type Window struct {
	ID    string // what the desktop calls it
	Title string
	PID   int
}

// Editors are the names of the editor's executable, lower case and without .exe.
type Editors []string

// Has reports whether an executable, a path or a name, is the editor's.
func (e Editors) Has(path string) bool {
	name := Executable(path)
	return name != "" && slices.Contains(e, name)
}

// Executable returns the name of an executable from its path.
func Executable(path string) string {
	return strings.TrimSuffix(strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:]), ".exe")
}

// Errors of desktops and keyboards.
var (
	ErrUnknown   = errors.New("the desktop does not say")
	ErrLostFocus = errors.New("the window of Cursor lost the focus")
	ErrNoWindow  = errors.New("there is no window of Cursor here")
	ErrNoFront   = errors.New("no window has the focus")
)

// notPressed is an error before which no key was pressed.
type notPressed struct{ error }

// Unwrap returns the cause.
func (e notPressed) Unwrap() error { return e.error }

// NotPressed marks an error before which no key was pressed.
func NotPressed(err error) error { return notPressed{err} }

// IsNotPressed reports whether an error is so marked.
func IsNotPressed(err error) bool { return errors.As(err, new(notPressed)) }

// What a clipboard lost, in words.
const (
	// PasswordLost is about a clipboard that a password manager has marked. Only its text could be put back, without the
	// mark, and clipboard histories would keep it.
	PasswordLost = "what had been copied is marked as a password and was not put back"
	NoTextLost   = "what had been copied was not text and could not be put back"
	RichTextLost = "of what had been copied only the text was put back"
)

const (
	// Poll is the time between two looks at something that is waited for.
	Poll = 10 * time.Millisecond
	// PasteWait is how long an editor gets to read the line where that cannot be
	// observed.
	PasteWait = 250 * time.Millisecond
)

// Until waits until ok returns true or an error, or for some time at most, and returns what ok returned last.
func Until(ctx context.Context, patience time.Duration, ok func() (bool, error)) (bool, error) {
	for end := time.Now().Add(patience); ; {
		if done, err := ok(); done || err != nil || time.Now().After(end) {
			return done, err
		}
		if err := proc.Sleep(ctx, Poll); err != nil {
			return false, err
		}
	}
}
