package keystroke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// Target is a line, and the window that it is for.
type Target struct {
	// Line is typed without its Return: 1 to 1000 printable ASCII characters, see
	// Check.
	Line string
	// Conversation is the id of the chat that the line is for, which the extension needs.
	Conversation string
	// NewChat is for a line that begins a new chat, which our extension alone
	// creates: beside the Conversation, in whose window it belongs.
	NewChat bool
	// Workspace is the folder that the window has open. If the editor has several
	// windows, the one whose title names this folder is meant.
	Workspace string
	// Editors are the names of the editor's executable, see Editors.
	Editors []string
	// Submit is the key that sends what is in the chat input, see ParseSubmitKey.
	Submit SubmitKey
	// Permit is called right before the first key and right before the submit
	// key, or right before the line is sent: an error prevents it. Nil permits
	// all.
	Permit func(ctx context.Context) error
	// Arrived waits until the line has arrived, or ctx is done. Nil if that
	// cannot be observed.
	Arrived func(ctx context.Context) error
	// Step receives what is done, in words, for the log. It may be nil.
	Step func(words string)

	rested bool      // the user has been waited for, as long as it may take
	put    *putError // the line is in the chat's input already; only the submit key is left
}

// SentError is an error after a key was pressed, or after the line may have
// been sent: another way of typing must not be tried.
type SentError struct{ Err error }

// Error returns the words of the cause.
func (e *SentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SentError) Unwrap() error { return e.Err }

// ErrUnproved means that all keys were pressed and that nothing shows that the
// line arrived.
var ErrUnproved = errors.New("nothing shows that the line arrived")

// Check refuses a line that could do anything other than be typed: an empty one,
// one that is too long, and characters other than printable ASCII.
func (t Target) Check() error {
	if t.Line == "" || len(t.Line) > 1000 {
		return fmt.Errorf("the line has %d characters; 1 to 1000 can be typed", len(t.Line))
	}
	if i := strings.IndexFunc(t.Line, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
		return fmt.Errorf("the line has the character %q, which is not typed", t.Line[i:i+1])
	}
	return nil
}

func (t Target) submit() SubmitKey { return cmp.Or(t.Submit, desk.Return) }

func (t Target) submitName() string {
	if t.submit() == desk.Return {
		return "Return"
	}
	return string(t.submit())
}

func (t Target) permit(ctx context.Context) error {
	if t.Permit != nil {
		if err := t.Permit(ctx); err != nil {
			return err
		}
	}
	if t.put != nil {
		return t.put.window.Check(ctx, t.put.conversation)
	}
	return nil
}

func (t Target) step(format string, args ...any) {
	if t.Step != nil {
		t.Step(fmt.Sprintf(format, args...))
	}
}

// Editors returns the names of Cursor's executable, lower case and without .exe:
// those in CURSOR_RALPH_EDITOR_EXE, separated by commas, or its known variants.
func Editors(getenv func(string) string) []string {
	var names []string
	for name := range strings.SplitSeq(getenv("CURSOR_RALPH_EDITOR_EXE"), ",") {
		if name = desk.Executable(strings.TrimSpace(name)); name != "" {
			names = append(names, name)
		}
	}
	if names == nil {
		return []string{"cursor", "cursor-nightly", "cursor nightly"}
	}
	return names
}
