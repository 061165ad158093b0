//go:build unix && !darwin

package notify

import (
	"context"
	"errors"
	"os/exec"

	"github.com/godbus/dbus/v5"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

const service = "org.freedesktop.Notifications"

// probe asks the session bus who shows notifications, without starting that. Beside the bus, beeep knows kdialog.
func probe(ctx context.Context) (by string, err error) {
	by, err = onBus(ctx)
	if err == nil {
		return by, nil
	}
	if path, missing := exec.LookPath("kdialog"); missing == nil {
		return path, nil
	}
	return "", hint.Add(err, "start a notification daemon, such as dunst, mako or the desktop's own, or install notify-send")
}

func onBus(ctx context.Context) (by string, err error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.Auth(nil); err != nil {
		return "", err
	}
	if err := conn.Hello(); err != nil {
		return "", err
	}
	var running bool
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, service).Store(&running); err != nil {
		return "", err
	}
	if running {
		return server(ctx, conn), nil
	}
	var starts []string
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&starts); err != nil {
		return "", err
	}
	for _, name := range starts {
		if name == service {
			return "the service that the session bus starts for it", nil
		}
	}
	return "", errors.New("no program on the session bus shows notifications")
}

func server(ctx context.Context, conn *dbus.Conn) string {
	var name, vendor, version, spec string
	err := conn.Object(service, "/org/freedesktop/Notifications").CallWithContext(ctx, service+".GetServerInformation", 0).Store(&name, &vendor, &version, &spec)
	if err != nil || name == "" {
		return "the desktop"
	}
	return name + " " + version
}
