// Package keystroke types one line into the Cursor editor: exactly, into the
// right window, or not at all.
//
// Each way of typing is an [Injector]. The rules that all of them keep are in
// one place, deliver.go: the focused window is the editor's before every key,
// the caller still wants the line, nothing is selected or deleted, and what was
// on the clipboard comes back.
package keystroke

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Injector is one way of typing a line into Cursor.
type Injector interface {
	// Name is what the injector is called in settings, logs and doctor.
	Name() string
	// Probe tells why this way would not work here and now for this target,
	// with what to do about it; nil if it would. It presses nothing and leaves
	// focus and clipboard alone.
	Probe(ctx context.Context, t Target) error
	// Type puts the line into Cursor's window, presses Return and, if the
	// target can tell, waits until it has arrived. A *SentError says that a key
	// was pressed before it failed; after any other error nothing was.
	Type(ctx context.Context, t Target) error
}

// Target is a line, and the window that it is for.
type Target struct {
	// Line is typed without its Return: printable ASCII, as Check tells.
	Line string
	// Workspace is the folder that the window has open. It tells several
	// windows of the editor from each other, by their titles.
	Workspace string
	// Editors are the names of the editor's executable, see Editors.
	Editors []string
	// FocusKeys are pressed before the line, to bring the focus into the chat
	// input. With them Return may be pressed a second time.
	FocusKeys Chord
	// Test makes a test of it: the line goes into whatever window has the
	// focus, and Return is not pressed.
	Test bool
	// Unchecked is the user's consent to a way of typing that cannot tell
	// which window has the focus.
	Unchecked bool
	// Permit is asked right before the first key and right before Return: an
	// error keeps the key from being pressed. Nil permits all.
	Permit func(ctx context.Context) error
	// Arrived waits until the line is known to have arrived, or ctx is done.
	// Nil when nobody can tell.
	Arrived func(ctx context.Context) error
	// Step is told what is done, in words, for the log. Nil is not told.
	Step func(words string)
}

// SentError is an error after a key was pressed: another way of typing must
// not be tried.
type SentError struct{ Err error }

// Error gives the words of the cause.
func (e *SentError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *SentError) Unwrap() error { return e.Err }

// ErrUnproved means that all keys were pressed and that nothing shows that the
// line arrived.
var ErrUnproved = errors.New("nothing shows that the line arrived")

// Check refuses a line that could do something else than to be typed: one that
// is empty, too long, or has more in it than printable ASCII.
func (t Target) Check() error {
	if t.Line == "" || len(t.Line) > 1000 {
		return fmt.Errorf("the line has %d characters; 1 to 1000 can be typed", len(t.Line))
	}
	if i := strings.IndexFunc(t.Line, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
		return fmt.Errorf("the line has the character %q, which is not typed", t.Line[i:i+1])
	}
	return nil
}

func (t Target) permit(ctx context.Context) error {
	if t.Permit == nil {
		return nil
	}
	return t.Permit(ctx)
}

func (t Target) step(format string, args ...any) {
	if t.Step != nil {
		t.Step(fmt.Sprintf(format, args...))
	}
}

// Editors are the names of Cursor's executable, lower case and without .exe:
// its known variants, or the names in CURSOR_RALPH_EDITOR_EXE, parted by commas.
func Editors(getenv func(string) string) []string {
	var names []string
	for name := range strings.SplitSeq(getenv("CURSOR_RALPH_EDITOR_EXE"), ",") {
		if name = executable(strings.TrimSpace(name)); name != "" {
			names = append(names, name)
		}
	}
	if names == nil {
		return []string{"cursor", "cursor-nightly", "cursor nightly"}
	}
	return names
}

// executable makes a name of an executable's path.
func executable(path string) string {
	return strings.TrimSuffix(strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:]), ".exe")
}

// isEditor tells whether an executable, given by path or name, is the editor's.
func (t Target) isEditor(path string) bool {
	name := executable(path)
	for _, e := range t.Editors {
		if name == e && name != "" {
			return true
		}
	}
	return false
}
