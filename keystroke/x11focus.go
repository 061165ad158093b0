package keystroke

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
)

// editorClasses are the classes of the editor's windows, in lower case.
var editorClasses = []string{"cursor", "cursor-nightly", "cursor nightly"}

// xid makes of a window what the display calls it.
func (w window) xid() xproto.Window {
	n, err := strconv.ParseUint(w.id, 0, 32)
	if err != nil {
		return 0 // which is no window
	}
	return xproto.Window(n)
}

func (x *x11) windows(ctx context.Context, t Target) (found []window, err error) {
	err = x.ask(ctx, func() error {
		ids, err := x.topLevel()
		for _, id := range ids {
			w, ok, err := x.editor(id, t)
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

// topLevel gives the windows that a window manager manages, or would.
func (x *x11) topLevel() ([]xproto.Window, error) {
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

// manager tells whether a window manager lives: a property of the root names a
// window that has the same property. Source: EWMH, _NET_SUPPORTING_WM_CHECK.
func (x *x11) manager() (bool, error) {
	id, err := x.number(x.root, "_NET_SUPPORTING_WM_CHECK")
	if id == 0 || err != nil {
		return false, err
	}
	same, err := x.number(xproto.Window(id), "_NET_SUPPORTING_WM_CHECK")
	return same == id, err
}

// classed gives the windows below one that have a class and that a window
// manager would manage.
func (x *x11) classed(parent xproto.Window, depth int) (ids []xproto.Window, err error) {
	tree, err := xproto.QueryTree(x.conn, parent).Reply()
	switch {
	case isX11(err):
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
		case isX11(err):
		case err != nil:
			return nil, err
		case !attributes.OverrideRedirect && attributes.Class == xproto.WindowClassInputOutput:
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// editor tells whether a window is the editor's, by its class and its
// executable.
func (x *x11) editor(id xproto.Window, t Target) (window, bool, error) {
	class, err := x.property(id, xproto.AtomWmClass)
	if err != nil || !t.isClass(class) {
		return window{}, false, err
	}
	types, err := x.numbers(id, "_NET_WM_WINDOW_TYPE")
	if err != nil || types != nil && !slices.Contains(types, uint32(x.atoms["_NET_WM_WINDOW_TYPE_NORMAL"])) {
		return window{}, false, err
	}
	pid, err := x.number(id, "_NET_WM_PID")
	if err != nil || !t.runs(int(pid)) {
		return window{}, false, err
	}
	title, err := x.property(id, x.atoms["_NET_WM_NAME"])
	if err == nil && len(title) == 0 {
		title, err = x.property(id, xproto.AtomWmName)
	}
	return window{id: fmt.Sprintf("%#x", uint32(id)), title: string(title), pid: int(pid)}, err == nil, err
}

// isClass looks at a WM_CLASS: instance and class, each ended by a zero. An
// editor of another name has that as its class too.
func (t Target) isClass(value []byte) bool {
	parts := strings.Split(string(value), "\x00")
	return len(parts) > 1 && parts[1] != "" && slices.Contains(slices.Concat(editorClasses, t.Editors), strings.ToLower(parts[1]))
}

// runs tells whether a process is the editor's. An editor that was updated
// while it runs has an executable that was deleted.
func (t Target) runs(pid int) bool {
	if pid <= 0 {
		return false
	}
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	path, err := os.Readlink(filepath.Join(proc, "exe"))
	if err == nil && t.isEditor(strings.TrimSuffix(path, " (deleted)")) {
		return true
	}
	name, err := os.ReadFile(filepath.Join(proc, "comm"))
	return err == nil && t.isEditor(strings.TrimSpace(string(name)))
}

// focused wants the input focus in the window, and the window manager's word
// that the window is the active one, if there is a window manager.
func (x *x11) focused(ctx context.Context, w window) (ok bool, err error) {
	err = x.ask(ctx, func() error {
		focus, err := x.inputFocus()
		if err != nil {
			return err
		}
		if ok, err = x.within(focus, w.xid()); err != nil || !ok {
			return err
		}
		manager, err := x.manager()
		if err != nil || !manager {
			return err
		}
		active, err := x.number(x.root, "_NET_ACTIVE_WINDOW")
		ok = xproto.Window(active) == w.xid()
		return err
	})
	return ok && err == nil, err
}

func (x *x11) inputFocus() (xproto.Window, error) {
	reply, err := xproto.GetInputFocus(x.conn).Reply()
	if err != nil {
		return 0, err
	}
	return reply.Focus, nil
}

// within tells whether a window is another or below it.
func (x *x11) within(id, top xproto.Window) (bool, error) {
	for id > xproto.InputFocusPointerRoot && id != x.root {
		if id == top {
			return true, nil
		}
		tree, err := xproto.QueryTree(x.conn, id).Reply()
		switch {
		case isX11(err):
			return false, nil
		case err != nil:
			return false, err
		}
		id = tree.Parent
	}
	return false, nil
}

func (x *x11) activate(ctx context.Context, w window) error {
	hidden := false
	err := x.ask(ctx, func() error {
		attributes, err := xproto.GetWindowAttributes(x.conn, w.xid()).Reply()
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
			return x.requestActive(w.xid(), now)
		case hidden:
			return errors.New("the window of Cursor is hidden, and no window manager lives that could show it")
		}
		return x.takeFocus(w.xid(), now)
	})
	if err != nil || !hidden {
		return err
	}
	return x.refocus(ctx, w)
}

// refocus takes the focus from a window that was hidden until now, and gives it
// back: Chromium, told that it has the focus before it is shown, forgets it. A
// window manager may give the focus to another window in between, so the window
// is asked for again.
func (x *x11) refocus(ctx context.Context, w window) error {
	if ok, err := x.comes(ctx, w, focusWait/2); err != nil || !ok {
		return err // who waits for the focus tells that it did not come
	}
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	err := x.ask(ctx, func() error {
		x.wire.cork()
		xproto.SetInputFocus(x.conn, xproto.InputFocusNone, xproto.InputFocusNone, xproto.TimeCurrentTime)
		xproto.SetInputFocus(x.conn, xproto.InputFocusParent, w.xid(), xproto.TimeCurrentTime)
		return errors.Join(x.wire.uncork(), x.sync())
	})
	if err != nil {
		return err
	}
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	if ok, err := x.focused(ctx, w); ok || err != nil {
		return err
	}
	return x.ask(ctx, func() error {
		now, err := x.now()
		if err != nil {
			return err
		}
		return x.requestActive(w.xid(), now)
	})
}

// settle is how long a window manager has to answer a change of the focus.
const settle = 50 * time.Millisecond

// comes waits until a window has the focus.
func (x *x11) comes(ctx context.Context, w window, patience time.Duration) (bool, error) {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if ok, err := x.focused(ctx, w); ok || err != nil {
			return ok, err
		}
		if err := sleep(ctx, poll); err != nil {
			return false, err
		}
	}
	return false, nil
}

// requestActive asks the window manager, in the way of a pager: what a user
// wants is not held back. Source: EWMH, _NET_ACTIVE_WINDOW.
func (x *x11) requestActive(id xproto.Window, now xproto.Timestamp) error {
	const pager = 2
	message := xproto.ClientMessageEvent{
		Format: 32, Window: id, Type: x.atoms["_NET_ACTIVE_WINDOW"],
		Data: xproto.ClientMessageDataUnionData32New([]uint32{pager, uint32(now), 0, 0, 0}),
	}
	return xproto.SendEventChecked(x.conn, false, x.root,
		xproto.EventMaskSubstructureNotify|xproto.EventMaskSubstructureRedirect, string(message.Bytes())).Check()
}

// takeFocus does what a window manager would.
func (x *x11) takeFocus(id xproto.Window, now xproto.Timestamp) error {
	xproto.ConfigureWindow(x.conn, id, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
	return xproto.SetInputFocusChecked(x.conn, xproto.InputFocusParent, id, now).Check()
}

func (x *x11) idle(ctx context.Context) (idle time.Duration, err error) {
	const name = "MIT-SCREEN-SAVER"
	err = x.ask(ctx, func() error {
		extension, err := xproto.QueryExtension(x.conn, uint16(len(name)), name).Reply()
		if err != nil {
			return err
		}
		if !extension.Present {
			return errUnknown
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
