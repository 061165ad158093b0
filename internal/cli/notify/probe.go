package notify

import (
	"context"
	"errors"
	"runtime"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Probe returns what would show a notification here and now, or why none would appear. It shows none.
func Probe(ctx context.Context, e *cli.Env) (by string, err error) {
	switch c, _ := e.Config(); {
	case e.Getenv("CURSOR_RALPH_NO_NOTIFY") != "":
		return "", hint.New("CURSOR_RALPH_NO_NOTIFY is set", "unset it")
	case !wantsNotices(e):
		return "", hint.New("notify.enabled is false ("+c.Get("notify.enabled").From+")", "`cursor-ralph config --path` names the file")
	case !platform.HasDesktop(runtime.GOOS, e.Getenv):
		return "", errors.New("there is no desktop here: neither DISPLAY, WAYLAND_DISPLAY nor DBUS_SESSION_BUS_ADDRESS is set")
	}
	return probe(ctx)
}
