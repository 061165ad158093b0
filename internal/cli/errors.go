package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Complain prints an error and returns the exit code.
func (e *Env) Complain(err error) int {
	var code Exited
	if errors.As(err, &code) {
		return int(code)
	}
	hint.Print(e.Stderr, Printable, err)
	return hint.Code(err)
}

// Printable makes text from outside safe for a terminal. Everything we show of
// loops goes through it, except what starts or continues a turn, so nothing else
// that an agent may repeat contains a promise.
func Printable(s string) string { return text.Escape(loop.Unmarked(s)) }

// Shortened returns text from outside as one printable line of at most so many
// characters, counted after escaping.
func Shortened(s string, width int) string { return text.Limit(Printable(text.Line(s)), width) }

// Permission adds a hint to a permission error.
func Permission(err error) error {
	if !errors.Is(err, fs.ErrPermission) || hint.Of(err) != "" {
		return err
	}
	return hint.Add(err, "give this user the right to read and write there, or run this as the user who owns it")
}

// Exited is an exit code that is passed on, of which nothing is said.
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

// Small reads a regular file that is no larger than such files are.
func Small(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxOther {
		return nil, fs.ErrInvalid // to read it might take for ever
	}
	return fs.ReadFile(folder, name)
}
