//go:build !unix

package keystroke

import (
	"errors"
	"os"
)

func filesOf([]byte) ([]*os.File, error) { return nil, errors.ErrUnsupported }
