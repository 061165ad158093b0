package onevent

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
)

// mostOfTaskFile is how much a task's file may have, in bytes.
const mostOfTaskFile = 1 << 20

// taskIn reads the task of a line with --file. The file has to lie in the workspace, with all links followed: the hook can read what an
// agent in a sandbox cannot, and the agent gets the task.
func (h *handler) taskIn(name string) (string, error) {
	folder := h.workspace()
	if filepath.IsAbs(name) {
		name, _ = filepath.Rel(folder, name) // it has no path to it on another drive, and is refused then
	}
	data, err := readInside(folder, name)
	if bad := (*fs.PathError)(nil); errors.As(err, &bad) {
		err = bad.Err // the name is said by the caller
	}
	if err != nil {
		return "", err
	}
	return cmdline.TaskOf(data)
}

func readInside(folder, name string) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostOfTaskFile) {
		err = errors.New("not a regular file of at most 1 MiB")
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, mostOfTaskFile))
}
