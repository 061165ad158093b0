package tasks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// contents reads a file that the user named, or the repository may have put there. It
// waits for no pipe, and reads nothing but a regular file.
func contents(workspace, file string) ([]byte, error) {
	f, err := open(workspace, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("it does not exist")
	case err != nil:
		return nil, reason(err)
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, reason(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxSize:
		return nil, tooLarge()
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = tooLarge()
	}
	return data, err
}

func tooLarge() error { return fmt.Errorf("it is larger than %d KiB", maxSize>>10) }

// open opens a file of the workspace through a root, so that a link cannot lead out of
// it. A path that leads out of it by its name was the user's own choice.
func open(workspace, file string) (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	if !filepath.IsLocal(file) {
		return os.OpenFile(Path(workspace, file), flags, 0) // #nosec G304 -- the user names it
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // nothing was written
	return root.OpenFile(file, flags, 0)
}

// Path is where a list is.
func Path(workspace, file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(workspace, file)
}

// reason is an error without the name of the file, which is known.
func reason(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		if e.Err.Error() == "path escapes from parent" {
			return errors.New("it is a link that leads out of the workspace: name the file itself")
		}
		return e.Err
	}
	return err
}
