package outer

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Runner runs one loop, turn after turn, until the loop ends or ctx is done.
type Runner struct {
	Store  *state.Store
	Lock   *Lock  // of the loop; the caller leaves it
	Driver Driver // the caller closes it
	View   worktree.Viewer

	// Verify runs the verification that the loop waits for, and ends it early if the
	// loop no longer waits for it.
	Verify func(context.Context, loop.State) loop.Verification
	// Survey surveys the loop at the end of a turn; may be nil.
	Survey func(ctx context.Context, l loop.State, begin bool) (loop.Survey, error)
	See    func(Seen)   // gets what the agent does; may be nil
	Tell   func(Report) // gets what the loop does; may be nil

	id      string
	asking  atomic.Bool // the agent waits for the user's permission
	turns   int
	session string
	started bool // its agent has
}

// ReportKind is what a Report is about.
type ReportKind string

// The kinds of a report.
const (
	ReportTurn    ReportKind = "turn"    // a turn begins
	ReportVerify  ReportKind = "verify"  // a promise is being verified
	ReportDecided ReportKind = "decided" // Action follows the turn
	ReportPausing ReportKind = "pausing" // a pause was requested: the loop pauses at the end of this turn
	ReportIdle    ReportKind = "idle"    // the loop waits; State says why and until when
	ReportTrouble ReportKind = "trouble" // Err happened, and the loop goes on
)

// Report is an event of a loop.
type Report struct {
	Kind   ReportKind
	State  loop.State
	Action loop.Action
	Err    error
}

// Start runs a new loop. It returns when the loop has ended, or is paused because its
// agent failed or is stuck. When ctx is done it cancels the turn, pauses the loop and
// returns the error of ctx. If the agent cannot be started, the error is a
// *StartError and no loop remains.
func (r *Runner) Start(ctx context.Context, l loop.State) (loop.State, error) {
	if l.StartedAt.IsZero() {
		l.StartedAt = time.Now()
	}
	if err := r.Store.Begin(ctx, l.ConversationID, l); err != nil {
		return l, err
	}
	r.id = l.ConversationID
	l, err := r.Store.Read(r.id)
	if err != nil {
		return l, err
	}
	l, err = r.run(ctx, l, l.StartText())
	var start *StartError
	if errors.As(err, &start) && !r.started {
		return loop.State{}, errors.Join(err, r.Store.Drop(context.WithoutCancel(ctx), r.id))
	}
	return l, err
}

// Resume continues a loop whose process has ended. The event may change the agent and
// raise limits. The rest is as for Start.
func (r *Runner) Resume(ctx context.Context, id string, e loop.Event) (loop.State, error) {
	r.id = id
	if err := r.settle(ctx); err != nil {
		return loop.State{}, err
	}
	e.Kind = loop.EventContinue
	l, text, err := r.goOn(ctx, e)
	switch {
	case err != nil:
		return l, err
	case text == "": // its last turn already kept the promise
		return l, nil
	}
	r.started = true
	return r.run(ctx, l, text)
}

const settleWait = 20 * time.Second

// settle waits for the end of a verification that a killed run left behind.
func (r *Runner) settle(ctx context.Context) error {
	late := time.Now().Add(settleWait)
	for {
		l, err := r.Store.Read(r.id)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !l.IsVerifying(time.Now()) {
			return err
		}
		if time.Now().After(late) {
			_, err := r.apply(loop.Event{Kind: loop.EventVerified, Continue: loop.Continue{Idle: true}, Answers: loop.Answers{Verified: loop.Verification{ID: l.Verifying.ID}}})
			return err
		}
		if err := proc.Sleep(ctx, poll); err != nil {
			return err
		}
	}
}

// Asking shows in the loop's state what the agent asks the user to permit, or with
// an empty text that it no longer asks. A pause meanwhile ends the turn.
func (r *Runner) Asking(what string) {
	r.asking.Store(what != "")
	r.note(loop.EventAsking, what)
}

// note applies an event that nothing follows from. The loop may have ended.
func (r *Runner) note(kind loop.EventKind, text string) {
	if _, err := r.apply(loop.Event{Kind: kind, Text: text}); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.trouble(err)
	}
}

func (r *Runner) run(ctx context.Context, l loop.State, text string) (loop.State, error) {
	r.session = l.Run.Session
	for {
		if err := r.Lock.hold(); err != nil {
			r.trouble(err)
		}
		next, action, err := r.turn(ctx, l, text)
		l = next
		switch {
		case ctx.Err() != nil && !l.Status.Ended():
			return r.interrupted(ctx, l)
		case err != nil, l.Status.Ended(), gaveUp(l):
			return l, err
		case action.Kind == loop.Followup:
			text = action.Text
			continue
		}
		if l, text, err = r.idle(ctx, l); err != nil || l.Status.Ended() || text == "" {
			return l, err
		}
	}
}

func gaveUp(l loop.State) bool { return l.Status == loop.Paused && l.PauseReason != loop.PauseUser }

// interrupted pauses the loop: our process must end.
func (r *Runner) interrupted(ctx context.Context, l loop.State) (loop.State, error) {
	err := r.interrupt("interrupted")
	if now, readErr := r.Store.Read(r.id); readErr == nil {
		l = now
	} else if now, readErr := r.Store.Recorded(r.id); readErr == nil {
		l = now
	}
	if err != nil {
		r.trouble(err)
	}
	return l, ctx.Err()
}

func (r *Runner) interrupt(why string) error {
	_, err := r.apply(loop.Event{Kind: loop.EventInterrupt, Text: why})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the loop has ended
	}
	return err
}

// onStart reports a turn whose agent has started.
func (r *Runner) onStart(l loop.State) {
	r.started = true
	r.tell(Report{Kind: ReportTurn, State: l})
}

func (r *Runner) tell(report Report) {
	if r.Tell != nil {
		r.Tell(report)
	}
}

func (r *Runner) trouble(err error) { r.tell(Report{Kind: ReportTrouble, Err: err}) }

// ID returns the loop's id; it is empty before Start and Resume.
func (r *Runner) ID() string { return r.id }
