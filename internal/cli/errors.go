package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Complain prints an error and returns the exit code.
func (t Terminal) Complain(err error) int {
	var code Exited
	if errors.As(err, &code) {
		return int(code)
	}
	hint.Print(t.Stderr, t.clean, withPermissionHint(err))
	return hint.Code(err)
}

// Printable makes text from outside safe for a terminal. Everything we show of
// loops goes through it, except what starts or continues a turn, so nothing else
// that an agent may repeat contains a promise.
func Printable(s string) string { return text.Escape(loop.Unmarked(s)) }

// Shortened returns text from outside as one printable line of at most so many
// characters, counted after escaping.
func Shortened(s string, width int) string { return text.Limit(Printable(text.Line(s)), width) }

func withPermissionHint(err error) error {
	var at *fs.PathError
	switch {
	case hint.Of(err) != "":
		return err
	case errors.As(err, new(*state.RecordError)):
		return hint.Add(err, cannotKeep)
	case errors.Is(err, pending.ErrElsewhere):
		return hint.Add(err, "tell the user: send the line in a chat that has that folder open, or start the loop again from here")
	case errors.Is(err, ownfile.ErrNotOurs):
		return hint.Add(err, "`cursor-ralph doctor` checks our folders; remove the file, or use other folders with CURSOR_RALPH_DIR and CURSOR_RALPH_STATE_DIR")
	case !errors.Is(err, fs.ErrPermission):
		return err
	case errors.As(err, &at) && runtime.GOOS != "windows":
		return hint.Add(err, accessHint(at.Path))
	}
	return hint.Add(err, "give yourself the right to read and write there, or run this as the user who owns it")
}

// cannotKeep is for an agent in a sandbox, in which the state folder cannot be written.
const cannotKeep = "a loop's commands are run only if they stand in the state folder, which this shell cannot write. Ask the user to send the /ralph-loop line in the chat, or to run this command in a terminal"

// accessHint names commands that work: where the path does not exist, or cannot be
// looked at, they are about the nearest folder above it, which may not become ours.
func accessHint(path string) string {
	quoted := commands.Quote(path, runtime.GOOS)
	if _, err := os.Lstat(path); err == nil {
		return "`ls -ld " + quoted + "` shows who owns it; `sudo chown \"$USER\" " + quoted + "` makes it yours, `chmod u+rwX " + quoted + "` restores your rights"
	}
	for parent := filepath.Dir(path); parent != path; parent = filepath.Dir(path) {
		path = parent
		if _, err := os.Lstat(path); err == nil {
			break
		}
	}
	return "`ls -ld " + commands.Quote(path, runtime.GOOS) + "` shows who has access; get access, or use another folder"
}

// Exited is an exit code to pass on without a message.
type Exited int

// Error is not shown.
func (Exited) Error() string { return "it failed" }

// MaxOther is how large a file of another tool may be, in bytes.
const MaxOther = 1 << 20 // bytes of another tool's file

// IsFile reports whether path is a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// ReadSmall is small for a path.
func ReadSmall(path string) ([]byte, error) {
	return Small(os.DirFS(filepath.Dir(path)), filepath.Base(path))
}

// ErrNotSmall means that a file was not read, since reading it might take forever.
var ErrNotSmall = errors.New("not a regular file of at most 1 MiB")

// Small reads a regular file that is no larger than such files are.
func Small(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxOther {
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrNotSmall}
	}
	return fs.ReadFile(folder, name)
}
