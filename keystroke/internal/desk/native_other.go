//go:build !windows

package desk

import "errors"

func native() (Desk, error) { return Desk{}, errors.New("this works on Windows only") }
