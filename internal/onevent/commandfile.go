package onevent

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"unicode"

	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// What is looked at of a project's command files.
const (
	mostCommandFiles = 500
	mostOfCommand    = 1 << 20 // bytes
)

// notTyped returns what in the workspace a line may have come from that continues or replaces a loop, or names a program to run; empty
// if the user must have typed it.
func (h *handler) notTyped() string {
	if h.host == nil {
		return h.commandFile()
	}
	for _, root := range h.in.WorkspaceRoots {
		if folder := filepath.Join(root, filepath.FromSlash(h.host.Commands)); h.host.Commands != "" && exists(folder) {
			return folder
		}
	}
	return ""
}

// commandFile returns a command file of the workspace whose text has a line that starts a loop or continues one; empty if none has.
// It is not known whether Cursor shows a hook a project's command as the user typed it or the text of its file. An agent in a
// sandbox may write that text, so such a line is not known to be the user's.
func (h *handler) commandFile() string {
	for _, root := range h.in.WorkspaceRoots {
		folder, err := filepath.EvalSymlinks(filepath.Join(root, ".cursor", "commands"))
		if err != nil {
			continue
		}
		var files []string
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { // it returns no error
			if err == nil && !d.IsDir() { // what cannot be read is no command
				files = append(files, path)
			}
			if len(files) > mostCommandFiles {
				return fs.SkipAll
			}
			return nil
		})
		for i, path := range files {
			if i == mostCommandFiles || isFolder(path) || holdsStart(path) {
				return path
			}
		}
	}
	return ""
}

// isFolder reports whether a link leads to a folder, which is not looked through.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// holdsStart reports whether the text of a command file, without its front matter, begins with such a line, or has one behind a text
// like that of our commands, or is too long to tell.
func holdsStart(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- its first words are looked at, no more
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := io.ReadAll(io.LimitReader(f, mostOfCommand))
	if len(text) == mostOfCommand {
		return true
	}
	_, behind, marked := bytes.Cut(text, []byte(host.Mark))
	if _, behind, _ = bytes.Cut(behind, []byte("-->")); marked && len(bytes.TrimSpace(behind)) > 0 {
		return true
	}
	text = bytes.TrimLeftFunc(text, isBlank)
	isFront := bytes.HasPrefix(text, []byte("---"))
	for err == nil && !isStart(text) {
		if !isFront {
			return false
		}
		_, text, isFront = bytes.Cut(text, []byte("\n---")) // any line that begins so may end the front matter
	}
	return err == nil
}

// isBlank reports what is taken away around a text, a byte-order mark too.
func isBlank(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' }

// isStart reports whether a text begins with a line that starts a loop or continues one.
func isStart(text []byte) bool {
	name, _, ok := loop.SlashCommand(string(bytes.TrimLeftFunc(text, isBlank)))
	return ok && slices.Contains(append(starts, "ralph-resume"), name)
}
