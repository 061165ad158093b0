//go:build unix

package checkpoint

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// move moves a file into another folder, in one step. No link leads out of either.
func move(from *os.Root, name string, to *os.Root, path string) error {
	old, err := from.Open(".")
	if err != nil {
		return err
	}
	folder, err := to.Open(filepath.Dir(path))
	if err == nil {
		err = unix.Renameat(int(old.Fd()), name, int(folder.Fd()), filepath.Base(path))
		err = errors.Join(err, folder.Close())
	}
	return errors.Join(err, old.Close())
}
