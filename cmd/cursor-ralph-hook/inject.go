package main

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// askWait is how long the question may take whether typing is possible here: a
// display that hangs must not hold the editor. Away from X11 and Wayland another
// program has to be started for it, PowerShell or osascript.
func askWait(d platform.Desktop) time.Duration {
	if d.Kind == platform.X11 || d.Kind == platform.Wayland {
		return time.Second
	}
	return 2500 * time.Millisecond
}

// typing finds out whether the continue line can be typed here and now. It is
// cursor-ralph that knows: the hook links nothing of any desktop.
func (h *handler) typing(ctx context.Context) loop.Typing {
	desktop := platform.FindDesktop(runtime.GOOS, h.getenv)
	why := desktop.Why
	if desktop.Kind != platform.NoDesktop || h.hasSettings() { // which may name one
		ctx, cancel := context.WithTimeout(ctx, h.leftOf(ctx, askWait(desktop)))
		defer cancel()
		program, err := cursorRalph()
		if err == nil {
			err = platform.Run(ctx, program, h.injectArgs("--dry-run", "--any")...)
		}
		if err == nil {
			return loop.TypingPossible
		}
		why = "cursor-ralph inject --dry-run: " + err.Error() + "; cursor-ralph doctor tells more"
	}
	h.log(hooklog.Line{Action: "typing-impossible", Why: why})
	return loop.TypingImpossible
}

// leftOf shortens a wait so that there is time to decide after it.
func (h *handler) leftOf(ctx context.Context, wait time.Duration) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(wait, time.Until(end)-decideTime)
	}
	return wait
}

// decideTime is more than a decision takes.
const decideTime = 500 * time.Millisecond

// inject starts the process that types the continue line, once we are gone.
func (h *handler) inject(ctx context.Context, l loop.State) {
	program, err := cursorRalph()
	if err == nil {
		err = platform.Start(program, h.injectArgs("--injection", l.Injection.ID, "--after", strconv.Itoa(os.Getpid()))...)
	}
	if err == nil {
		return
	}
	h.fail(err)
	failed := loop.Injection{ID: l.Injection.ID, Outcome: "it could not be started: " + err.Error()}
	l, _, err = h.store.Apply(ctx, l.ConversationID, loop.Event{Kind: loop.EventInjected, Injection: failed})
	if err != nil {
		h.fail(err)
	}
	h.notify(l, loop.Action{Kind: loop.HandOver})
}

// injectArgs has the id last, behind what ends the flags: it may begin with a
// hyphen.
func (h *handler) injectArgs(more ...string) []string {
	return slices.Concat([]string{"inject"}, more, h.flags.typing, []string{"--", h.in.ConversationID})
}
