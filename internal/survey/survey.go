// Package survey finds out what a loop with tasks, checkpoints or a review needs to know
// when it begins, and at the end of each turn.
package survey

import (
	"context"
	"errors"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Survey is what surveys need beside the loop.
type Survey struct {
	Places platform.Places
	Env    []string // for git
}

// limit is how long a survey may take where nobody waits: the checkpoint of a big work tree takes its time.
const limit = 10 * time.Second

// Take surveys a loop within ten seconds: when it begins, or else after the turn
// that is Iterations+1, if that one counts. What cannot be found out is among the
// Errors; it does not keep the rest.
func (s Survey) Take(ctx context.Context, l loop.State, begin bool) (loop.Survey, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	v := loop.Survey{Taken: true}
	if l.Tasks != "" {
		v.Tasks = tasks.Survey(ctx, l)
	}
	s.checkpoint(ctx, l, begin, &v)
	return v, ctx.Err()
}

// checkpoint makes the checkpoint that is due: a review compares with that of the
// beginning.
func (s Survey) checkpoint(ctx context.Context, l loop.State, begin bool, v *loop.Survey) {
	due, number := l.Checkpoints, l.Iterations+1
	if begin {
		due, number = due || l.Review != "", 0
	}
	if !due {
		return
	}
	m, err := checkpoint.Places{Folder: s.Places.Checkpoints(), Copies: s.Places.Copies(), Env: s.Env}.Take(ctx, l, checkpoint.After(number))
	switch {
	case errors.Is(err, git.ErrNoTree) && !l.Checkpoints: // the review says so itself
	case errors.Is(err, context.Canceled): // nobody waits for it any more
	case err != nil:
		v.Errors = append(v.Errors, "no checkpoint was made: "+err.Error())
	default:
		v.Checkpoint = number
	}
	if m.Why != "" {
		v.Errors = append(v.Errors, m.Why)
	}
}
