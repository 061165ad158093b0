package keystroke

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// window is one top-level window of the editor. Class and executable were
// checked by whoever found it.
type window struct {
	id    string // what the desktop calls it
	title string
	pid   int
}

var (
	errNoWindow = errors.New("there is no window of Cursor here")
	errNoFront  = errors.New("no window has the focus")
)

// pick gives the window to type into: the only one there is, or the only one
// whose title names the workspace.
func pick(windows []window, workspace string) (window, error) {
	switch len(windows) {
	case 0:
		return window{}, errNoWindow
	case 1:
		return windows[0], nil
	}
	name := path.Base(strings.ReplaceAll(workspace, `\`, "/"))
	var found []window
	for _, w := range windows {
		if workspace != "" && names(w.title, name) {
			found = append(found, w)
		}
	}
	if len(found) != 1 {
		return window{}, fmt.Errorf("of %d windows of Cursor %d have the workspace %s in their titles, so it is not clear which is meant", len(windows), len(found), name)
	}
	return found[0], nil
}

// names tells whether a title such as "main.go - repo - Cursor" has a folder
// in it. The folder may carry more, as in "repo [SSH: host]". Source: the
// editor's window.title setting.
func names(title, folder string) bool {
	for _, part := range strings.Split(strings.ReplaceAll(title, " — ", " - "), " - ") {
		part = strings.TrimSpace(strings.TrimPrefix(part, "●"))
		if part == folder || strings.HasPrefix(part, folder+" [") || strings.HasPrefix(part, folder+" (") {
			return true
		}
	}
	return false
}
