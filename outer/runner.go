package outer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Runner runs one loop: turn after turn, until the loop ends or its process
// does. What it needs of the world is given to it.
type Runner struct {
	Store  *state.Store
	Folder *Folder // of the loop's workspace, entered
	Driver Driver  // not closed by the runner
	Env    []string

	// Verify runs the verification that the loop waits for, and ends it early
	// when the loop does not wait any more.
	Verify func(context.Context, loop.State) loop.Verification
	// Words fills in the loop's prompt template; nil leaves the built-in words.
	Words func(context.Context, loop.Words) loop.Worded
	See   func(Seen)   // what the agent does, as it does it
	Tell  func(Report) // what became of that

	id      string
	turns   int
	session string
	same    bool // the turn that failed is to be given again as it was
	heard   bool // the agent has said or done something
}

// ReportKind says what a Report is about.
type ReportKind string

// The kinds of a report.
const (
	ReportTurn    ReportKind = "turn"    // a turn begins
	ReportVerify  ReportKind = "verify"  // a promise is being verified
	ReportDecided ReportKind = "decided" // it was decided what follows a turn: Action
	ReportIdle    ReportKind = "idle"    // the agent rests; State tells why, and until when
	ReportTrouble ReportKind = "trouble" // something else went wrong, and the loop goes on: Err
)

// Report is what a runner tells of a loop.
type Report struct {
	Kind   ReportKind
	State  loop.State
	Action loop.Action
	Err    error
}

// RefusedError tells that a loop does not go on.
type RefusedError struct{ Why, Remedy string }

// Error tells why.
func (e *RefusedError) Error() string { return e.Why }

// Hint tells what can be done about it.
func (e *RefusedError) Hint() string { return e.Remedy }

// Start runs a loop that is new. It returns when the loop has ended, or is
// paused because its agent failed or is stuck; and with the error of ctx when
// that is done, after the agent's turn was cancelled. A loop whose agent could
// not be started, and so has said and done nothing, is not kept.
func (r *Runner) Start(ctx context.Context, l loop.State) (loop.State, error) {
	if l.StartedAt.IsZero() {
		l.StartedAt = time.Now()
	}
	if err := r.Folder.Begin(l); err != nil {
		return l, err
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
	if errors.As(err, &start) && r.turns <= 1 && l.Iterations == 0 && !r.heard {
		l, _ = r.apply(loop.Event{Kind: loop.EventCancel, Text: "the agent could not be started"})
		r.save(l)
	}
	return l, err
}

// Resume runs a loop again whose process has ended. The event says how its agent
// is talked to now, and may raise its limits. All else is as for Start.
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
	case text == "": // what was done last was enough
		r.save(l)
		return l, nil
	}
	if err := r.Folder.Begin(l); err != nil {
		return l, errors.Join(err, r.interrupt(err.Error()))
	}
	return r.run(ctx, l, text)
}

// settleWait is how long a verification may take to see that nobody waits for it.
const settleWait = 20 * time.Second

// settle waits for the end of a verification that a run left behind which was
// killed.
func (r *Runner) settle(ctx context.Context) error {
	late := time.Now().Add(settleWait)
	for {
		l, err := r.Store.Read(r.id)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !l.Verifying.Open(l, time.Now()) {
			return err
		}
		if time.Now().After(late) {
			_, err := r.apply(loop.Event{Kind: loop.EventVerified, Idle: true, Verified: loop.Verification{ID: l.Verifying.ID}})
			return err
		}
		if !wait(ctx, poll) {
			return ctx.Err()
		}
	}
}

// run gives the agent one turn after the other.
func (r *Runner) run(ctx context.Context, l loop.State, text string) (loop.State, error) {
	r.session = l.Run.Session
	for {
		next, action, err := r.turn(ctx, l, text)
		l = next
		r.save(l)
		switch {
		case ctx.Err() != nil && !l.Status.Ended():
			return r.interrupted(ctx, l)
		case err != nil, l.Status.Ended(), gaveUp(l):
			return l, err
		case action.Kind == loop.Followup:
			text = action.Text
			continue
		}
		again := text
		if !r.same {
			again = ""
		}
		if l, text, err = r.idle(ctx, l, again); err != nil || l.Status.Ended() || text == "" {
			r.save(l)
			return l, err
		}
	}
}

// gaveUp tells of a pause that nobody asked for: the run ends, and its user
// looks at it.
func gaveUp(l loop.State) bool { return l.Status == loop.Paused && l.PauseReason != "user" }

// idle waits until the agent is to go on, and gives its prompt: the same text
// again, or where that is empty a new one.
func (r *Runner) idle(ctx context.Context, l loop.State, again string) (loop.State, string, error) {
	told := loop.State{}
	for {
		if l.Status != told.Status || l.Reason != told.Reason {
			r.tell(Report{Kind: ReportIdle, State: l})
			r.save(l)
			told = l
		}
		now, due := r.due(l)
		if due {
			return r.wake(ctx, l, again)
		}
		if !wait(ctx, now) {
			l, err := r.interrupted(ctx, l)
			return l, "", err
		}
		next, err := r.Store.Read(r.id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return r.gone(ctx)
		case err != nil:
			return l, "", err
		}
		l = next
	}
}

// poll is how often the loop's file is looked at for what others did to it.
const poll = 250 * time.Millisecond

// due tells whether a loop goes on now, else when to look again.
func (r *Runner) due(l loop.State) (time.Duration, bool) {
	switch {
	case l.Status == loop.Paused:
		return poll, false
	case l.RetryAt.IsZero():
		return 0, true
	}
	left := time.Until(l.RetryAt)
	return min(left, poll), left <= 0
}

// wake brings an idle loop to its next prompt.
func (r *Runner) wake(ctx context.Context, l loop.State, again string) (loop.State, string, error) {
	if l.RetryAt.IsZero() || again == "" {
		return r.goOn(ctx, loop.Event{Kind: loop.EventContinue, Run: r.now(l), Text: whyAwake(l)})
	}
	next, action, err := r.act(loop.Event{Kind: loop.EventAgain})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.gone(ctx)
	case err != nil:
		return l, "", err
	case next.Status.Ended():
		r.tell(Report{Kind: ReportDecided, State: next, Action: action})
		return next, "", nil
	case action.Kind == loop.Refuse: // paused in this moment
		return r.idle(ctx, next, "")
	}
	return next, again, nil
}

// whyAwake is what the agent is told when it goes on.
func whyAwake(l loop.State) string {
	if !l.RetryAt.IsZero() {
		return "Your last turn failed. Look at what it left behind, and go on."
	}
	return "The user lets the loop go on."
}

// now is how the agent is talked to, with the session that it is in.
func (r *Runner) now(l loop.State) loop.Run {
	run := l.Run
	run.Session = r.session
	return run
}

// gone is for a loop whose file is not there: it has ended, or the folder was
// cleared, and then it goes on from its record.
func (r *Runner) gone(ctx context.Context) (loop.State, string, error) {
	// Who ends a loop says so in its file before the record does: the lock is
	// waited for, so that no loop is taken up again that ends at this moment.
	if l, err := r.apply(loop.Event{}); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, "", err
	}
	l, err := r.Store.Archived(r.id)
	if err != nil || l.Status.Ended() {
		return l, "", err
	}
	return r.goOn(ctx, loop.Event{Kind: loop.EventContinue, Run: r.now(l), Text: "The loop's file was cleared away; it goes on from its record."})
}

// interrupted pauses a loop whose process is asked to end.
func (r *Runner) interrupted(ctx context.Context, l loop.State) (loop.State, error) {
	err := r.interrupt(fmt.Sprintf("interrupted; cursor-ralph run --resume %s goes on", r.id))
	if now, readErr := r.Store.Read(r.id); readErr == nil {
		l = now
	} else if now, readErr := r.Store.Archived(r.id); readErr == nil {
		l = now
	}
	r.save(l)
	return l, errors.Join(ctx.Err(), err)
}

func (r *Runner) interrupt(why string) error {
	_, err := r.apply(loop.Event{Kind: loop.EventInterrupt, Text: why})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has ended
	}
	return err
}

func (r *Runner) save(l loop.State) {
	if l.ConversationID == "" {
		return
	}
	if err := r.Folder.Save(l); err != nil {
		r.trouble(err)
	}
}

func (r *Runner) tell(report Report) {
	if r.Tell != nil {
		r.Tell(report)
	}
}

func (r *Runner) trouble(err error) { r.tell(Report{Kind: ReportTrouble, Err: err}) }

// wait tells whether the time has passed before ctx is done.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// ID names the loop that runs; it is empty before that.
func (r *Runner) ID() string { return r.id }
