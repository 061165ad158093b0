package keystroke

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// CursorCommand finds the command `cursor`: on the PATH, else where Cursor is usually
// installed. On Windows the folder has a shell script of that name, too.
func CursorCommand(machine Machine) (string, error) {
	m, names := desk.Machine(machine), []string{"cursor"}
	if m.OS == "windows" {
		names = []string{"cursor.cmd", "cursor.exe"}
	}
	for _, name := range names {
		if path, err := m.LookPath(name); err == nil && !isAppImage(path) {
			return path, nil
		}
	}
	for _, dir := range cursorFolders(m) {
		if path, err := desk.LookIn(dir, names[0]); err == nil {
			return path, nil
		}
	}
	return "", errors.New("the command `cursor` is neither on the PATH nor where Cursor is usually installed")
}

// isAppImage reports whether a path leads to the editor itself, which would
// open our arguments as files.
func isAppImage(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && strings.EqualFold(filepath.Ext(real), ".AppImage")
}

func cursorFolders(m desk.Machine) []string {
	const app = "resources/app/bin"
	switch m.OS {
	case "darwin":
		const bundle = "Applications/Cursor.app/Contents/Resources/app/bin"
		return []string{"/" + bundle, filepath.Join(m.Getenv("HOME"), bundle)}
	case "windows":
		return []string{
			filepath.Join(m.Getenv("LOCALAPPDATA"), "Programs", "cursor", app),
			filepath.Join(m.Getenv("ProgramFiles"), "cursor", app),
		}
	}
	return []string{"/usr/share/cursor/" + app, "/opt/cursor/" + app, "/opt/Cursor/" + app}
}
