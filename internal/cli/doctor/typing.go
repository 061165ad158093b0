package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/typing"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// checkTyping reports the desktop and whether each way of typing would work now. Few loops need one: a Cursor without a session
// limit goes on by itself.
func checkTyping(ctx context.Context, e *cli.Env, found *list) {
	if _, err := e.Config(); err != nil {
		return // checkConfig reports it
	}
	desktop := typing.Machine(e).Desktop
	ways, target, err := typing.Ways(e)
	switch {
	case err != nil:
		found.problem("correct the setting", "%v", err)
		return
	case desktop.Kind == platform.NoDesktop && len(pressing(ways)) == 0:
		found.info("run this in a terminal of the desktop on which Cursor runs; without a desktop, you type the continue line at a session limit, unless the editor extension works", "%s", describeDesktop(desktop))
	default:
		found.ok("%s", describeDesktop(desktop))
	}
	target.Line = loop.ContinueLine("doctor")
	works := false
	for i, err := range keystroke.ProbeAll(ctx, ways, target) {
		words := typing.WouldWork(ways[i].Name(), err)
		if err != nil {
			found.info(hint.Of(err), "%s", words)
			continue
		}
		works = true
		found.ok("%s", words)
	}
	if len(pressing(ways)) > 0 && desktop.Kind != platform.NoDesktop && !keystroke.SeesTheUser(ctx, ways) {
		found.info("on X11, install xprintidle; Wayland does not report it", "whether you are at the keyboard: not reported, so typing does not wait for you")
	}
	if !works {
		found.info("if Cursor does not run, start it and look again; else see why the ways of typing above would not work", "at a session limit the loop waits until you type its continue line")
	}
}

// pressing returns the ways that press keys themselves.
func pressing(ways []keystroke.Injector) []keystroke.Injector {
	return slices.DeleteFunc(slices.Clone(ways), func(i keystroke.Injector) bool { return i.Name() == "extension" })
}

func describeDesktop(d platform.Desktop) string {
	words := "desktop: " + string(d.Kind)
	switch {
	case d.Kind == platform.Wayland && d.Compositor != "":
		words += ", " + d.Compositor
	case d.Kind == platform.WSL:
		words += fmt.Sprintf(" %d", d.WSL)
	}
	if d.XWayland {
		words += ", with XWayland"
	}
	if d.SSH {
		words += ", over SSH"
	}
	return words + " (" + d.Why + ")"
}
