package outer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/selfcall"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Why we end a turn.
var (
	errEnded = errors.New("the loop has ended")
	errCut   = errors.New("the loop was stopped or paused, or has reached its time limit")
	errHangs = errors.New("the agent did not end its cancelled turn")
)

func (r *Runner) turn(ctx context.Context, l loop.State, text string) (loop.State, loop.Action, error) {
	r.turns++
	e := loop.Event{Generation: fmt.Sprintf("%s-%d", strconv.FormatInt(time.Now().UnixNano(), 36), r.turns), Stop: loop.Stop{Status: loop.Completed}}
	prompt := Prompt{Text: text, Fresh: l.Run.Fresh || l.BeginsSession(), Session: r.session, Plans: l.Plans()}
	err := r.drive(ctx, l, prompt, e.Generation)
	var start *StartError
	switch {
	case ctx.Err() != nil && err != nil:
		return l, loop.Action{}, nil // the caller handles it
	case errors.Is(err, errEnded):
		l, _, err := r.gone(ctx)
		return l, loop.Action{}, err
	case errors.As(err, &start):
		return r.notStarted(l, err)
	case errors.Is(err, context.Canceled):
		e.Status, e.Text = loop.Errored, "the agent says that it was cancelled"
	case err != nil && !errors.Is(err, errCut):
		e.Status, e.Text = loop.Errored, err.Error()
	}
	return r.onStop(ctx, e)
}

func (r *Runner) notStarted(l loop.State, cause error) (loop.State, loop.Action, error) {
	next, err := r.apply(loop.Event{Kind: loop.EventInterrupt, Text: cause.Error(), Stop: loop.Stop{Status: loop.Errored}})
	if err != nil {
		return l, loop.Action{}, errors.Join(cause, err)
	}
	return next, loop.Action{}, cause
}

const (
	closeAfter = 20 * time.Second // if the driver does not cancel a turn
	leaveAfter = 10 * time.Second // if closing it does not help either
)

// drive runs the driver's turn and ends it early if the loop has ended or reached
// its time limit.
func (r *Runner) drive(ctx context.Context, l loop.State, p Prompt, generation string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n := &notes{Runner: r, generation: generation, onStart: func() { r.onStart(l) }, size: map[string]int{}}
	defer n.close()
	done := make(chan error, 1)
	go func() { done <- r.Driver.Turn(ctx, p, n.see) }()
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
	if start := (*StartError)(nil); !errors.As(err, &start) {
		n.see(Seen{Started: true}) // the agent started, even if it was silent or failed
	}
	return err
}

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

// lastWords is the time an agent has left after it has ended its loop itself.
const lastWords = 10 * time.Second

// watch ends the turn of a loop that has ended, was stopped or has reached its time
// limit, or that was paused while its agent waits for a permission.
func (r *Runner) watch(ctx context.Context, l loop.State, cut context.CancelCauseFunc) {
	pausing, clock := false, clock{}
	for proc.Sleep(ctx, poll) == nil {
		now, err := r.Store.Read(r.id)
		if err == nil && now.IsPausing() != pausing {
			if pausing = !pausing; pausing {
				r.tell(Report{Kind: ReportPausing, State: now})
			}
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			was, err := r.Store.Recorded(r.id)
			if err != nil || !was.Status.Ended() {
				continue // the file was removed: the end of the turn handles it
			}
			if was.Status == loop.Blocked {
				_ = proc.Sleep(ctx, lastWords) // the turn ends in any case
			}
			cut(errEnded)
			return
		case err == nil && (now.Stop || clock.isTimeUp(&now) || now.Status == loop.Paused && r.asking.Load()):
			cut(errCut) // the stop that follows ends or pauses the loop
			return
		}
	}
}

// clock keeps count of the silences of a turn that goes on.
type clock struct {
	last   time.Time // the last event
	silent time.Duration
}

func (c *clock) isTimeUp(l *loop.State) bool {
	if l.EventAt.After(c.last) {
		c.silent += loop.Silence(c.last, l.EventAt)
		c.last = l.EventAt
	}
	return l.MaxDuration > 0 && l.Worked(time.Now())-c.silent >= time.Duration(l.MaxDuration)
}

// How much of a turn the journal keeps.
const (
	keptText  = 1 << 20  // bytes at the end of a message
	keptLine  = 4 << 10  // bytes of anything else
	keptTurn  = 32 << 20 // bytes of all messages, and of all tool calls
	keptEnd   = 2 << 20  // bytes of further messages: the last ones, with the promise
	textExtra = 200      // bytes of a record beside its text, roughly
)

type notes struct {
	*Runner
	generation string
	onStart    func()

	mu      sync.Mutex
	over    bool
	started bool
	size    map[string]int // by the kind of a record
	end     []loop.Record  // messages beyond the limit
	warned  bool
}

// close ends the notes: a driver that hangs may still report something.
func (n *notes) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
	for _, rec := range n.end {
		n.write(rec)
	}
}

func (n *notes) see(s Seen) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over {
		return
	}
	if !n.started {
		n.started = true
		n.onStart()
	}
	if s.Session != "" && s.Session != n.session {
		n.session = s.Session
		n.Runner.note(loop.EventSession, s.Session)
	}
	if s.Record.Kind != "" {
		n.record(s)
	}
	if n.See != nil {
		n.See(s)
	}
}

// record appends to the journal. Beyond the limit it warns once and keeps only the
// last messages.
func (n *notes) record(s Seen) {
	rec := s.Record
	rec.At, rec.Generation = time.Now(), n.generation
	rec.Own = rec.Kind == loop.RecordTool && selfcall.Is(s.Command, rec.File)
	rec.Tool, rec.File, rec.Error, rec.Command = head(rec.Tool), head(rec.File), head(rec.Error), head(rec.Command)
	rec.Text = strings.Clone(text.Tail(rec.Text, keptText))
	if n.size[rec.Kind] += size(rec); n.size[rec.Kind] <= keptTurn {
		n.write(rec)
		return
	}
	n.warn(fmt.Errorf("the agent's turn is too large: of what it says beyond %d MiB only the end is kept", keptTurn>>20))
	if rec.Kind == loop.RecordText {
		n.end = lastOf(append(n.end, rec))
	}
}

func size(rec loop.Record) int { return len(rec.Text) + len(rec.Error) + len(rec.File) + textExtra }

func lastOf(list []loop.Record) []loop.Record {
	total := 0
	for i, rec := range slices.Backward(list) {
		if total += size(rec); total > keptEnd {
			return slices.Delete(list, 0, i+1)
		}
	}
	return list
}

func (n *notes) write(rec loop.Record) {
	if err := n.Store.AddToJournal(n.id, rec); err != nil {
		n.warn(err)
	}
}

func (n *notes) warn(err error) {
	if !n.warned {
		n.warned = true
		n.trouble(err)
	}
}

func head(text string) string { return text[:min(len(text), keptLine)] }
