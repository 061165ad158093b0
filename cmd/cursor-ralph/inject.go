package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/typing"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The patience of an injection, besides its --wait.
const (
	exitWait    = 10 * time.Second // for the hook that started it to end
	turnWait    = time.Minute      // for another loop's injection to be over
	longestWait = time.Minute      // for the line to arrive: an injection is not open for ever
	typeWait    = 30 * time.Second // for all ways of typing together
	arrivalWait = 30 * time.Second // for the line to arrive, unless --wait says otherwise
	statePoll   = 10 * time.Millisecond
)

func injectFlags(f *pflag.FlagSet) {
	new(handoff.Inject).Flags(f)
	cli.Duration(f, "wait", arrivalWait, longestWait, "wait for the time `D` until the line has arrived, at most a minute")
	typing.Flags(f)
	for _, name := range []string{"any", "fresh", "injection", "after"} {
		f.Lookup(name).Hidden = true
	}
}

// inject types the continue line of a loop into Cursor. The hook starts it at
// the session limit, and users run it by hand.
func inject(ctx context.Context, e *env, args []string) error {
	found, err := e.Target(args)
	if err == nil {
		err = e.NotLive(found)
	}
	if err != nil {
		return err
	}
	ways, target, err := typing.Ways(e.Env)
	if err != nil {
		return err
	}
	id := found.ID
	target.Line, target.Conversation, target.Workspace = loop.ContinueLine(found.State.ShortID()), id, found.State.Workspace
	var call handoff.Inject
	if e.Read(&call); call.DryRun {
		target.NewChat = call.Fresh
		return e.tryDry(ctx, ways, target, call.Any)
	}
	injection := call.Injection
	if injection == "" && found.State.AwaitsNewChat() {
		return hint.New("the loop goes on in a new chat, which has not begun", "open a new chat and send this line there: "+target.Line)
	}
	if injection == "" { // at once, so that a second start is refused
		l, _, err := e.Apply(ctx, id, loop.Event{Kind: loop.EventInject})
		if err != nil {
			return err
		}
		injection = l.Delivery.ID
	}
	if err := e.wanted(ctx, id, injection); err != nil {
		return e.giveUp(ctx, id, injection, err)
	}
	release, err := e.myTurn(ctx, call.After)
	if err != nil {
		return e.giveUp(ctx, id, injection, err)
	}
	failed := e.injectLocked(ctx, id, injection, target)
	return errors.Join(failed, release())
}

// waitFlag is how long to wait for the line to arrive. A slash command has no
// such flag, and types nothing.
func (e *env) waitFlag() time.Duration {
	if wait, err := e.Flags.GetDuration("wait"); err == nil {
		return wait
	}
	return arrivalWait
}

// myTurn waits until the hook is over and nobody else of us types: there is one keyboard
// and one clipboard.
func (e *env) myTurn(ctx context.Context, hook int) (release func() error, err error) {
	if err := awaitEnd(ctx, hook); err != nil {
		return nil, err
	}
	return e.lock(ctx, filepath.Join(e.Places.Pending(), ".typing.lock"), turnWait)
}

// giveUp reports an injection that did not get as far as to type. If it is over
// already there is nothing to report.
func (e *env) giveUp(ctx context.Context, id, injection string, why error) error {
	l, err := e.wherever(id)
	if err != nil {
		return errors.Join(why, err)
	}
	if i, ok := l.LineOf(injection); !ok || i.Outcome != loop.Open {
		e.logInjection(id, "not-typed", why.Error())
		return nil
	}
	o := keystroke.Outcome{Tries: []keystroke.Try{{Name: "none", Err: why}}}
	return e.report(context.WithoutCancel(ctx), id, injection, o, 0)
}

// tryDry prints which ways of typing would work, and fails if none would.
func (e *env) tryDry(ctx context.Context, ways []keystroke.Injector, t keystroke.Target, any bool) error {
	works := any && keystroke.AnyWorks(ctx, ways, t)
	if !any {
		for i, err := range keystroke.ProbeAll(ctx, ways, t) {
			works = works || err == nil
			if err := e.Say("%s", typing.WouldWork(ways[i].Name(), err)); err != nil {
				return err
			}
		}
	}
	if !works {
		return hint.New("no way of typing works here and now", "`cursor-ralph doctor` shows what would help; you can always type the line yourself: "+t.Line)
	}
	return nil
}

// awaitEnd waits for the end of the hook that started us: until then its turn is
// not over. It is 0 if no hook did.
func awaitEnd(ctx context.Context, hook int) error {
	if hook <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, exitWait)
	defer cancel()
	for !proc.Gone(hook) {
		if err := proc.Sleep(ctx, statePoll); err != nil {
			return fmt.Errorf("the hook did not end: %w", err)
		}
	}
	return nil
}

// lock takes a lock of the private folder, and waits for a while.
func (e *env) lock(ctx context.Context, path string, wait time.Duration) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := ownfile.Folder(e.Places.Pending()); err != nil {
		return nil, err
	}
	return ownfile.Lock(ctx, path)
}

func (e *env) injectLocked(ctx context.Context, id, injection string, t keystroke.Target) error {
	if err := e.wanted(ctx, id, injection); err != nil {
		return e.giveUp(ctx, id, injection, err)
	}
	ways, _, err := typing.Ways(e.Env)
	if err != nil {
		return err
	}
	if l, err := e.Store.Read(id); err == nil {
		t.NewChat = l.Delivery.Way == loop.WayNewChat && l.Delivery.ID == injection
	}
	wait, began := e.waitFlag(), e.Now()
	t.Permit = func(ctx context.Context) error { return e.wanted(ctx, id, injection) }
	t.Arrived = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		return e.awaitArrival(ctx, id, injection)
	}
	t.Step = func(words string) { e.logInjection(id, "step", words) }
	typing, cancel := context.WithTimeout(ctx, typeWait+wait)
	defer cancel()
	outcome := keystroke.Type(typing, ways, t)
	return e.report(context.WithoutCancel(ctx), id, injection, outcome, e.Now().Sub(began))
}

// wanted is asked before each key: the user may have paused, cancelled or gone
// on meanwhile, or a follow-up that counted as lost may have arrived.
func (e *env) wanted(ctx context.Context, id, injection string) error {
	l, err := e.Store.Read(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("the loop has ended")
	case err != nil:
		return err
	case !l.Injecting(injection, e.Now()):
		return fmt.Errorf("the loop does not wait for it any more (%s)", l.Status)
	}
	return nil
}

// awaitArrival waits for the evidence: the prompt hook saw the line in its
// conversation, or the agent asked for the continuation.
func (e *env) awaitArrival(ctx context.Context, id, injection string) error {
	for {
		l, err := e.wherever(id)
		if err != nil {
			return err
		}
		switch i, ok := l.LineOf(injection); {
		case !ok:
			return errors.New("the loop knows nothing of it")
		case i.Outcome == loop.Arrived:
			return nil
		case i.Outcome != loop.Open:
			return errors.New(string(i.Outcome))
		}
		if err := proc.Sleep(ctx, statePoll); err != nil {
			return errors.New("no hook saw it and no agent asked for the continuation")
		}
	}
}
