package outer

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// idle waits until a paused loop is resumed, and returns the next prompt.
func (r *Runner) idle(ctx context.Context, l loop.State) (loop.State, string, error) {
	told := loop.State{}
	for {
		if l.Status != told.Status || l.Reason != told.Reason {
			r.tell(Report{Kind: ReportIdle, State: l})
			told = l
		}
		if l.Status != loop.Paused {
			return r.goOn(ctx, loop.Event{Kind: loop.EventContinue, Text: "The user resumed the loop.", Continue: loop.Continue{Run: r.now(l)}})
		}
		if proc.Sleep(ctx, poll) != nil {
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

// poll is how often we check the loop's file for changes by others.
const poll = 250 * time.Millisecond

func (r *Runner) now(l loop.State) loop.Run {
	run := l.Run
	run.Session = r.session
	return run
}

// gone handles a loop without a file: it has ended, or somebody removed the file,
// and it continues from the archive.
func (r *Runner) gone(ctx context.Context) (loop.State, string, error) {
	// A loop that is just ending holds the lock until the archive says so. Waiting for
	// the lock keeps us from continuing it.
	if l, err := r.apply(loop.Event{}); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, "", err
	}
	l, err := r.Store.Recorded(r.id)
	if err != nil || l.Status.Ended() {
		return l, "", err
	}
	return r.goOn(ctx, loop.Event{Kind: loop.EventContinue, Text: "The loop's file was removed; it continues from the archive.", Continue: loop.Continue{Run: r.now(l)}})
}
