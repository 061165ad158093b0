package x11

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

var editorClasses = []string{"cursor", "cursor-nightly", "cursor nightly"}

func xid(w desk.Window) xproto.Window {
	n, err := strconv.ParseUint(w.ID, 0, 32)
	if err != nil {
		return 0 // not a window
	}
	return xproto.Window(n)
}

// Windows returns the editor's windows.
func (x *Display) Windows(ctx context.Context, editors desk.Editors) (found []desk.Window, err error) {
	err = x.ask(ctx, func() error {
		ids, err := x.topLevel()
		for _, id := range ids {
			w, ok, err := x.editor(id, editors)
			if err != nil {
				return err
			}
			if ok {
				found = append(found, w)
			}
		}
		return err
	})
	return found, err
}

// topLevel returns the windows that a window manager manages, or would.
func (x *Display) topLevel() ([]xproto.Window, error) {
	manager, err := x.manager()
	if err != nil {
		return nil, err
	}
	if manager {
		list, err := x.numbers(x.root, "_NET_CLIENT_LIST")
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			ids := make([]xproto.Window, len(list))
			for i, id := range list {
				ids[i] = xproto.Window(id)
			}
			return ids, nil
		}
	}
	return x.classed(x.root, 3)
}

// manager reports whether a window manager runs: a property of the root names a
// window that has the same property. Source: EWMH, _NET_SUPPORTING_WM_CHECK.
func (x *Display) manager() (bool, error) {
	id, err := x.number(x.root, "_NET_SUPPORTING_WM_CHECK")
	if id == 0 || err != nil {
		return false, err
	}
	same, err := x.number(xproto.Window(id), "_NET_SUPPORTING_WM_CHECK")
	return same == id, err
}

// classed returns the windows below one that have a class and that a window
// manager would manage.
func (x *Display) classed(parent xproto.Window, depth int) (ids []xproto.Window, err error) {
	if depth == 0 {
		return nil, nil
	}
	tree, err := xproto.QueryTree(x.conn, parent).Reply()
	switch {
	case isAnswer(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	for _, id := range tree.Children {
		class, err := x.property(id, xproto.AtomWmClass)
		if err != nil {
			return nil, err
		}
		if len(class) == 0 {
			below, err := x.classed(id, depth-1)
			if err != nil {
				return nil, err
			}
			ids = append(ids, below...)
			continue
		}
		attributes, err := xproto.GetWindowAttributes(x.conn, id).Reply()
		switch {
		case isAnswer(err):
		case err != nil:
			return nil, err
		case !attributes.OverrideRedirect && attributes.Class == xproto.WindowClassInputOutput:
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (x *Display) editor(id xproto.Window, editors desk.Editors) (desk.Window, bool, error) {
	class, err := x.property(id, xproto.AtomWmClass)
	if err != nil || !isClass(editors, class) {
		return desk.Window{}, false, err
	}
	types, err := x.numbers(id, "_NET_WM_WINDOW_TYPE")
	if err != nil || types != nil && !slices.Contains(types, uint32(x.atoms["_NET_WM_WINDOW_TYPE_NORMAL"])) {
		return desk.Window{}, false, err
	}
	pid, err := x.number(id, "_NET_WM_PID")
	if err != nil || !runs(editors, int(pid)) {
		return desk.Window{}, false, err
	}
	title, err := x.property(id, x.atoms["_NET_WM_NAME"])
	if err == nil && len(title) == 0 {
		title, err = x.property(id, xproto.AtomWmName)
	}
	return desk.Window{ID: fmt.Sprintf("%#x", uint32(id)), Title: string(title), PID: int(pid)}, err == nil, err
}

// isClass looks at a WM_CLASS: instance and class, each ended by a zero. An
// editor of another name has that as its class too.
func isClass(editors desk.Editors, value []byte) bool {
	parts := strings.Split(string(value), "\x00")
	return len(parts) > 1 && parts[1] != "" && slices.Contains(slices.Concat(editorClasses, editors), strings.ToLower(parts[1]))
}

// runs reports whether a process is the editor's. An editor that was updated
// while it runs has an executable that was deleted.
func runs(editors desk.Editors, pid int) bool {
	if pid <= 0 {
		return false
	}
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	path, err := os.Readlink(filepath.Join(proc, "exe"))
	if err == nil && editors.Has(strings.TrimSuffix(path, " (deleted)")) {
		return true
	}
	name, err := os.ReadFile(filepath.Join(proc, "comm"))
	return err == nil && editors.Has(strings.TrimSpace(string(name)))
}

// Front returns the window that has the focus, whichever program's it is.
func (x *Display) Front(ctx context.Context) (w desk.Window, err error) {
	err = x.ask(ctx, func() error {
		focus, err := x.inputFocus()
		if err != nil {
			return err
		}
		ids, err := x.topLevel()
		if err != nil {
			return err
		}
		for _, id := range ids {
			in, err := x.within(focus, id)
			if err == nil && in {
				w, err = x.named(id)
			}
			if err != nil || in {
				return err
			}
		}
		return desk.ErrNoFront
	})
	return w, err
}

func (x *Display) named(id xproto.Window) (desk.Window, error) {
	title, err := x.property(id, x.atoms["_NET_WM_NAME"])
	return desk.Window{ID: fmt.Sprintf("%#x", uint32(id)), Title: string(title)}, err
}
