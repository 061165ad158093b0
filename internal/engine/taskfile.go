package engine

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// taskFolder is that of cursor-ralph run, too; git ignores it.
const taskFolder = ".ralph"

var (
	errChanged = errors.New("it no longer has the task; it was left as it is")
	errNowhere = errors.New("the loop has no workspace")
)

// keepTask looks at the file of a loop that wants one, and writes ours if it is missing. A
// file that was changed stays. For other loops it returns nil.
func keepTask(l loop.State) *loop.TaskFile {
	if !l.WantsTaskFile() {
		return nil
	}
	f := l.TaskFile
	if !f.User {
		f.Name = taskName(l)
	}
	f.Problem = ""
	if err := checkTask(l, f); err != nil {
		f.Problem = err.Error()
	}
	return &f
}

// UserTask returns the user's own file, of --file, if it is in the workspace.
func UserTask(workspace, file string) loop.TaskFile {
	path, err := filepath.Abs(file)
	if err != nil || file == "-" {
		return loop.TaskFile{}
	}
	rel, err := filepath.Rel(workspace, path)
	if workspace == "" || err != nil || !filepath.IsLocal(rel) || !isName(rel) {
		return loop.TaskFile{}
	}
	return loop.TaskFile{Name: filepath.ToSlash(rel), User: true}
}

// isName leaves out what a line of text cannot name.
func isName(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
}

func taskName(l loop.State) string {
	if l.Outer() {
		return loop.RunTaskFile // which the run keeps
	}
	return taskFolder + "/task-" + l.ShortID() + ".md"
}

func checkTask(l loop.State, f loop.TaskFile) error {
	if !filepath.IsAbs(l.Workspace) || !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return errNowhere
	}
	if l.Outer() && !f.User {
		return nil
	}
	path := filepath.Join(l.Workspace, filepath.FromSlash(f.Name))
	data, _, err := readTask(path, f)
	switch {
	case err == nil && isTask(data, l.Prompt):
		return nil
	case err == nil:
		return errChanged
	case !errors.Is(err, fs.ErrNotExist) || f.User:
		return err
	}
	return writeTask(l.Workspace, path, l.Prompt)
}

// readTask refuses a link to our file, and one to its folder.
func readTask(path string, f loop.TaskFile) ([]byte, fs.FileInfo, error) {
	if !f.User {
		if err := ownfile.CheckFolder(filepath.Dir(path)); err != nil {
			return nil, nil, err
		}
	}
	return ownfile.Read(path, 0)
}

// isTask reports whether a file has the task, as --file reads it.
func isTask(data []byte, task string) bool {
	return strings.TrimSpace(string(bytes.TrimPrefix(data, []byte("\ufeff")))) == strings.TrimSpace(task)
}

func writeTask(workspace, path, task string) error {
	if info, err := os.Stat(workspace); err != nil || !info.IsDir() {
		return errNowhere
	}
	dir := filepath.Join(workspace, taskFolder)
	if err := ownfile.Folder(dir); err != nil {
		return err
	}
	if err := Ignore(dir); err != nil {
		return err
	}
	return ownfile.Replace(path, dir, []byte(task), false)
}

// Ignore makes git ignore our folder, by a file in it.
func Ignore(dir string) error {
	path := filepath.Join(dir, ".gitignore")
	_, err := ownfile.Check(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = ownfile.Replace(path, dir, []byte("*\n"), false)
	}
	return err
}
