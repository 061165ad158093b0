// Package desk has the desktops that cursor-ralph types on: for each way of
// typing the few verbs that a delivery needs, done with the system's own tools.
// When they are used, and when not, is decided in package keystroke.
package desk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Desk is one way of working a desktop. A nil Idle means that it does not report
// how long the user has rested, a nil Close that there is nothing to end.
type Desk struct {
	// Windows returns the windows that may be the editor's, of which IsEditor is
	// asked, and perhaps others.
	Windows func(ctx context.Context, editors []string) ([]Window, error)
	// Front returns the window that has the focus, whichever program's it is, or
	// ErrNoFront.
	Front func(ctx context.Context) (Window, error)
	// Raise asks for a window to be brought to the front, and need not wait for it.
	Raise func(ctx context.Context, w Window) error
	// Boards are what the paste keys may paste.
	Boards []Board
	// Press presses and releases a key. It calls ready right before the key is
	// sent, and returns its error. Then, and after ErrLostFocus, no key was sent.
	Press func(ctx context.Context, w Window, k Key, ready func() error) error
	// Idle returns for how long the user has touched neither keys nor pointer.
	Idle func(ctx context.Context) (time.Duration, error)
	// Probe reports whether the editor runs, where looking for its windows takes
	// too long to find out whether this way works. Nil where it does not.
	Probe func(ctx context.Context, editors []string) (bool, error)
	// Close ends what the desk has started.
	Close func()
}

// Window is one top-level window.
type Window struct {
	ID       string // what the desktop calls it; on macOS empty for a program's only window
	Title    string
	Class    string   // empty where the desktop has no classes
	PID      int      // 0 where it is not known
	Programs []string // its process: the path of the executable, on Linux also the name
}

// Is reports whether a window is this one.
func (w Window) Is(other Window) bool {
	return (w.ID == "" || w.ID == other.ID) && (w.PID == 0 || other.PID == 0 || w.PID == other.PID)
}

// runs reports whether the window's process is one of these executables.
func (w Window) runs(editors []string) bool {
	return slices.ContainsFunc(w.Programs, func(p string) bool { return slices.Contains(editors, Executable(p)) })
}

// chromeClass begins the class of every window of an Electron program on Windows.
// Source: Chromium, ui/gfx/win/window_impl.cc.
const chromeClass = "Chrome_WidgetWin_"

// IsEditor reports whether a window is the editor's: by its executable, and where
// there are classes by its class too. An editor of another name has that as its
// class.
func (w Window) IsEditor(editors []string) bool {
	isClass := w.Class == "" || slices.Contains(classes(editors), strings.ToLower(w.Class)) || strings.HasPrefix(w.Class, chromeClass)
	return isClass && w.runs(editors)
}

func classes(editors []string) []string {
	return slices.Concat([]string{"cursor", "cursor-nightly", "cursor nightly"}, editors)
}

// Board is a clipboard.
type Board struct {
	Name string
	// Get returns what it holds.
	Get func(ctx context.Context) (Content, error)
	// Set puts a text on it, which stays when this process ends.
	Set func(ctx context.Context, text string) error
}

// Content is what a clipboard holds.
type Content struct {
	Text  string
	Types []string // the system's names for what it holds; none for an empty clipboard
}

// Key is a key with its modifiers.
type Key string

// The keys that are pressed, and no others. Paste is Shift+Insert, which pastes on
// every layout; Ctrl+V fails on one without a v. On macOS it is Cmd+V.
const (
	Paste     Key = "paste"
	Return    Key = "return"
	CtrlEnter Key = "ctrl+enter"
	CmdEnter  Key = "cmd+enter"
)

// Errors of desktops.
var (
	ErrNoFront   = errors.New("no window has the focus")
	ErrLostFocus = errors.New("the window of Cursor lost the focus")
	errNoKey     = errors.New("this desktop has no such key")
)

// Executable returns the name of an executable from its path: lower case,
// without .exe.
func Executable(path string) string {
	return strings.TrimSuffix(strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:]), ".exe")
}

// IsText reports whether a type of a clipboard's content is plain text. The names
// are those of X11 and Wayland, of macOS, and those that Windows's desks use.
func IsText(kind string) bool {
	return strings.HasPrefix(kind, "text/plain") ||
		slices.Contains([]string{"UTF8_STRING", "STRING", "TEXT", "public.utf8-plain-text", "NSStringPboardType", "UnicodeText", "Text"}, kind)
}
