package keystroke

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// SubmitKey is the key that sends what is in the chat input, made by
// ParseSubmitKey: return, ctrl+enter or cmd+enter. Empty is return.
type SubmitKey = desk.Key

// ParseSubmitKey reads a submit key: return, ctrl+enter or, with the goos darwin,
// cmd+enter. The empty text is return. Elsewhere cmd+enter is an error instead of
// ctrl+enter: no other keys may be pressed than those the user asked for.
func ParseSubmitKey(text, goos string) (SubmitKey, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "return", "enter":
		return desk.Return, nil
	case "ctrl+enter", "ctrl+return":
		return desk.CtrlEnter, nil
	case "cmd+enter", "cmd+return":
		if goos == "darwin" {
			return desk.CmdEnter, nil
		}
		return "", errors.New("cmd+enter is a key of macOS; here it is ctrl+enter")
	}
	return "", fmt.Errorf("%q does not submit; there are return, ctrl+enter and, on macOS, cmd+enter", text)
}
