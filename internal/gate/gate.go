// Package gate checks a promise that has met the rules: the tasks, then the command of
// --verify, then the review. The first refusal ends the round. It does not decide about
// the loop.
package gate

import (
	"context"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
	"github.com/cursor-ralph/cursor-ralph/internal/verify"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Round is what a gate round needs.
type Round struct {
	Loop  loop.State
	Limit time.Duration // for all of it, if that is less than the loop's
	Shell string        // the user's; empty is the system's
	Env   []string
	dir   string // where commands run

	// Review has the work reviewed, for a loop with Review whose other gates have
	// passed; so is how they went. It sets Review, and if the promise is refused Gate
	// and Refusal. ctx ends with the time that the review has.
	Review func(ctx context.Context, l loop.State, so loop.Verification) loop.Verification
}

// Run runs a round. If ctx is done, it ends early, its programs are killed, and the
// result does not pass.
func Run(ctx context.Context, r Round) loop.Verification {
	limit := r.Loop.RoundLimit()
	if r.Limit > 0 {
		limit = min(limit, r.Limit)
	}
	began := time.Now()
	folder, err := Enter(r.Loop)
	if err != nil {
		return loop.Verification{Exit: -1, CannotRun: err.Error()}
	}
	defer folder.Leave()
	r.dir = folder.Dir()
	v := loop.Verification{Passed: true}
	for _, gate := range r.gates() {
		if left := limit - time.Since(began).Truncate(time.Second); gate.wanted && v.Passed {
			v = gate.check(ctx, v, max(left, time.Millisecond))
		}
	}
	return v
}

// check is what a gate adds to how the ones before it went. It may take as long as left.
type check func(ctx context.Context, so loop.Verification, left time.Duration) loop.Verification

type gate struct {
	wanted bool
	check  check
}

// gates has their order.
func (r Round) gates() []gate {
	return []gate{{r.Loop.Tasks != "", r.tasks}, {r.Loop.Verify != "", r.verify}, {r.Loop.Review != "", r.review}}
}

// refused is a result that a gate does not let pass.
func refused(v loop.Verification, gate loop.Gate, why string) loop.Verification {
	v.Passed, v.Gate, v.Refusal = false, gate, why
	return v
}

// tasks reads the task list.
func (r Round) tasks(ctx context.Context, v loop.Verification, left time.Duration) loop.Verification {
	ctx, cancel := context.WithTimeout(ctx, min(left, loop.TasksLimit))
	defer cancel()
	v.Tasks = tasks.Survey(ctx, r.Loop)
	if why := tasks.Refusal(r.Loop.Tasks, *v.Tasks); why != "" {
		return refused(v, loop.GateTasks, why)
	}
	return v
}

// verify runs the command in the workspace.
func (r Round) verify(ctx context.Context, v loop.Verification, left time.Duration) loop.Verification {
	l, ran := r.Loop, verify.Result{Exit: -1, Why: "the workspace, in which it has to run, is not known"}
	if l.Workspace != "" {
		ran = verify.Run(ctx, verify.Command{Text: l.Verify, Dir: r.dir, Shell: r.Shell, Env: r.Env, Timeout: min(left, l.GateLimit())})
	}
	v.Passed, v.Exit, v.Why, v.Output, v.Seconds = ran.Passed, ran.Exit, ran.Why, ran.Output, ran.Seconds
	if !v.Passed {
		v.Gate = loop.GateVerify
	}
	return v
}

func (r Round) review(ctx context.Context, v loop.Verification, left time.Duration) loop.Verification {
	if r.Review == nil {
		return refused(v, loop.GateReview, "this version of cursor-ralph cannot have it reviewed by "+r.Loop.Review)
	}
	ctx, cancel := context.WithTimeout(ctx, min(left, r.Loop.GateLimit()))
	defer cancel()
	return r.Review(ctx, r.Loop, v)
}
