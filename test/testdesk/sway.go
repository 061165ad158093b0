//go:build linux

package testdesk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Sway is a Wayland compositor without a screen, a keyboard or a pointer.
type Sway struct {
	Env    []string // of its clients
	Socket string   // SWAYSOCK
	dir    string
	p      *process
}

// View is a window of sway.
type View struct {
	ID      int64
	Title   string
	AppID   string
	PID     int
	Focused bool
}

// nobody is the user that sway runs as in a test of root: it refuses root.
const nobody = 65534

// StartSway starts sway in an environment, with more lines of its config. Its
// clients may be of any user.
func StartSway(ctx context.Context, env []string, config ...string) (*Sway, error) {
	path, err := exec.LookPath("sway")
	if err != nil {
		return nil, errors.New("sway is not installed")
	}
	// Not in a test's own folder: the name of a socket has at most 107 bytes.
	dir, err := os.MkdirTemp("", "sway")
	if err != nil {
		return nil, err
	}
	s := &Sway{dir: dir, Socket: filepath.Join(dir, "ipc")}
	if err := s.start(ctx, path, env, config); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Sway) start(ctx context.Context, path string, env, config []string) error {
	text := strings.Join(append([]string{"xwayland disable", "focus_follows_mouse no", "output * bg #222222 solid_color"}, config...), "\n")
	file := filepath.Join(s.dir, "config")
	if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil { // #nosec G306 -- a settings file of a test
		return err
	}
	args := []string{path, "-c", file}
	if os.Geteuid() == 0 {
		if err := os.Chown(s.dir, nobody, nobody); err != nil {
			return err
		}
		// A change of the user takes back what startCommand has asked for.
		args = slices.Concat([]string{"setpriv", "--pdeathsig=KILL", fmt.Sprintf("--reuid=%d", nobody), fmt.Sprintf("--regid=%d", nobody), "--clear-groups"}, args)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(slices.Clone(env), "XDG_RUNTIME_DIR="+s.dir, "HOME="+s.dir, "SWAYSOCK="+s.Socket,
		"WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1")
	var err error
	if s.p, err = startCommand(cmd, filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	display, err := s.display(ctx)
	s.Env = append(slices.Clone(env), "XDG_RUNTIME_DIR="+s.dir, "WAYLAND_DISPLAY="+display, "SWAYSOCK="+s.Socket,
		"DISPLAY=", "GTK_IM_MODULE=", "QT_IM_MODULE=", "XMODIFIERS=")
	return err
}

// display waits for the socket that sway made for its clients, and for the one
// for commands.
func (s *Sway) display(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		found, err := filepath.Glob(filepath.Join(s.dir, "wayland-?"))
		if err != nil {
			return "", err
		}
		if conn, err := net.Dial("unix", s.Socket); err == nil && len(found) > 0 {
			return filepath.Base(found[0]), conn.Close()
		}
		select {
		case <-s.p.done:
			return "", fmt.Errorf("sway ended: %s", s.log())
		case <-ctx.Done():
			return "", fmt.Errorf("sway does not start: %s", s.log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Sway) log() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Command runs a command in sway, as swaymsg does.
func (s *Sway) Command(ctx context.Context, command string) error {
	_, err := s.message(ctx, command)
	return err
}

// Windows returns all windows.
func (s *Sway) Windows(ctx context.Context) ([]View, error) {
	out, err := s.message(ctx, "-t", "get_tree")
	if err != nil {
		return nil, err
	}
	type node struct {
		ID       int64  `json:"id"`
		Name     string `json:"name"`
		AppID    string `json:"app_id"`
		PID      int    `json:"pid"`
		Focused  bool   `json:"focused"`
		Nodes    []node `json:"nodes"`
		Floating []node `json:"floating_nodes"`
	}
	var root node
	if err := json.Unmarshal(out, &root); err != nil {
		return nil, err
	}
	var found []View
	for rest := []node{root}; len(rest) > 0; {
		n := rest[0]
		rest = append(append(rest[1:], n.Nodes...), n.Floating...)
		if n.PID != 0 {
			found = append(found, View{n.ID, n.Name, n.AppID, n.PID, n.Focused})
		}
	}
	return found, nil
}

// Window waits for a window whose title has a text in it.
func (s *Sway) Window(ctx context.Context, title string) (View, error) {
	return s.view(ctx, title, func(v View) bool { return strings.Contains(v.Title, title) })
}

func (s *Sway) view(ctx context.Context, what string, is func(View) bool) (View, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		views, err := s.Windows(ctx)
		if err != nil {
			return View{}, err
		}
		for _, v := range views {
			if is(v) {
				return v, nil
			}
		}
		select {
		case <-ctx.Done():
			return View{}, fmt.Errorf("there is no window %q but %v", what, views)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Focus moves the focus to a window.
func (s *Sway) Focus(ctx context.Context, v View) error {
	return s.Command(ctx, fmt.Sprintf("[con_id=%d] focus", v.ID))
}

func (s *Sway) message(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "swaymsg", append([]string{"-s", s.Socket}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("swaymsg %v: %w: %s", args, err, out)
	}
	return out, nil
}

// Close ends sway, and so its clients.
func (s *Sway) Close() error {
	var err error
	if s.p != nil {
		err = s.p.stop()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
