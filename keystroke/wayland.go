package keystroke

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// compositor tells of windows and focus, as far as a Wayland compositor does:
// there is no protocol for that, so each has a way of its own.
type compositor interface {
	windows(ctx context.Context, t Target) ([]window, error)
	fronter
	focused(ctx context.Context, w window) (bool, error)
	activate(ctx context.Context, w window) error
	// layouts gives the active layout of each keyboard, by its name in XKB's
	// registry, or errUnknown.
	layouts(ctx context.Context) ([]string, error)
}

// waylandDesk is a Wayland desktop with wl-clipboard.
type waylandDesk struct {
	compositor
	clipboard wlClipboard
}

// idle is unknown: ext_idle_notify_v1 tells only from now on.
func (waylandDesk) idle(context.Context) (time.Duration, error) { return 0, errUnknown }

func (d waylandDesk) put(ctx context.Context, _ window, line string) (clip, error) {
	return d.clipboard.put(ctx, line)
}

// compositor gives the one that runs, if the focus can be checked there or the
// user has consented to typing without.
func (m Machine) compositor(t Target) (compositor, error) {
	switch name := m.Desktop.Compositor; {
	case name == "sway":
		return newSway(m)
	case name == "hyprland":
		return newHyprland(m)
	case t.Unchecked:
		return unchecked{m, "/proc"}, nil
	case name == "":
		return nil, errors.New("the compositor is not known, so it cannot be checked that Cursor has the focus; --type-unchecked allows typing without that check")
	default:
		return nil, fmt.Errorf("%s does not tell which window has the focus, so it cannot be checked that it is Cursor's; --type-unchecked allows typing without that check", name)
	}
}

// unchecked is a compositor that does not tell what has the focus. The line
// goes to whatever has it, by the user's consent, if only Cursor is running.
type unchecked struct {
	m    Machine
	proc string
}

func (u unchecked) windows(_ context.Context, t Target) ([]window, error) {
	links, err := filepath.Glob(filepath.Join(u.proc, "[0-9]*", "exe"))
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && t.isEditor(installed(exe)) {
			return []window{{title: "with the focus"}}, nil
		}
	}
	return nil, nil
}

func (unchecked) front(context.Context) (window, error) {
	return window{title: "with the focus"}, nil
}

func (unchecked) focused(context.Context, window) (bool, error) { return true, nil }
func (unchecked) activate(context.Context, window) error        { return nil }

// layouts asks GNOME for all layouts that are set, for it does not tell the
// active one. Source: its schema org.gnome.desktop.input-sources.
func (u unchecked) layouts(ctx context.Context) ([]string, error) {
	gsettings, err := u.m.look("gsettings")
	if u.m.Desktop.Compositor != "gnome" || err != nil {
		return nil, errUnknown
	}
	out, err := u.m.run(ctx, "", gsettings, "get", "org.gnome.desktop.input-sources", "sources")
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

// viewOf makes a window of what a compositor tells of one, if it is the
// editor's by its class, which is the app_id of a Wayland client, and by the
// executable of its process.
func viewOf(t Target, id, title, class string, pid int) (window, bool) {
	class = strings.ToLower(class)
	if class != "cursor" && !slices.Contains(t.Editors, class) {
		return window{}, false
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || !t.isEditor(installed(exe)) {
		return window{}, false
	}
	return window{id: id, title: title, pid: pid}, true
}

// installed is the path of an executable that was replaced while it ran, as
// an update does. Source: proc_pid_exe(5).
func installed(exe string) string { return strings.TrimSuffix(exe, " (deleted)") }

// waylandGlobals tells what the compositor offers.
func (m Machine) waylandGlobals(ctx context.Context) (globals, error) {
	if m.Desktop.Kind != platform.Wayland {
		return nil, errors.New("this is no Wayland desktop")
	}
	c, err := m.wayland(ctx)
	if err != nil {
		return nil, err
	}
	return c.globals, c.close()
}

const virtualKeyboard = "zwp_virtual_keyboard_manager_v1"

// takesKeys tells why wtype would not work with a compositor.
func (m Machine) takesKeys(g globals) error {
	if g.has(virtualKeyboard) {
		return nil
	}
	name := m.Desktop.Compositor
	if name == "" {
		name = "this compositor"
	}
	return fmt.Errorf("%s takes no keys from programs (it has no %s); ydotool works there", name, virtualKeyboard)
}
