//go:build !windows

package keystroke

import "errors"

func newWinDesk(Machine) (desk, error) {
	return nil, errors.New("this works on Windows only, and not from WSL")
}

func newWinKeyboard() keyboard { return nil }
