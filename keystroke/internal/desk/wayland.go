package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Wtype works a Wayland desktop by wtype, wl-clipboard and the compositor's own
// program. The compositor has to take keys from programs: GNOME's does not.
func Wtype(_ context.Context, m Machine) (Desk, error) {
	path, err := m.LookPath("wtype")
	if err != nil {
		return Desk{}, err
	}
	d, err := wayland(m)
	d.Press = func(ctx context.Context, _ Window, k Key, ready func() error) error {
		return m.wtype(ctx, path, k, ready)
	}
	return d, err
}

// wayland is a Wayland desktop without a keyboard. The compositor has to say which
// window has the focus: Wayland has no protocol for it.
func wayland(m Machine) (Desk, error) {
	tools, err := m.lookAll("wl-copy", "wl-paste")
	if err != nil {
		return Desk{}, fmt.Errorf("%w: install wl-clipboard", err)
	}
	var d Desk
	switch name := m.Desktop.Compositor; name {
	case "sway":
		d, err = sway(m)
	case "hyprland":
		d, err = hyprland(m)
	default:
		err = fmt.Errorf("%s does not say which window has the focus, so it cannot be checked that it is Cursor's", cmp.Or(name, "this compositor"))
	}
	d.Boards = []Board{
		wlClipboard(m, tools, "clipboard"),
		wlClipboard(m, tools, "primary selection", "--primary"),
	}
	return d, err
}

// sway is asked by swaymsg. Source: sway-ipc(7).
func sway(m Machine) (Desk, error) {
	path, err := m.LookPath("swaymsg")
	if err != nil {
		return Desk{}, err
	}
	views := func(ctx context.Context) ([]swayNode, error) {
		out, err := m.run(ctx, path, "-t", "get_tree", "-r")
		if err != nil {
			return nil, err
		}
		var root swayNode
		if err := json.Unmarshal([]byte(out), &root); err != nil {
			return nil, fmt.Errorf("swaymsg -t get_tree: %w", err)
		}
		return root.views(), nil
	}
	return Desk{
		Windows: func(ctx context.Context, _ []string) (found []Window, err error) {
			nodes, err := views(ctx)
			for _, n := range nodes {
				found = append(found, n.window())
			}
			return found, err
		},
		Front: func(ctx context.Context) (Window, error) {
			nodes, err := views(ctx)
			if err != nil {
				return Window{}, err
			}
			i := slices.IndexFunc(nodes, func(n swayNode) bool { return n.Focused })
			if i < 0 { // a launcher or a lock may have the keyboard
				return Window{}, ErrNoFront
			}
			return nodes[i].window(), nil
		},
		Raise: func(ctx context.Context, w Window) error {
			_, err := m.run(ctx, path, "[con_id="+w.ID+"] focus")
			return err
		},
	}, nil
}

// swayNode is one of sway's tree: an output, a workspace, a container or a view.
type swayNode struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Focused    bool   `json:"focused"`
	PID        int    `json:"pid"`
	AppID      string `json:"app_id"` // null for a client of XWayland, which has a class
	Properties struct {
		Class string `json:"class"`
	} `json:"window_properties"`
	Nodes    []swayNode `json:"nodes"`
	Floating []swayNode `json:"floating_nodes"`
}

// views returns the nodes that have a process.
func (n swayNode) views() (found []swayNode) {
	if n.PID != 0 {
		found = append(found, n)
	}
	for _, below := range slices.Concat(n.Nodes, n.Floating) {
		found = append(found, below.views()...)
	}
	return found
}

func (n swayNode) window() Window {
	return Window{strconv.FormatInt(n.ID, 10), n.Name, cmp.Or(n.AppID, n.Properties.Class), n.PID, programsOf(n.PID)}
}

// hyprland is asked by hyprctl. Source of its words and fields: hyprctl(1) and
// wiki.hypr.land, "Using hyprctl" and "Dispatchers".
func hyprland(m Machine) (Desk, error) {
	path, err := m.LookPath("hyprctl")
	if err != nil {
		return Desk{}, err
	}
	ask := func(ctx context.Context, what string, answer any) error {
		out, err := m.run(ctx, path, "-j", what)
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(out), answer); err != nil {
			return fmt.Errorf("hyprctl %s: %w", what, err)
		}
		return nil
	}
	return Desk{
		Windows: func(ctx context.Context, _ []string) (found []Window, err error) {
			var clients []hyprClient
			err = ask(ctx, "clients", &clients)
			for _, c := range clients {
				if c.Mapped && hyprAddress.MatchString(c.Address) { // it becomes part of a command
					found = append(found, c.window())
				}
			}
			return found, err
		},
		Front: func(ctx context.Context) (Window, error) {
			var active hyprClient // {} when nothing has the focus
			err := ask(ctx, "activewindow", &active)
			if err == nil && !hyprAddress.MatchString(active.Address) {
				err = ErrNoFront
			}
			return active.window(), err
		},
		// From Hyprland 0.55 on dispatchers may be Lua, where the old words are a
		// syntax error and do nothing.
		Raise: func(ctx context.Context, w Window) error {
			said, err := m.run(ctx, path, "dispatch", "focuswindow", "address:"+w.ID)
			if err != nil || strings.TrimSpace(said) != "ok" {
				_, err = m.run(ctx, path, "dispatch", `hl.dsp.focus({ window = "address:`+w.ID+`" })`)
			}
			return err
		},
	}, nil
}

// hyprClient is a window. One that is not mapped is not visible, and may
// have a pid of 0. Source: github.com/hyprwm/Hyprland/issues/1810.
type hyprClient struct {
	Address string `json:"address"`
	Mapped  bool   `json:"mapped"`
	Class   string `json:"class"`
	Title   string `json:"title"`
	PID     int    `json:"pid"`
}

func (c hyprClient) window() Window {
	return Window{c.Address, c.Title, c.Class, c.PID, programsOf(c.PID)}
}

var hyprAddress = regexp.MustCompile(`^0x[0-9a-f]+$`)

// wlClipboard is the clipboard or the primary selection, both for the reason that
// xclip has. wl-copy returns when the text is there. Without a type it would look
// for one with xdg-mime.
func wlClipboard(m Machine, tools map[string]string, name string, flags ...string) Board {
	paste := func(ctx context.Context, args ...string) (string, error) {
		return m.run(ctx, tools["wl-paste"], slices.Concat(flags, args)...)
	}
	get := func(ctx context.Context) (Content, error) {
		types, err := paste(ctx, "--list-types")
		if complaint, ran := stderrOf(err); ran && (strings.Contains(complaint, "Nothing is copied") || strings.Contains(complaint, "No selection")) {
			return Content{}, nil // wl-paste is not translated
		}
		if err != nil {
			return Content{}, err
		}
		return content(strings.Split(strings.TrimSpace(types), "\n"), func() (string, error) { return paste(ctx, "--no-newline", "--type", "text") })
	}
	set := func(ctx context.Context, text string) error {
		args := []string{"--type", "text/plain"}
		if text == "" {
			args = []string{"--clear"}
		}
		return m.feed(ctx, text, tools["wl-copy"], slices.Concat(flags, args)...)
	}
	return Board{name, get, set}
}

// wtypeLead is how long wtype's keyboard has to be there before its first key:
// without it 29 of 50 lines lost their first character in Chromium.
const wtypeLead = 100 * time.Millisecond

// wtypeKeys are evdev's code of a key, wtype's name of it, and of its modifier.
var wtypeKeys = map[Key]struct {
	code      int
	name, mod string
}{Paste: {110, "Insert", "shift"}, Return: {28, "Return", ""}, CtrlEnter: {28, "Return", "ctrl"}}

// wtypeArgs returns the arguments that press a key.
//
// wtype numbers its keys in the order in which they are named, from 1 on, which
// is the code of Escape; and VS Code goes by the code of a key, not by what is
// on it, so it would take Return for Escape. So as many keys that mean nothing
// are named before that the key has the code it has on a keyboard. To name them
// they are released, though they were not pressed: that does nothing.
// Sources: wtype's main.c, get_key_code_by_xkb; VS Code's
// macLinuxKeyboardMapper.ts, resolveKeyboardEvent.
//
// After the lead wtype reads what to type from its stdin, "-", until that is
// closed: so it waits for us there, and types none of it.
func wtypeArgs(k Key) ([]string, error) {
	key, ok := wtypeKeys[k]
	if !ok {
		return nil, errNoKey
	}
	args := []string{"-s", strconv.FormatInt(wtypeLead.Milliseconds(), 10)}
	for code := 1; code < key.code; code++ {
		args = append(args, "-p", fmt.Sprintf("U%04X", 0xE000+code)) // a character for private use
	}
	args = append(args, "-", "-s", "1")
	if key.mod == "" {
		return append(args, "-k", key.name), nil
	}
	return append(args, "-M", key.mod, "-k", key.name, "-m", key.mod), nil
}

func (m Machine) wtype(ctx context.Context, path string, k Key, ready func() error) error {
	args, err := wtypeArgs(k)
	if err != nil {
		return errors.Join(ErrLostFocus, err)
	}
	ctx, cancel := context.WithTimeout(ctx, programWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	// Where char is unsigned wtype 0.4 does not know the end of its stdin, and
	// stops at invalid UTF-8 instead.
	cmd.Env = append(slices.Clone(m.Env), "LC_ALL=C.UTF-8")
	gate, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended: // the compositor takes no keys
		return fmt.Errorf("wtype: %w: %.200s", err, strings.TrimSpace(complaint.String()))
	case <-time.After(wtypeLead + 20*time.Millisecond):
	}
	if err := ready(); err != nil {
		cancel() // kills it: its keys are behind the gate
		<-ended
		return err
	}
	_ = gate.Close()
	if err := <-ended; err != nil {
		return fmt.Errorf("wtype: %w: %.200s", err, strings.TrimSpace(complaint.String()))
	}
	return nil
}
