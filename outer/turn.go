package outer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/owncall"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Why a turn is cut off, by us.
var (
	errEnded  = errors.New("the loop has ended")
	errTimeUp = errors.New("the loop's time is over")
	errHangs  = errors.New("the agent did not end its turn when it was told to")
)

// turn gives the agent a prompt, and lets the loop decide what follows.
func (r *Runner) turn(ctx context.Context, l loop.State, text string) (loop.State, loop.Action, error) {
	r.turns++
	r.same = false
	e := loop.Event{Generation: fmt.Sprintf("%s-%d", strconv.FormatInt(time.Now().UnixNano(), 36), r.turns), Status: loop.Completed}
	r.tell(Report{Kind: ReportTurn, State: l})
	prompt := Prompt{Text: text, Fresh: l.Run.Fresh, Session: r.session, Guarded: l.Guarded()}
	err := r.drive(ctx, l, prompt, e.Generation)
	var start *StartError
	var transient *TransientError
	switch {
	case ctx.Err() != nil && err != nil:
		return l, loop.Action{}, nil // the caller sees to it
	case errors.Is(err, errEnded):
		l, _, err := r.gone(ctx)
		return l, loop.Action{}, err
	case errors.As(err, &start):
		return r.notStarted(l, err)
	case errors.As(err, &transient):
		e.Kind, e.Text, e.After = loop.EventTransient, err.Error(), loop.Duration(transient.After)
		l, action, err := r.decide(ctx, e)
		r.same = action.Kind == loop.Again
		return l, action, err
	case errors.Is(err, context.Canceled):
		e.Status, e.Text = loop.Errored, "the agent says that it was cancelled"
	case err != nil && !errors.Is(err, errTimeUp):
		e.Status, e.Text = loop.Errored, err.Error()
	}
	return r.stopped(ctx, e)
}

// notStarted pauses the loop of an agent that is not there.
func (r *Runner) notStarted(l loop.State, cause error) (loop.State, loop.Action, error) {
	next, err := r.apply(loop.Event{Kind: loop.EventInterrupt, Status: loop.Errored, Text: cause.Error()})
	if err != nil {
		return l, loop.Action{}, errors.Join(cause, err)
	}
	return next, loop.Action{}, cause
}

const (
	closeAfter = 20 * time.Second // a driver that does not cancel a turn is closed
	leaveAfter = 10 * time.Second // and then not waited for any more
)

// drive has the driver give the prompt, and cuts the turn off when the loop has
// ended or its time is over.
func (r *Runner) drive(ctx context.Context, l loop.State, p Prompt, generation string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n := &notes{Runner: r, generation: generation}
	defer n.close()
	done := make(chan error, 1)
	go func() { done <- r.Driver.Turn(ctx, p, n.take) }()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.watch(ctx, l, cancel)
	}()
	err := r.await(ctx, done)
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	cancel(nil)
	<-watched
	return err
}

// await waits for the end of a turn, and not for ever once it was cancelled.
func (r *Runner) await(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(closeAfter):
	}
	closed := make(chan error, 1)
	go func() { closed <- r.Driver.Close() }()
	select {
	case err := <-done:
		return err
	case <-time.After(leaveAfter):
		r.trouble(errHangs)
		return errHangs
	}
}

// lastWords is how long an agent may go on that has ended its loop itself.
const lastWords = 10 * time.Second

// watch cuts off a turn that nobody wants any more.
func (r *Runner) watch(ctx context.Context, l loop.State, cut context.CancelCauseFunc) {
	for wait(ctx, poll) {
		now, err := r.Store.Read(r.id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			was, err := r.Store.Archived(r.id)
			if err != nil || !was.Status.Ended() {
				continue // cleared away: it is seen to at the end of the turn
			}
			if was.Status == loop.Blocked {
				wait(ctx, lastWords)
			}
			cut(errEnded)
			return
		case err == nil && now.Stop:
			cut(errTimeUp) // the stop that follows ends the loop
			return
		case err == nil && now.MaxDuration > 0 && time.Since(l.StartedAt) >= time.Duration(now.MaxDuration):
			cut(errTimeUp)
			return
		}
	}
}

// What is kept of a turn in the journal.
const (
	keptText  = 1 << 20  // bytes of one message, its end
	keptLine  = 4 << 10  // bytes of anything else
	keptTurn  = 32 << 20 // bytes of all
	textExtra = 200      // bytes of a record beside its text, about
)

// notes are what is seen in one turn.
type notes struct {
	*Runner
	generation string

	mu    sync.Mutex
	over  bool
	size  int
	fault bool
}

// close lets a driver that goes on for too long tell nothing more.
func (n *notes) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
}

// take keeps what the loop needs, and shows all.
func (n *notes) take(s Seen) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return
	}
	if s.Session != "" && s.Session != n.session {
		n.session = s.Session
		if _, err := n.apply(loop.Event{Kind: loop.EventSession, Text: s.Session}); err != nil && !errors.Is(err, fs.ErrNotExist) {
			n.trouble(err)
		}
	}
	n.heard = n.heard || s.Record.Kind != "" || s.Text != "" || s.Tool != ""
	if s.Record.Kind != "" {
		n.record(s)
	}
	if n.See != nil {
		n.See(s)
	}
}

// record puts a line into the journal. A flood of them is cut off, and told once.
func (n *notes) record(s Seen) {
	rec := s.Record
	rec.At, rec.Generation = time.Now(), n.generation
	if rec.ID != "" {
		rec.ID = n.generation + ":" + head(rec.ID) // another turn may use the same one
	}
	rec.Own = rec.Kind == loop.RecordTool && (owncall.Is(s.Command, rec.File) || rec.File != "" && n.Folder.holds(rec.File))
	rec.Tool, rec.File, rec.Error, rec.Command = head(rec.Tool), head(rec.File), head(rec.Error), head(rec.Command)
	if len(rec.Text) > keptText {
		rec.Text = rec.Text[len(rec.Text)-keptText:]
	}
	n.size += len(rec.Text) + len(rec.Error) + len(rec.File) + textExtra
	err := error(nil)
	if n.size > keptTurn {
		err = fmt.Errorf("the agent says and does so much in a turn that no more of it is kept than %d MiB", keptTurn>>20)
	} else {
		err = n.Store.Record(n.id, rec)
	}
	if err != nil && !n.fault {
		n.fault = true
		n.trouble(err)
	}
}

func head(text string) string { return text[:min(len(text), keptLine)] }
