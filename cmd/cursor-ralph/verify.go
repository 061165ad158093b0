package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/gate"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/review"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func verifyFlags(f *pflag.FlagSet) { new(handoff.Verify).Flags(f) }

// verifyLoop runs the gate round of a loop and prints the result as JSON. The caller
// keeps our standard input open while it waits.
func verifyLoop(ctx context.Context, e *env, args []string) error {
	var call handoff.Verify
	e.Read(&call)
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	l := found.State
	if !l.IsGated() {
		return hint.New("the loop "+l.ShortID()+" has no --tasks, --verify or --review", "give one when the loop is started")
	}
	if call.For == "" {
		return e.JSON(e.runGates(ctx, l, call.Limit))
	}
	l.Verifying.ID = call.For
	alone, cancel := e.whileCalled(ctx)
	defer cancel()
	v := e.verifyWanted(alone, l, call.Limit)
	if alone.Err() != nil {
		return e.giveUpVerify(ctx, l, true)
	}
	return e.JSON(v)
}

// whileCalled returns a context that is done when standard input has ended: its caller is
// gone.
func (e *env) whileCalled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, e.Stdin) // only its end matters, however it comes
		cancel()
	}()
	return ctx, cancel
}

// wantedPoll is how often the loop is asked whether its gate round is still wanted.
const wantedPoll = 200 * time.Millisecond

// verifyWanted runs a gate round while its result is wanted: a cancel, a pause, a
// stop by hand or another round ends it.
func (e *env) verifyWanted(ctx context.Context, l loop.State, limit time.Duration) loop.Verification {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for e.verifies(l) && proc.Sleep(ctx, wantedPoll) == nil {
		}
		cancel()
	}()
	return e.runGates(ctx, l, limit)
}

// verifies reports whether a loop still waits for this verification.
func (e *env) verifies(l loop.State) bool {
	now, err := e.Store.Read(l.ConversationID)
	return err == nil && now.Verifying.ID == l.Verifying.ID && now.Stop == l.Stop && now.Status == l.Status
}

// giveUpVerify ends the wait of a loop whose caller is gone: a stop hook, whose agent
// is idle then, or the user.
func (e *env) giveUpVerify(ctx context.Context, l loop.State, idle bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cli.LockWait)
	defer cancel()
	_, _, err := e.Store.Apply(ctx, l.ConversationID, loop.Event{Kind: loop.EventVerified, Continue: loop.Continue{Idle: idle}, Answers: loop.Answers{Verified: loop.Verification{ID: l.Verifying.ID}}})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has ended
	}
	return err
}

// runGates runs the gate round of a loop. A limit of 0 is the loop's own.
func (e *env) runGates(ctx context.Context, l loop.State, limit time.Duration) loop.Verification {
	if r, err := e.Store.Record(l.ShortID(), false); err == nil && r.Task != "" {
		l.Prompt = r.Task // an agent can change the live file's
	}
	return gate.Run(ctx, gate.Round{Loop: l, Limit: limit, Shell: e.UserShell(), Env: os.Environ(), Review: review.Gate(e.checkpoints())})
}

// verified runs the verification that a continue needs first.
func (e *env) verified(ctx context.Context, l loop.State) (loop.Verification, error) {
	fmt.Fprintf(e.Stderr, "cursor-ralph: a promise was given; verifying it: %s\n", cli.Printable(l.GateNames()))
	v := e.verifyWanted(ctx, l, 0)
	if unanswered := v.CannotRun != "" || v.Review != nil && v.Review.Verdict == loop.ReviewFailed; ctx.Err() == nil && !v.Passed && !unanswered {
		fmt.Fprintf(e.Stderr, "cursor-ralph: %s failed (%s): the promise is refused\n", gateWord(v.Gate), cli.Printable(v.Summary()))
	}
	if ctx.Err() == nil {
		return v, nil
	}
	gaveUp := hint.New("given up while the promise was verified", "the loop is as it was; continue it again, or cancel it")
	return v, errors.Join(gaveUp, e.giveUpVerify(ctx, l, false))
}

// gateWord names a gate in a sentence.
func gateWord(g loop.Gate) string {
	switch g {
	case loop.GateTasks:
		return "the check of the tasks"
	case loop.GateReview:
		return "the review"
	}
	return "the verification"
}

// usable refuses a loop whose promise could never pass its gates.
func (e *env) usable(ctx context.Context, r loop.Request, l loop.State) error {
	return cmp.Or(
		cli.Sourced(r, checkVerify(l), "gate-timeout"),
		cli.Sourced(r, engine.CheckReview(l, os.Environ()), "review"),
		cli.Sourced(r, cli.CheckCheckpoints(l), "checkpoints"))
}

// checkVerify refuses a loop whose gate round Cursor would not wait for.
func checkVerify(l loop.State) error {
	if problem := l.GatesProblem(); problem != "" {
		return hint.New(problem, "nothing was started; give shorter limits")
	}
	return nil
}
