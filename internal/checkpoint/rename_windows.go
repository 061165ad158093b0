package checkpoint

import (
	"os"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// rename moves a file between two folders.
func rename(from *os.File, name string, to *os.File, as string) error {
	return ownfile.Rename(filepath.Join(from.Name(), name), filepath.Join(to.Name(), as))
}
