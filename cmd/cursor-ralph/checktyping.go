package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// checkTyping shows the desktop, and for each way of typing whether it would
// work now, in the order in which they are tried.
func checkTyping(ctx context.Context, e *env) []finding {
	m := e.machine(nil)
	ways, target, err := e.ways()
	switch {
	case errors.Is(err, turnedOff{}):
		return []finding{remark(err.Error(), turnedOff{}.Hint())}
	case err != nil:
		return []finding{wrong(err.Error(), "correct the option")}
	case m.Desktop.Kind == platform.NoDesktop && len(ways) == 0:
		return []finding{remark(desktopWords(m.Desktop), "run this in a terminal of the desktop on which Cursor runs; where there is none, you type the continue line at a session limit")}
	}
	found := []finding{fine(desktopWords(m.Desktop))}
	target.Line = loop.ContinueLine("doctor")
	works := false
	for i, err := range keystroke.ProbeAll(ctx, ways, target) {
		works = works || err == nil
		f := fine(wouldWork(ways[i].Name(), err))
		if err != nil {
			f = remark(wouldWork(ways[i].Name(), err), "")
		}
		found = append(found, f)
	}
	if !works {
		found = append(found, remark("at a session limit the loop waits until you type its continue line",
			"if Cursor does not run, start it and look again; else see why the ways of typing above would not work"))
	}
	return found
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

// checkSessionLimit tells what was seen of Cursor's limit.
func checkSessionLimit(_ context.Context, e *env) []finding {
	seen, err := e.store.SeenLimits()
	if err != nil {
		return []finding{wrong(err.Error(), "remove the file: what it says is seen again")}
	}
	var found []finding
	for _, version := range slices.Sorted(maps.Keys(seen)) {
		at := seen[version].At.Format(time.DateOnly)
		if limit := seen[version].Limit; limit > 0 {
			found = append(found, remark(fmt.Sprintf("Cursor %s lets our hook answer %d times in a row, as was seen on %s", version, limit, at),
				"if that is not so: cursor-ralph install --session-limit none"))
			continue
		}
		found = append(found, fine(fmt.Sprintf("Cursor %s has no limit for our hook, as was seen on %s", version, at)))
	}
	if found == nil {
		found = append(found, fine("nothing was seen yet that contradicts what is known of Cursor's versions"))
	}
	return found
}

const (
	testLine  = "cursor-ralph was here: this line is a test and can be deleted"
	countdown = 5 // seconds
)

// typeTest types a line where the user looks on. Return is not pressed.
func typeTest(ctx context.Context, e *env) error {
	ways, target, err := e.ways()
	if err != nil {
		return err
	}
	if desktop := e.machine(nil).Desktop; len(ways) == 0 {
		return problem("no desktop here: "+desktop.Why, "run this in a terminal of the desktop on which Cursor runs")
	}
	if err := e.say("bring the window to the front, with the cursor in a text field (best of all: Cursor's chat input)"); err != nil {
		return err
	}
	for n := countdown; n > 0; n-- {
		if err := e.say("%d", n); err != nil {
			return err
		}
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	target.Line, target.Test = testLine, true
	outcome := keystroke.Type(ctx, ways, target)
	if err := outcome.Err(); err != nil {
		return problem("the line was not typed: "+err.Error(), "click into a text field within the five seconds; `cursor-ralph doctor` tells what else would help")
	}
	return e.say("typed by %s; look whether exactly this stands there:\n%s", outcome.Method(), testLine)
}
