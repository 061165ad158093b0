package desk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
)

// Ydotool works a Wayland desktop as Wtype does, but presses keys by ydotool on a
// keyboard of its own, which the kernel makes. It needs its daemon.
func Ydotool(ctx context.Context, m Machine) (Desk, error) {
	path, err := m.LookPath("ydotool")
	if err != nil {
		return Desk{}, err
	}
	keys, m, err := ydotoolKeys(ctx, m, path)
	if err != nil {
		return Desk{}, err
	}
	d, err := wayland(m)
	d.Press = func(ctx context.Context, _ Window, k Key, ready func() error) error {
		args, ok := keys[k]
		if !ok {
			return errors.Join(ErrLostFocus, errNoKey)
		}
		if err := ready(); err != nil {
			return err
		}
		_, err := m.run(ctx, path, args...)
		return err
	}
	return d, err
}

// Arguments of the two generations, which share a name and little else: 1.x takes
// evdev's codes, and ignores names; 0.1.x takes names, and types codes as digits.
// The delay of 0.1.x, in milliseconds, is before the first key, and half of it
// between keys. Source: ydotool v0.1.8, Tools/Key/Key.cpp.
var (
	ydotoolCodes = map[Key][]string{
		Paste:     {"key", "42:1", "110:1", "110:0", "42:0"},
		Return:    {"key", "28:1", "28:0"},
		CtrlEnter: {"key", "29:1", "28:1", "28:0", "29:0"},
	}
	ydotoolNames = map[Key][]string{
		Paste:     {"key", "--delay", "20", "shift+insert"},
		Return:    {"key", "--delay", "20", "enter"},
		CtrlEnter: {"key", "--delay", "20", "ctrl+enter"},
	}
)

// ydotoolKeys tells the generations apart by their help, which 0.1.x writes to
// stderr with an exit code of 1, and finds the daemon: without it 1.x fails, and
// 0.1.x presses a key too long after the focus was checked.
func ydotoolKeys(ctx context.Context, m Machine, path string) (map[Key][]string, Machine, error) {
	help, err := m.run(ctx, path, "help")
	if complaint, ran := stderrOf(err); ran {
		help = complaint
	}
	switch commands := strings.Fields(help); {
	case slices.Contains(commands, "bakers"):
		socket, err := ydotoolSocket(ctx, m)
		m.Env = append(slices.Clone(m.Env), "YDOTOOL_SOCKET="+socket)
		return ydotoolCodes, m, err
	case slices.Contains(commands, "recorder"):
		return ydotoolNames, m, daemonAt(ctx, "unix", ydotoolLegacy)
	}
	return nil, m, errors.New("this ydotool is unknown: its help lists neither recorder, as 0.1.x does, nor bakers, as 1.x does")
}

// ydotoolLegacy is the socket that ydotoold 0.1.x has built in, and a system-wide
// daemon of 1.x.
const ydotoolLegacy = "/tmp/.ydotool_socket"

// ydotoolSocket finds that of 1.x. It may be the system's, with its socket in /tmp,
// where ydotool itself looks only without XDG_RUNTIME_DIR. Source: ydotool,
// Client/ydotool.c and Daemon/ydotoold.c.
func ydotoolSocket(ctx context.Context, m Machine) (string, error) {
	places := []string{ydotoolLegacy}
	if dir := m.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		places = append([]string{filepath.Join(dir, ".ydotool_socket")}, places...)
	}
	if set := m.Getenv("YDOTOOL_SOCKET"); set != "" {
		places = []string{set}
	}
	var errs []error
	for _, place := range places {
		err := daemonAt(ctx, "unixgram", place)
		if err == nil {
			return place, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

func daemonAt(ctx context.Context, network, socket string) error {
	conn, err := new(net.Dialer).DialContext(ctx, network, socket)
	if err != nil {
		return fmt.Errorf("ydotoold is not running, or you may not use its socket: %w", err)
	}
	return conn.Close()
}
