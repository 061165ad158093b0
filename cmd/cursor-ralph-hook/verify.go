package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

const (
	unsetTimeout = time.Minute      // what Cursor gives an entry without a timeout (documented)
	askMargin    = 15 * time.Second // for cursor-ralph to kill a verification, and to tell of it
)

// verifyLimit is how long a verification may take here: Cursor would kill us,
// and take no answer, at the timeout that hooks.json gives the stop entry.
func (h *handler) verifyLimit(l loop.State) time.Duration {
	timeout := h.flags.timeout
	if timeout <= 0 {
		timeout = unsetTimeout
	}
	return min(l.VerifyLimit(), loop.VerifyRoom(timeout))
}

// verifyFits tells whether Cursor would wait for the verification of a loop that
// is asked for.
func (h *handler) verifyFits(l loop.State) bool {
	return l.Verify == "" || h.flags.timeout <= 0 || l.VerifyLimit() <= loop.VerifyRoom(h.flags.timeout)
}

// verify has the command of --verify run. It is cursor-ralph that runs it: the
// hook links nothing that starts a shell, and that program notices if the editor
// kills us. Nothing but its success is one.
func (h *handler) verify(l loop.State) loop.Verification {
	limit := h.verifyLimit(l)
	h.log(hooklog.Line{Iteration: l.Iterations + 1, Max: l.MaxIterations, Action: "verifying", Why: l.Verify})
	ctx, cancel := context.WithTimeout(context.Background(), limit+askMargin)
	defer cancel()
	v := loop.Verification{Exit: -1}
	program, err := cursorRalph()
	if err == nil {
		v, err = askVerified(ctx, program, "--limit", limit.String(), "--for", l.Verifying.ID, "--", l.ConversationID)
	}
	if err != nil {
		h.fail(err)
		v = loop.Verification{Exit: -1, Why: "it could not be run: " + err.Error()}
	}
	v.ID = l.Verifying.ID
	h.log(hooklog.Line{Iteration: l.Iterations + 1, Max: l.MaxIterations, Action: "verified", Why: resultWords(v)})
	return v
}

func askVerified(ctx context.Context, program string, args ...string) (v loop.Verification, err error) {
	out, err := platform.Ask(ctx, program, append([]string{"verify"}, args...)...)
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	if err != nil {
		err = fmt.Errorf("cursor-ralph verify: %w", err)
	}
	return v, err
}

func resultWords(v loop.Verification) string {
	if v.Why != "" {
		return v.Why
	}
	return fmt.Sprintf("exit %d after %.1f s", v.Exit, v.Seconds)
}

// verifyLater has a promise verified that came after a limit had ended its loop.
// Nobody waits for that.
func (h *handler) verifyLater(l loop.State) {
	if !l.Status.Ended() || !l.Verifying.Late {
		return
	}
	program, err := cursorRalph()
	if err == nil {
		err = platform.Start(program, "verify", "--late", l.Verifying.ID, "--", l.ConversationID)
	}
	if err != nil {
		h.fail(err)
	}
}
