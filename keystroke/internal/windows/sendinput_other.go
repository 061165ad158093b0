//go:build !windows

package windows

import (
	"errors"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// Desk returns an error here.
func Desk() (desk.Desk, error) {
	return nil, errors.New("this works on Windows only, and not from WSL")
}

func keyboard() desk.Keyboard { return nil }
