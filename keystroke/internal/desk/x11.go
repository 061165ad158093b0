package desk

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// Xdotool works an X11 desktop, and an editor in XWayland, by xdotool and xclip.
func Xdotool(_ context.Context, m Machine) (Desk, error) {
	if m.Getenv("DISPLAY") == "" {
		return Desk{}, errors.New("DISPLAY is not set, so there is no X11 desktop")
	}
	tools, err := m.lookAll("xdotool", "xclip")
	if err != nil {
		return Desk{}, err
	}
	x := x11{m, tools["xdotool"]}
	d := Desk{Windows: x.windows, Front: x.front, Raise: x.raise, Press: x.press, Boards: []Board{
		xclip(m, tools["xclip"], "clipboard"),
		xclip(m, tools["xclip"], "primary"),
	}}
	if path, err := m.LookPath("xprintidle"); err == nil {
		d.Idle = func(ctx context.Context) (time.Duration, error) { return xprintidle(ctx, m, path) }
	}
	return d, nil
}

type x11 struct {
	m       Machine
	xdotool string
}

// windows leaves out what no window manager manages: Chromium and Electron have
// windows that they never show. Only managed ones are on a desktop.
func (x x11) windows(ctx context.Context, editors []string) (found []Window, err error) {
	var names []string
	for _, class := range classes(editors) {
		names = append(names, regexp.QuoteMeta(class))
	}
	ids, err := x.search(ctx, "--class", "^("+strings.Join(names, "|")+")$")
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		said, err := x.m.run(ctx, x.xdotool, "getwindowpid", id, "get_desktop_for_window", id, "getwindowname", id)
		lines := strings.SplitN(said, "\n", 3)
		if err != nil || len(lines) < 3 {
			continue // or it has no process, or is gone
		}
		pid, err := strconv.Atoi(lines[0])
		if err == nil {
			found = append(found, Window{ID: id, Title: strings.TrimSuffix(lines[2], "\n"), PID: pid, Programs: programsOf(pid)})
		}
	}
	return found, nil
}

// search searches again where a window has gone meanwhile, at which xdotool ends.
func (x x11) search(ctx context.Context, args ...string) (ids []string, err error) {
	for range 5 {
		out, err := x.m.run(ctx, x.xdotool, append([]string{"search"}, args...)...)
		complaint, ran := stderrOf(err)
		switch {
		case err == nil:
			return strings.Fields(out), nil
		case ran && strings.TrimSpace(complaint) == "":
			return nil, nil // it found none
		case !strings.Contains(complaint, "BadWindow"):
			return nil, err
		}
	}
	return nil, errors.New("xdotool search: windows come and go")
}

// front is the window manager's active window, if that has the input focus too.
func (x x11) front(ctx context.Context) (Window, error) {
	out, err := x.m.tell(ctx, "getactivewindow\ngetwindowfocus\n", x.xdotool, "-")
	if err != nil {
		return Window{}, err
	}
	ids := strings.Fields(out)
	if len(ids) != 2 || ids[0] != ids[1] {
		return Window{}, ErrNoFront
	}
	return Window{ID: ids[0]}, nil
}

// raise does not have xdotool wait: without a window manager that would take 15 s.
// A window that was hidden gets the focus a second time: Chromium forgets one that
// it gets before it is shown.
func (x x11) raise(ctx context.Context, w Window) error {
	visible, err := x.search(ctx, "--onlyvisible", "--pid", strconv.Itoa(w.PID))
	if err != nil {
		return err
	}
	if _, err := x.m.run(ctx, x.xdotool, "windowactivate", w.ID); err != nil || slices.Contains(visible, w.ID) {
		return err
	}
	for range 20 {
		if err := proc.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
		if front, err := x.front(ctx); err == nil && front.ID == w.ID {
			_, err := x.m.run(ctx, x.xdotool, "windowfocus", "0", "windowfocus", w.ID)
			return err
		}
	}
	return nil // the caller finds out that it is not in front
}

var xdotoolKeys = map[Key]string{Paste: "shift+Insert", Return: "Return", CtrlEnter: "ctrl+Return"}

// press lets go of all modifiers first, which a user may hold. They are given by
// their codes, which evdev has for every layout: for a name that a layout lacks
// xdotool would change the layout. Its --clearmodifiers turns Caps Lock off.
func (x x11) press(ctx context.Context, _ Window, k Key, ready func() error) error {
	name, ok := xdotoolKeys[k]
	if !ok {
		return errors.Join(ErrLostFocus, errNoKey)
	}
	if err := ready(); err != nil {
		return err
	}
	_, err := x.m.run(ctx, x.xdotool, "keyup", "50", "62", "37", "105", "64", "108", "133", "134", "key", name)
	return err
}

// xclip is a selection. Both are used: Shift+Insert pastes the clipboard in
// Chromium, and what is selected in terminals, among them the editor's own, where
// Return would then run it.
func xclip(m Machine, path, selection string) Board {
	get := func(ctx context.Context) (Content, error) {
		types, err := m.run(ctx, path, "-selection", selection, "-o", "-t", "TARGETS")
		if complaint, ran := stderrOf(err); ran && strings.Contains(complaint, "not available") {
			return Content{}, nil // nobody owns it
		}
		if err != nil {
			return Content{}, err
		}
		return content(strings.Fields(types), func() (string, error) { return m.run(ctx, path, "-selection", selection, "-o") })
	}
	set := func(ctx context.Context, text string) error {
		return m.feed(ctx, text, path, "-selection", selection, "-i")
	}
	return Board{selection, get, set}
}

// content reads a text if there is one.
func content(types []string, read func() (string, error)) (c Content, err error) {
	c.Types = types
	for _, kind := range types {
		if IsText(kind) {
			c.Text, err = read()
			break
		}
	}
	return c, err
}

func xprintidle(ctx context.Context, m Machine, path string) (time.Duration, error) {
	out, err := m.run(ctx, path)
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("xprintidle: %w", err)
	}
	return time.Duration(ms) * time.Millisecond, nil
}
