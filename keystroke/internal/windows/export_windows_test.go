package windows

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// What the tests of the way as a whole use of its parts.
var (
	WindowPID       = windowPID
	SetClipboard    = setClipboard
	ReadGlobal      = readGlobal
	ClipboardFormat = clipboardFormat
	HeldModifiers   = heldModifiers
	AllTaken        = allTaken
	Handle          = handle
	Keyboard        = keyboard
	Private         = private
)

const (
	CFUnicodeText = cfUnicodeText
	FetchBlind    = fetchBlind
	ChromeClass   = chromeClass
)

//go:uintptrescapes
func User32(name string, args ...uintptr) (uintptr, error) { return user32(name, args...) }

func DeskOf(class string) desk.Desk { return winDesk{class} }

func WhileOpen(ctx context.Context, do func() error) error { return new(winClip).whileOpen(ctx, do) }

// PressKeys presses or releases keys.
func PressKeys(up bool, vks ...uint16) error {
	var events []keyEvent
	for _, vk := range vks {
		events = append(events, keyEvent{vk, up})
	}
	return pressAll(events)
}

// AskPowerShell starts a session that knows windows and keys.
func AskPowerShell(ctx context.Context, env []string) (ask func(request string, words ...string) (string, error), end func(), err error) {
	s, err := sendKeys{m: desk.Machine{OS: "windows", Env: env}}.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	ask = func(request string, words ...string) (string, error) {
		return s.ask(ctx, 2*loadWait, request, words...)
	}
	_, err = ask("Load")
	return ask, s.close, err
}
