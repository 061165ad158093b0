// Package keystroke types one line into the Cursor editor: exactly, into the
// right window, or not at all.
//
// Each way of typing is an [Injector]; [Injectors] returns them for a desktop, the
// best first, and [Type] tries one after the other. All ways that press keys follow
// the rules in deliver.go: the focused window is the editor's before every key,
// the caller still wants the line, nothing is selected or deleted, and what was
// on the clipboard comes back. The bridge presses nothing: Cursor itself sends
// the line, so only the second rule applies to it.
//
// The package reads no environment of its own and prints nothing: [Machine] says
// where to look, [Target].Step receives what is done. It waits at most until the
// context is done, but always puts the clipboard back, which takes up to two
// seconds more. Sources for the numbers and names of other systems are beside
// them, in keystroke/internal.
package keystroke

import (
	"context"
	"io"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
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
	// Guard is the command that starts a program that calls Guard; empty for none.
	Guard []string
}

// Guard is the second process of a delivery on X11. The program that types starts
// Machine.Guard, which must be a command that calls Guard with its own standard
// input and output, usually the same program with another argument:
//
//	m.Guard = []string{os.Args[0], "guard"} // and main calls Guard for this argument
//
// Machine.Env is its environment, / its folder, and it has its own session.
//
// Guard watches the typing process, which reports on stdin what it does. If that
// stands still while it holds the display, Guard kills it; when it dies, Guard
// calls died, frees the editor, and restores the clipboard. Guard returns when
// there is nothing to do any more: after a delivery at once or, where it serves
// the old clipboard, when another program has taken that or the display has ended.
//
// Without a guard typing works, but the clipboard lasts only as long as the typing
// process, and a process that is killed in the middle leaves the line on it.
func Guard(stdin io.Reader, stdout io.Writer, getenv func(string) string, died func()) error {
	return x11.Guard(stdin, stdout, getenv, died)
}
