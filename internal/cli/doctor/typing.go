package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/typing"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// checkTyping reports the desktop and whether each way of typing would work now. Few loops need one: a Cursor without a session
// limit goes on by itself.
func checkTyping(ctx context.Context, e *cli.Env, found *list) {
	desktop := typing.Machine(e, nil).Desktop
	ways, target, err := typing.Ways(e)
	switch {
	case errors.Is(err, typing.ErrOff):
		found.info(hint.Of(err), "%v", err)
		return
	case err != nil:
		found.problem("correct the option", "%v", err)
		return
	case desktop.Kind == platform.NoDesktop && len(pressing(ways)) == 0:
		found.info("run this in a terminal of the desktop on which Cursor runs; without a desktop, you type the continue line at a session limit, unless the bridge or the editor extension works", "%s", desktopWords(desktop))
	default:
		found.ok("%s", desktopWords(desktop))
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
	if !works {
		found.info("if Cursor does not run, start it and look again; else see why the ways of typing above would not work", "at a session limit the loop waits until you type its continue line")
	}
}

// pressing returns the ways that press keys themselves.
func pressing(ways []keystroke.Injector) []keystroke.Injector {
	return slices.DeleteFunc(slices.Clone(ways), func(i keystroke.Injector) bool { return i.Name() == "bridge" || i.Name() == "extension" })
}

func desktopWords(d platform.Desktop) string {
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

// checkSessionLimit reports the session limits that we observed.
func checkSessionLimit(_ context.Context, e *cli.Env, found *list) {
	seen, err := e.Store.SeenLimits()
	if err != nil {
		found.problem("remove the file: what it says is seen again", "%v", err)
	}
	for _, version := range slices.Sorted(maps.Keys(seen)) {
		at := seen[version].At.Format(time.DateOnly)
		if limit := seen[version].Limit; limit > 0 {
			found.info("if that is not so: cursor-ralph install --session-limit none", "Cursor %s lets our hook answer %d times in a row, as was seen on %s", version, limit, at)
			continue
		}
		found.ok("Cursor %s has no limit for our hook, as was seen on %s", version, at)
	}
	found.orOK("nothing observed contradicts what is known about Cursor's versions")
}

const (
	testLine  = "cursor-ralph was here: this line is a test and can be deleted"
	countdown = 5 // seconds
)

// typeTest types a line while the user watches, without Return.
func typeTest(ctx context.Context, e *cli.Env) error {
	ways, target, err := typing.Ways(e)
	if err != nil {
		return err
	}
	ways = pressing(ways) // the others would submit the line
	if desktop := typing.Machine(e, nil).Desktop; len(ways) == 0 {
		return hint.New("no desktop here: "+desktop.Why, "run this in a terminal of the desktop on which Cursor runs")
	}
	if err := e.Say("bring the window to the front, with the cursor in a text field (best of all: Cursor's chat input)"); err != nil {
		return err
	}
	for n := countdown; n > 0; n-- {
		if err := e.Say("%d", n); err != nil {
			return err
		}
		if err := proc.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	target.Line, target.Test = testLine, true
	outcome := keystroke.Type(ctx, ways, target)
	if err := outcome.Err(); err != nil {
		return hint.New("the line was not typed: "+err.Error(), "click into a text field within the five seconds; `cursor-ralph doctor` shows what else would help")
	}
	return e.Say("typed by %s; check that it reads exactly:\n%s", outcome.Method(), testLine)
}
