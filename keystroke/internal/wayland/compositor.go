// Package wayland types on Wayland desktops: wl-copy and wtype, or ydotool, press
// and paste; the compositor says which window has the focus.
package wayland

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// compositor knows windows and focus. Wayland has no protocol for that, so each
// compositor has a way of its own.
type compositor interface {
	Windows(ctx context.Context, editors desk.Editors) ([]desk.Window, error)
	Front(ctx context.Context) (desk.Window, error)
	Focused(ctx context.Context, w desk.Window) (bool, error)
	Activate(ctx context.Context, w desk.Window) error
	// layouts returns the active layout of each keyboard, by its name in XKB's
	// registry, or desk.ErrUnknown.
	layouts(ctx context.Context) ([]string, error)
}

// waylandDesk is a Wayland desktop with wl-clipboard.
type waylandDesk struct {
	compositor
	clipboard wlClipboard
}

// Idle returns ErrUnknown: ext_idle_notify_v1 reports only changes from now on.
func (waylandDesk) Idle(context.Context) (time.Duration, error) { return 0, desk.ErrUnknown }

func (d waylandDesk) Put(ctx context.Context, _ desk.Window, line string) (desk.Clip, error) {
	return d.clipboard.Put(ctx, line)
}

// compositorOf returns the one that runs, if the focus can be checked there or the
// user has consented to typing without.
func compositorOf(m desk.Machine, r desk.Request) (compositor, error) {
	switch name := m.Desktop.Compositor; {
	case name == "sway":
		return newSway(m)
	case name == "hyprland":
		return newHyprland(m)
	case r.Unchecked:
		return unchecked{m, "/proc"}, nil
	case name == "":
		return nil, errors.New("the compositor is not known, so it cannot be checked that Cursor has the focus; --type-unchecked allows typing without that check")
	default:
		return nil, fmt.Errorf("%s does not say which window has the focus, so it cannot be checked that it is Cursor's; --type-unchecked allows typing without that check", name)
	}
}

// unchecked is a compositor that does not say which window has the focus. With the
// user's consent the line goes to whichever has it, provided that Cursor runs.
type unchecked struct {
	m    desk.Machine
	proc string
}

func (u unchecked) Windows(_ context.Context, editors desk.Editors) ([]desk.Window, error) {
	links, err := filepath.Glob(filepath.Join(u.proc, "[0-9]*", "exe"))
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && editors.Has(installed(exe)) {
			return []desk.Window{{Title: "with the focus"}}, nil
		}
	}
	return nil, nil
}

func (unchecked) Front(context.Context) (desk.Window, error) {
	return desk.Window{Title: "with the focus"}, nil
}

func (unchecked) Focused(context.Context, desk.Window) (bool, error) { return true, nil }
func (unchecked) Activate(context.Context, desk.Window) error        { return nil }

// layouts asks GNOME for all layouts that are set, for it does not say which is
// active. Source: its schema org.gnome.desktop.input-sources.
func (u unchecked) layouts(ctx context.Context) ([]string, error) {
	gsettings, err := u.m.Look("gsettings")
	if u.m.Desktop.Compositor != "gnome" || err != nil {
		return nil, desk.ErrUnknown
	}
	out, err := u.m.Run(ctx, "", gsettings, "get", "org.gnome.desktop.input-sources", "sources")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, source := range gnomeSource.FindAllString(out, -1) {
		if source == "('xkb', 'us')" {
			source = usLayout
		}
		names = append(names, source)
	}
	return names, nil
}

var gnomeSource = regexp.MustCompile(`\('[^']*', '[^']*'\)`)

// viewOf returns a window from what a compositor says of it, if it is the
// editor's by its class, which is the app_id of a Wayland client, and by the
// executable of its process.
func viewOf(editors desk.Editors, id, title, class string, pid int) (desk.Window, bool) {
	class = strings.ToLower(class)
	if class != "cursor" && !slices.Contains(editors, class) {
		return desk.Window{}, false
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || !editors.Has(installed(exe)) {
		return desk.Window{}, false
	}
	return desk.Window{ID: id, Title: title, PID: pid}, true
}

// installed is the path of an executable that was replaced while it ran, as
// an update does. Source: proc_pid_exe(5).
func installed(exe string) string { return strings.TrimSuffix(exe, " (deleted)") }

func globalsOf(ctx context.Context, m desk.Machine) (globals, error) {
	if m.Desktop.Kind != platform.Wayland {
		return nil, errors.New("this is not a Wayland desktop")
	}
	c, err := dial(ctx, m)
	if err != nil {
		return nil, err
	}
	return c.globals, c.close()
}

const virtualKeyboard = "zwp_virtual_keyboard_manager_v1"

func takesKeys(m desk.Machine, g globals) error {
	if g.has(virtualKeyboard) {
		return nil
	}
	return fmt.Errorf("%s takes no keys from programs (it has no %s); ydotool works there",
		cmp.Or(m.Desktop.Compositor, "this compositor"), virtualKeyboard)
}
