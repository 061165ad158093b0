package onevent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// stop answers the end of a turn: with the next continuation, or with {}.
func (h *handler) stop(ctx context.Context) any {
	h.restore(ctx)
	if h.isIdle() {
		return nil
	}
	return h.once(ctx, h.onStop)
}

func (h *handler) onStop(ctx context.Context) any {
	if h.handsOver() {
		return h.handOver(ctx)
	}
	var e hook.Stop
	if err := h.in.Decode(&e); err != nil {
		h.fail(err)
		return nil
	}
	if limit := h.settings.SessionLimit; limit > 0 && e.LoopCount >= limit && loop.StopStatus(e.Status) == loop.Completed {
		return nil // Cursor would not run us, had it this limit
	}
	event := loop.Event{
		Kind:       loop.EventStop,
		Generation: e.GenerationID,
		Workspace:  h.workspace(),
		Program:    h.calledByAgent(),
		Stop:       loop.Stop{Status: loop.StopStatus(e.Status), LoopCount: e.LoopCount, CursorVersion: h.in.CursorVersion, FollowupWait: h.settings.FollowupWait, Tokens: tokens(e.Usage)},
	}
	if !h.hasLoop(ctx, &event) {
		return nil
	}
	if h.host == nil {
		event.SessionLimit = h.sessionLimit(e.LoopCount)
	} else {
		h.hostsStop(&event)
	}
	l, action, err := h.decideStop(ctx, event)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // ended meanwhile, from another terminal
	case err != nil:
		h.fail(err)
		h.undecided(err)
		return nil
	}
	if h.host == nil {
		h.seeDelivery(action.Delivery)
	}
	h.logDecision(l, action)
	h.watched = action.Kind == loop.Followup
	h.notify(l, action)
	if action.Kind == loop.Inject {
		h.inject(ctx, l)
	}
	if action.Text == "" {
		return nil
	}
	if h.host != nil {
		text := l.Within(h.host.NameMarker(action.Text), h.host.Limit, h.host.Size)
		return host.Continuation{Text: text, Fresh: action.Fresh}
	}
	return hook.StopAnswer{FollowupMessage: action.Text}
}

// hostsStop adds to a stop of another host what Cursor reports by other events, and what the host can do.
func (h *handler) hostsStop(event *loop.Event) {
	event.Host, event.Clears, event.SessionLimit = h.host.Title, h.host.Clears, h.host.Cap
	event.Typing = loop.TypingImpossible
	if event.Status != loop.Completed {
		return
	}
	var err error
	event.Said, err = h.host.LastWords(h.in.Raw())
	h.failIf(err)
}

// isIdle reports whether a stop surely does not concern us: there is neither a
// loop nor one that waits. Decoding such a stop would cost more than this.
func (h *handler) isIdle() bool {
	has, err := h.store.Has(h.in.ConversationID)
	return !has && err == nil && !h.box.Waiting(h.claimant(true)) && !h.claimedMeanwhile()
}

// decideStop claims the loop that waits if the one that was there had ended, or
// was no loop.
func (h *handler) decideStop(ctx context.Context, event loop.Event) (loop.State, loop.Action, error) {
	id, g := h.in.ConversationID, h.engine()
	g.Typing = h.typing
	g.Verify = func(ctx context.Context, l loop.State) (loop.Verification, error) {
		v := h.verify(l)
		h.renew(deadline) // a verification takes as long as it takes
		return v, nil
	}
	h.observe(ctx, g, id, &event)
	l, action, err := g.Decide(ctx, id, event)
	if errors.As(err, new(*state.CorruptError)) {
		h.fail(err)
		if l, err := h.store.Recorded(id); err == nil && l.Status == loop.Paused {
			h.notifyOf(l)
		}
		err = fs.ErrNotExist // it was moved aside
	}
	if errors.Is(err, fs.ErrNotExist) && h.claim(ctx, &event) {
		return g.Decide(ctx, id, event)
	}
	return l, action, err
}

func (h *handler) engine() engine.Engine {
	return engine.Engine{Store: h.store, View: worktree.Viewer{Folder: h.places.Looks(), Env: os.Environ()}, Survey: h.survey, Warn: h.fail}
}

// observeWait is how long the editor is held by a git that hangs.
const observeWait = 2300 * time.Millisecond

func (h *handler) observe(ctx context.Context, g engine.Engine, id string, e *loop.Event) {
	ctx, cancel := context.WithTimeout(ctx, observeWait)
	defer cancel()
	h.gitFailed(g.Observe(ctx, id, e))
}

func (h *handler) gitFailed(err error) {
	if err != nil {
		h.log(hooklog.Line{Action: "git-not-asked", Why: err.Error()})
	}
}

// withBaseline adds to a new loop what its workspace looks like before it.
func (h *handler) withBaseline(ctx context.Context, l loop.State) loop.State {
	l, err := h.engine().Baseline(ctx, l, h.now())
	h.gitFailed(err)
	return l
}
