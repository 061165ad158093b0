package keystroke

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

var errNoWindow = errors.New("there is no window of Cursor here")

// find returns the window to type into.
func find(ctx context.Context, t Target, d desk.Desk) (desk.Window, error) {
	windows, err := d.Windows(ctx, t.Editors)
	if err != nil {
		return desk.Window{}, err
	}
	return pick(slices.DeleteFunc(windows, func(w desk.Window) bool { return !w.IsEditor(t.Editors) }), t.Workspace)
}

// pick returns the only window of the editor, or the only one whose title names the
// workspace.
func pick(windows []desk.Window, workspace string) (desk.Window, error) {
	switch len(windows) {
	case 0:
		return desk.Window{}, errNoWindow
	case 1:
		return windows[0], nil
	}
	name := path.Base(strings.ReplaceAll(workspace, `\`, "/"))
	var found []desk.Window
	for _, w := range windows {
		if workspace != "" && names(w.Title, name) {
			found = append(found, w)
		}
	}
	if len(found) != 1 {
		return desk.Window{}, fmt.Errorf("of %d windows of Cursor %d have the workspace %s in their titles, so it is not clear which is meant", len(windows), len(found), name)
	}
	return found[0], nil
}

// names reports whether a title such as "main.go - repo - Cursor" names a
// folder, possibly with more after it as in "repo [SSH: host]". Source: the
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
