package wayland

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// legacySocket is that of ydotoold 0.1.x, which is built in, and of a system-wide
// daemon of 1.x.
const legacySocket = "/tmp/.ydotool_socket"

// OpenYdotool pastes the line: wl-copy puts it on the clipboard, ydotool presses
// Shift+Insert and the submit key on a keyboard of its own, which the kernel makes.
// It works with compositors that take no keys from programs. Its keyboard has the
// layout of the others, and some layouts move the very keys it presses, so it is
// used on a plain us layout only.
func OpenYdotool(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error) {
	return ydotool{m, legacySocket}.open(ctx, r)
}

type ydotool struct {
	m      desk.Machine
	legacy string // see legacySocket
}

func (i ydotool) open(ctx context.Context, r desk.Request) (s desk.Session, err error) {
	g, err := globalsOf(ctx, i.m)
	if err != nil {
		return s, err
	}
	k, err := i.keys(ctx)
	if err != nil {
		return s, err
	}
	var d waylandDesk
	if d.clipboard, err = clipboardOf(i.m, g); err != nil {
		return s, err
	}
	if d.compositor, err = compositorOf(i.m, r); err != nil {
		return s, err
	}
	return desk.Session{Desk: d, Keyboard: k}, i.isUS(ctx, d.compositor)
}

// usLayout is what XKB calls the plain us layout. Source: xkeyboard-config,
// base.lst.
const usLayout = "English (US)"

func (i ydotool) isUS(ctx context.Context, c compositor) error {
	names, err := c.layouts(ctx)
	if errors.Is(err, desk.ErrUnknown) || err == nil && len(names) == 0 {
		return errors.New("ydotool is exact on a us keyboard only, and the layout is unknown here")
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != usLayout {
			return fmt.Errorf("ydotool is exact on a us keyboard only; there is one with %q", name)
		}
	}
	return nil
}

type ydotoolKeys struct {
	m    desk.Machine
	path string
	args func(key.Chord) ([]string, error)
}

func (k ydotoolKeys) Press(ctx context.Context, _ desk.Window, c key.Chord) error {
	args, err := k.args(c)
	if err != nil {
		return desk.NotPressed(err)
	}
	_, err = k.m.Run(ctx, "", k.path, args...)
	return err
}

// keys tells the two generations apart, which share a name and little else: 1.x
// takes codes, and ignores names; 0.1.x takes names, and types codes as digits.
func (i ydotool) keys(ctx context.Context) (ydotoolKeys, error) {
	path, err := i.m.Look("ydotool")
	if err != nil {
		return ydotoolKeys{}, err
	}
	commands := i.help(ctx, path)
	switch {
	case slices.Contains(commands, "bakers"):
		return i.codes(ctx, path)
	case slices.Contains(commands, "recorder"):
		return i.names(ctx, path)
	}
	return ydotoolKeys{}, errors.New("this ydotool is unknown: its help lists neither recorder, as 0.1.x does, nor bakers, as 1.x does")
}

// help returns the words of ydotool's help. That of 0.1.x is on stderr, with an
// exit code of 1.
func (i ydotool) help(ctx context.Context, path string) []string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	out, err := proc.Command{Path: path, Args: []string{"help"}, Env: i.m.Env, Limit: desk.OutputLimit}.Output(ctx)
	said := string(out)
	if exit := (*proc.ExitError)(nil); errors.As(err, &exit) {
		said += exit.Stderr
	}
	return strings.Fields(said)
}

// codes is for 1.x, which needs its daemon.
func (i ydotool) codes(ctx context.Context, path string) (ydotoolKeys, error) {
	socket, err := i.socket(ctx)
	if err != nil {
		return ydotoolKeys{}, err
	}
	m := i.m
	m.Env = append(slices.Clone(m.Env), "YDOTOOL_SOCKET="+socket)
	return ydotoolKeys{m, path, ydotoolCodes}, nil
}

// socket finds the daemon's. It may be the system's, with its socket in /tmp,
// where ydotool itself looks only without XDG_RUNTIME_DIR. Source: ydotool,
// Client/ydotool.c and Daemon/ydotoold.c.
func (i ydotool) socket(ctx context.Context) (string, error) {
	places := []string{i.legacy}
	if dir := i.m.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		places = []string{filepath.Join(dir, ".ydotool_socket"), i.legacy}
	}
	if set := i.m.Getenv("YDOTOOL_SOCKET"); set != "" {
		places = []string{set}
	}
	var errs []error
	for _, place := range places {
		conn, err := new(net.Dialer).DialContext(ctx, "unixgram", place)
		if err == nil {
			return place, conn.Close()
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("ydotoold is not running, or you may not use its socket: %w", errors.Join(errs...))
}

// ydotoolCodes returns the arguments of 1.x: each key's code, down or up.
func ydotoolCodes(c key.Chord) ([]string, error) {
	k, err := key.Of(c)
	if err != nil {
		return nil, err
	}
	var codes []int
	for _, m := range key.Held(c) {
		codes = append(codes, m.Code)
	}
	codes = append(codes, k.Code)
	args := []string{"key"}
	for _, code := range codes {
		args = append(args, fmt.Sprintf("%d:1", code))
	}
	for _, code := range slices.Backward(codes) {
		args = append(args, fmt.Sprintf("%d:0", code))
	}
	return args, nil
}

// names is for 0.1.x. Without its daemon that makes a keyboard for each call,
// which a compositor sees only after a while: then the key would come long after
// the focus was checked.
func (i ydotool) names(ctx context.Context, path string) (ydotoolKeys, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", i.legacy)
	if err != nil {
		return ydotoolKeys{}, fmt.Errorf("start ydotoold: without it ydotool 0.1.x presses a key too long after the focus was checked: %w", err)
	}
	return ydotoolKeys{i.m, path, ydotoolNames}, conn.Close()
}

// ydotoolNames returns the arguments of 0.1.x, which types the first letter of a
// name that it does not know: return would type an r. Its delay, in milliseconds, is
// before the first key, and half of it between keys. Source: ydotool v0.1.8,
// Tools/Key/Key.cpp.
func ydotoolNames(c key.Chord) ([]string, error) {
	k, err := key.Of(c)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range key.Held(c) {
		names = append(names, m.Ydotool)
	}
	name := k.Name
	if name == key.Return.Key {
		name = "enter"
	}
	return []string{"key", "--delay", "20", strings.Join(append(names, name), "+")}, nil
}
