package keystroke

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ydotool pastes the line: wl-copy puts it on the clipboard, ydotool presses
// Shift+Insert and Return on a keyboard of its own, which the kernel makes. It
// works with compositors that take no keys from programs. Its keyboard has the
// layout of the others, and there are such that move the very keys it presses,
// so it is used on a plain us one alone.
type ydotool struct {
	m      Machine
	legacy string // the socket of ydotoold 0.1.x, which is built in
}

func newYdotool(m Machine) Injector {
	return ydotool{m, "/tmp/.ydotool_socket"}
}

// Name is ydotool.
func (ydotool) Name() string { return "ydotool" }

// Probe looks for the programs, which ydotool it is, its daemon, and the layout.
func (i ydotool) Probe(ctx context.Context, t Target) error {
	d, _, err := i.desk(ctx, t)
	if err == nil {
		_, err = find(ctx, t, d)
	}
	return err
}

// Type pastes the line and presses Return.
func (i ydotool) Type(ctx context.Context, t Target) error {
	d, k, err := i.desk(ctx, t)
	if err != nil {
		return err
	}
	return deliver(ctx, t, d, k)
}

func (i ydotool) desk(ctx context.Context, t Target) (d waylandDesk, k ydotoolKeys, err error) {
	g, err := i.m.waylandGlobals(ctx)
	if err != nil {
		return d, k, err
	}
	if k, err = i.keys(ctx); err != nil {
		return d, k, err
	}
	if d.clipboard, err = i.m.wlClipboard(g); err != nil {
		return d, k, err
	}
	if d.compositor, err = i.m.compositor(t); err != nil {
		return d, k, err
	}
	return d, k, i.isUS(ctx, d.compositor)
}

// usLayout is what XKB calls the plain us layout. Source: xkeyboard-config,
// base.lst.
const usLayout = "English (US)"

// isUS refuses any layout but us, and one that cannot be told.
func (i ydotool) isUS(ctx context.Context, c compositor) error {
	names, err := c.layouts(ctx)
	if errors.Is(err, errUnknown) || err == nil && len(names) == 0 {
		return errors.New("ydotool is exact on a us keyboard only, and which this is cannot be told here")
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

// ydotoolKeys presses keys by ydotool.
type ydotoolKeys struct {
	m    Machine
	path string
	args func(Chord) ([]string, error)
}

func (k ydotoolKeys) press(ctx context.Context, _ window, c Chord) error {
	args, err := k.args(c)
	if err != nil {
		return unpressed{err}
	}
	_, err = k.m.run(ctx, "", k.path, args...)
	return err
}

// keys tells the two generations apart, which share a name and little else:
// 1.x is told codes, and does nothing when told names; 0.1.x is told names,
// and types digits when told codes.
func (i ydotool) keys(ctx context.Context) (ydotoolKeys, error) {
	path, err := i.m.look("ydotool")
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
	return ydotoolKeys{}, errors.New("this is a ydotool that is not known: its help lists neither recorder, as 0.1.x does, nor bakers, as 1.x does")
}

// help gives the words of ydotool's help. That of 0.1.x is on stderr, with an
// exit code of 1.
func (i ydotool) help(ctx context.Context, path string) []string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "help")
	cmd.Env, cmd.WaitDelay = i.m.Env, 100*time.Millisecond
	out, _ := cmd.CombinedOutput() // the words tell, not the code
	return strings.Fields(string(out))
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
	if dir := i.m.getenv("XDG_RUNTIME_DIR"); dir != "" {
		places = []string{filepath.Join(dir, ".ydotool_socket"), i.legacy}
	}
	if set := i.m.getenv("YDOTOOL_SOCKET"); set != "" {
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

// ydotoolCodes gives the arguments of 1.x: each key's code and whether it goes
// down.
func ydotoolCodes(c Chord) ([]string, error) {
	codes := c.codes()
	if codes == nil {
		return nil, fmt.Errorf("%s has no key", c)
	}
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

// ydotoolNames gives the arguments of 0.1.x, which takes what it does not know
// for its first letter: return would type an r. Its delay, in milliseconds, is
// before the first key, and half of it between keys. Source: ydotool v0.1.8,
// Tools/Key/Key.cpp.
func ydotoolNames(c Chord) ([]string, error) {
	if c.codes() == nil {
		return nil, fmt.Errorf("%s has no key", c)
	}
	if c.Key == "return" {
		c.Key = "enter"
	}
	return []string{"key", "--delay", "20", strings.Replace(c.String(), "cmd+", "super+", 1)}, nil
}
