package x11

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb/screensaver"
	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// editorClasses are the classes of the editor's windows, in lower case.
var editorClasses = []string{"cursor", "cursor-nightly", "cursor nightly"}

// xid returns the display's id of a window.
func xid(w desk.Window) xproto.Window {
	n, err := strconv.ParseUint(w.ID, 0, 32)
	if err != nil {
		return 0 // which is no window
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
			if depth > 1 {
				below, err := x.classed(id, depth-1)
				if err != nil {
					return nil, err
				}
				ids = append(ids, below...)
			}
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

// editor reports whether a window is the editor's, by its class and its
// executable.
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

// Focused wants the input focus in the window, and a window manager, if there is
// one, to say that the window is the active one.
func (x *Display) Focused(ctx context.Context, w desk.Window) (ok bool, err error) {
	err = x.ask(ctx, func() error {
		focus, err := x.inputFocus()
		if err != nil {
			return err
		}
		if ok, err = x.within(focus, xid(w)); err != nil || !ok {
			return err
		}
		manager, err := x.manager()
		if err != nil || !manager {
			return err
		}
		active, err := x.number(x.root, "_NET_ACTIVE_WINDOW")
		ok = xproto.Window(active) == xid(w)
		return err
	})
	return ok && err == nil, err
}

func (x *Display) inputFocus() (xproto.Window, error) {
	reply, err := xproto.GetInputFocus(x.conn).Reply()
	if err != nil {
		return 0, err
	}
	return reply.Focus, nil
}

// within reports whether a window is another one or inside it.
func (x *Display) within(id, top xproto.Window) (bool, error) {
	for id > xproto.InputFocusPointerRoot && id != x.root {
		if id == top {
			return true, nil
		}
		tree, err := xproto.QueryTree(x.conn, id).Reply()
		switch {
		case isAnswer(err):
			return false, nil
		case err != nil:
			return false, err
		}
		id = tree.Parent
	}
	return false, nil
}

// Activate asks the window manager for the focus; without one it takes the focus.
func (x *Display) Activate(ctx context.Context, w desk.Window) error {
	hidden := false
	err := x.ask(ctx, func() error {
		attributes, err := xproto.GetWindowAttributes(x.conn, xid(w)).Reply()
		if err != nil {
			return err
		}
		hidden = attributes.MapState != xproto.MapStateViewable
		manager, err := x.manager()
		if err != nil {
			return err
		}
		now, err := x.now()
		switch {
		case err != nil:
			return err
		case manager:
			return x.requestActive(xid(w), now)
		case hidden:
			return errors.New("the window of Cursor is hidden, and no window manager runs that could show it")
		}
		return x.takeFocus(xid(w), now)
	})
	if err != nil || !hidden {
		return err
	}
	return x.refocus(ctx, w)
}

// refocus takes the focus from a window that was hidden until now, and gives it
// back: Chromium forgets a focus that it gets before it is shown. A window manager
// may focus another window meanwhile, so the focus is requested again.
func (x *Display) refocus(ctx context.Context, w desk.Window) error {
	if ok, err := x.comes(ctx, w, comeWait); err != nil || !ok {
		return err // the caller waits for the focus, and reports that it did not come
	}
	if err := desk.Sleep(ctx, settle); err != nil {
		return err
	}
	err := x.ask(ctx, func() error {
		x.wire.cork()
		xproto.SetInputFocus(x.conn, xproto.InputFocusNone, xproto.InputFocusNone, xproto.TimeCurrentTime)
		xproto.SetInputFocus(x.conn, xproto.InputFocusParent, xid(w), xproto.TimeCurrentTime)
		return errors.Join(x.wire.uncork(), x.sync())
	})
	if err != nil {
		return err
	}
	if err := desk.Sleep(ctx, settle); err != nil {
		return err
	}
	if ok, err := x.Focused(ctx, w); ok || err != nil {
		return err
	}
	return x.ask(ctx, func() error {
		now, err := x.now()
		if err != nil {
			return err
		}
		return x.requestActive(xid(w), now)
	})
}

// comeWait is how long a hidden window has to come to the front.
const comeWait = 1500 * time.Millisecond

// settle is how long a window manager has to answer a change of the focus.
const settle = 50 * time.Millisecond

// comes waits until a window has the focus.
func (x *Display) comes(ctx context.Context, w desk.Window, patience time.Duration) (bool, error) {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if ok, err := x.Focused(ctx, w); ok || err != nil {
			return ok, err
		}
		if err := desk.Sleep(ctx, desk.Poll); err != nil {
			return false, err
		}
	}
	return false, nil
}

// requestActive asks the window manager, in the way of a pager: what a user
// wants is not held back. Source: EWMH, _NET_ACTIVE_WINDOW.
func (x *Display) requestActive(id xproto.Window, now xproto.Timestamp) error {
	const pager = 2
	message := xproto.ClientMessageEvent{
		Format: 32, Window: id, Type: x.atoms["_NET_ACTIVE_WINDOW"],
		Data: xproto.ClientMessageDataUnionData32New([]uint32{pager, uint32(now), 0, 0, 0}),
	}
	return xproto.SendEventChecked(x.conn, false, x.root,
		xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(message.Bytes())).Check()
}

// takeFocus does what a window manager would.
func (x *Display) takeFocus(id xproto.Window, now xproto.Timestamp) error {
	xproto.ConfigureWindow(x.conn, id, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
	return xproto.SetInputFocusChecked(x.conn, xproto.InputFocusParent, id, now).Check()
}

// Idle asks the screen saver extension.
func (x *Display) Idle(ctx context.Context) (idle time.Duration, err error) {
	const name = "MIT-SCREEN-SAVER"
	err = x.ask(ctx, func() error {
		extension, err := xproto.QueryExtension(x.conn, uint16(len(name)), name).Reply()
		if err != nil {
			return err
		}
		if !extension.Present {
			return desk.ErrUnknown
		}
		// Not screensaver.Init: it writes into maps of xgb that other
		// connections of this process read.
		x.conn.ExtLock.Lock()
		x.conn.Extensions[name] = extension.MajorOpcode
		x.conn.ExtLock.Unlock()
		info, err := screensaver.QueryInfo(x.conn, xproto.Drawable(x.root)).Reply()
		if err != nil {
			return err
		}
		idle = time.Duration(info.MsSinceUserInput) * time.Millisecond
		return nil
	})
	return idle, err
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
