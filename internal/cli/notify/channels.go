package notify

import (
	"slices"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/notice"
)

// Channels returns the channels of the settings beside the desktop, and whether the desktop is one.
func Channels(e *cli.Env) (others []notice.Channel, onDesktop bool) {
	all := channels(e)
	others = slices.DeleteFunc(slices.Clone(all), notice.Channel.IsDesktop)
	return others, len(others) < len(all)
}

// Off returns why there are no notices at all, nil if there are.
func Off(e *cli.Env) error {
	switch c, _ := e.Config(); {
	case e.Getenv("CURSOR_RALPH_NO_NOTIFY") != "":
		return hint.New("CURSOR_RALPH_NO_NOTIFY is set", "unset it")
	case len(channels(e)) == 0:
		return hint.New("notify.channels is empty ("+c.Get("notify.channels").From+")", "`cursor-ralph config --path` names the file")
	}
	return nil
}

// NoDesktop returns why a notice would not appear on a desktop; nil if there is one. Only a test notice shows whether that
// shows it.
func NoDesktop(e *cli.Env) error {
	if HasDesktop(e) {
		return nil
	}
	return hint.New("there is no desktop here: neither DISPLAY, WAYLAND_DISPLAY nor DBUS_SESSION_BUS_ADDRESS is set", "name another channel in notify.channels, such as ntfy://ntfy.sh/your-topic")
}
