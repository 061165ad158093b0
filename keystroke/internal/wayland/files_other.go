//go:build !unix

package wayland

import (
	"errors"
	"os"
)

func filesOf([]byte) ([]*os.File, error) { return nil, errors.ErrUnsupported }
