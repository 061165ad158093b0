// Package keystroke types one line into the Cursor editor: exactly, into the
// right window, or not at all.
//
// Each way of typing is an [Injector]; [Injectors] returns them for a desktop, the
// best first, and [Type] tries one after the other. All ways that press keys follow
// the rules in deliver.go: the focused window is the editor's before every key,
// the caller still wants the line, nothing is selected or deleted, and the text
// that was on the clipboard comes back.
//
// The package reads no environment of its own and prints nothing: [Machine] says
// where to look, [Target].Step receives what is done. It waits at most until the
// context is done, but always puts the clipboard back, which takes up to two
// seconds more. It is no keyboard: it presses the keys that paste and submit, and
// no others. The desktops are in keystroke/internal/desk.
package keystroke

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Injector is one way of typing a line into Cursor.
type Injector interface {
	// Name returns the injector's name in settings, logs and doctor.
	Name() string
	// Probe returns why this way would not work here and now for this target,
	// with what to do about it; nil if it would. It presses nothing and leaves
	// focus and clipboard alone.
	Probe(ctx context.Context, t Target) error
	// Type puts the line into Cursor's window, presses the target's submit key
	// and, if the target can observe it, waits until the line has arrived. A
	// *SentError means that a key was pressed, or that the line may have been
	// sent, before the failure; after any other error nothing was.
	Type(ctx context.Context, t Target) error
}

// Machine is what injectors look at and run.
type Machine struct {
	Desktop platform.Desktop
	OS      string   // as runtime.GOOS
	Env     []string // the environment of every program that is run, and where displays are looked up
	Robotgo string   // path of cursor-ralph-robotgo; empty where there is none
}
