package doctor

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// checkMachine reports setups in which the hook and the agent's shell may not share files.
func checkMachine(_ context.Context, e *cli.Env, found *list) {
	const byHand = "install cursor-ralph where Cursor runs its hooks, and start loops with /ralph-loop; if a loop does not go on by itself, type its continue line"
	for _, a := range []struct{ name, what string }{
		{"WSL_DISTRO_NAME", "this is WSL: a Cursor on Windows runs its hooks on the Windows side, where /tmp is another folder"},
		{"REMOTE_CONTAINERS", "this is a dev container: it does not share /tmp with the machine outside"},
		{"SSH_CONNECTION", "this is a remote machine: hooks may run on the machine of the editor, whose /tmp is another"},
	} {
		if e.Getenv(a.name) != "" {
			found.warning(byHand, "%s", a.what)
		}
	}
	if e.Getenv("CURSOR_RALPH_DIR") != "" {
		found.warning("set it for Cursor too, since its hooks use the same variable; or unset it", "CURSOR_RALPH_DIR moves the loops to %s", e.Places.Base)
	}
	found.orOK("the hook and the agent's shell share %s", e.Places.Base)
}

// checkNotifications reports whether a notice would appear, without one.
func checkNotifications(_ context.Context, e *cli.Env, found *list) {
	if err := notify.Off(e); err != nil {
		found.info(hint.Of(err), "a notice would not appear: %v", err)
		return
	}
	others, onDesktop := notify.Channels(e)
	if onDesktop {
		checkDesktopNotice(e, found)
	}
	for _, c := range others {
		if err := c.Unusable(); err != nil {
			found.warning("correct notify.channels; `cursor-ralph config --path` names the file", "a notice would not arrive: %v", err)
		} else {
			found.ok("notices go to %s; `cursor-ralph config --test-notice` sends one", c)
		}
	}
}

func checkDesktopNotice(e *cli.Env, found *list) {
	if err := notify.NoDesktop(e); err != nil {
		found.info(hint.Of(err), "a notice would not appear: %v", err)
		return
	}
	found.ok("notices go to the desktop; `cursor-ralph config --test-notice` shows one")
}
