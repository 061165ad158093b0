package testdesk

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// InputMethod is ibus with its Hangul engine, by which Latin letters that are
// typed become Korean ones.
type InputMethod struct {
	bus, ibus *process
}

// hangulAtOnce makes the engine begin with Korean letters and not Latin ones.
const hangulAtOnce = "[org/freedesktop/ibus/engine/hangul]\ninitial-input-mode='hangul'\n"

// StartInputMethod starts ibus on a session bus of its own. Programs that are
// started with the display's Env afterwards use it.
func (x *X) StartInputMethod(ctx context.Context) (*InputMethod, error) {
	for _, program := range []string{"dbus-daemon", "ibus-daemon", "ibus"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, errors.New(program + " is not installed")
		}
	}
	settings := filepath.Join(x.dir, ".config", "glib-2.0", "settings")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(settings, "keyfile"), []byte(hangulAtOnce), 0o600); err != nil {
		return nil, err
	}
	socket := filepath.Join(x.dir, "bus")
	bus, err := start(x.Env(), filepath.Join(x.dir, "dbus.log"), "dbus-daemon",
		"--session", "--nofork", "--nopidfile", "--address=unix:path="+socket)
	if err != nil {
		return nil, err
	}
	m := &InputMethod{bus: bus}
	x.extra = []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=" + socket, "GSETTINGS_BACKEND=keyfile",
		"GTK_IM_MODULE=ibus", "QT_IM_MODULE=ibus", "XMODIFIERS=@im=ibus"}
	if err := m.begin(ctx, x, socket); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *InputMethod) begin(ctx context.Context, x *X, socket string) (err error) {
	if err := until(ctx, "session bus", func() (bool, error) {
		_, err := os.Stat(socket)
		return err == nil, nil
	}); err != nil {
		return err
	}
	m.ibus, err = start(x.Env(), filepath.Join(x.dir, "ibus.log"), "ibus-daemon", "--xim", "--panel=disable")
	if err != nil {
		return err
	}
	return until(ctx, "input method", func() (bool, error) {
		if _, err := x.run(ctx, "ibus", "engine", "hangul"); err != nil {
			return false, ctx.Err() // it is not ready
		}
		engine, err := x.run(ctx, "ibus", "engine")
		return strings.TrimSpace(engine) == "hangul", err
	})
}

// Close ends ibus and its bus.
func (m *InputMethod) Close() error {
	var err error
	if m.ibus != nil {
		err = m.ibus.stop()
	}
	return errors.Join(err, m.bus.stop())
}
