package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// lockWait is how long a command waits for a lock. Locks are held for about a
// millisecond.
const lockWait = 10 * time.Second

// apply lets something happen to a loop, live or still pending, and gives
// errors for people.
func (e *env) apply(ctx context.Context, id string, event loop.Event) (loop.State, loop.Action, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	l, action, err := e.store.Apply(ctx, id, event)
	if errors.Is(err, fs.ErrNotExist) && event.Kind != loop.EventContinue {
		l, action, err = e.applyPending(ctx, id, event)
		if errors.Is(err, fs.ErrNotExist) { // a chat may have claimed it in between
			l, action, err = e.store.Apply(ctx, id, event)
		}
	}
	var later *state.ArchiveError
	switch {
	case errors.As(err, &later): // what was decided holds, and is tried again with the next event
		fmt.Fprintf(e.stderr, "cursor-ralph: this was done, but not saved for good: %s\n", printable(err.Error()))
	case err != nil:
		return l, action, e.unknown(id, err)
	}
	e.logSteered(l, action, event.Kind)
	if action.Kind == loop.Refuse {
		return l, action, problem(action.Why, action.Hint)
	}
	return l, action, nil
}

// logSteered writes what was done from here beside what the hook decides.
func (e *env) logSteered(l loop.State, a loop.Action, kind loop.EventKind) {
	line := hooklog.Line{At: e.now(), Conversation: l.ConversationID, Event: "cursor-ralph", Iteration: l.Iterations, Max: l.MaxIterations, Promise: a.Promise}
	switch {
	case l.Status.Ended() && (a.Kind != loop.Refuse || a.Promise != ""):
		line.Action, line.Why = string(l.Status), cmp.Or(a.Why, l.Reason)
	case a.Kind == loop.Refuse:
		return
	case kind == loop.EventPause:
		line.Action = "paused"
	case kind == loop.EventResume:
		line.Action = "resumed"
	case kind == loop.EventContext:
		line.Action = "context-added"
	case kind == loop.EventContinue && a.Kind != loop.AskVerify:
		line.Action, line.Why = "continued", a.Why
	default:
		return
	}
	_ = hooklog.Append(e.places.Log(), line) // what matters is in the loop's file
}

// applyPending does the same to a loop that no chat has claimed yet. It stays
// pending, unless the event ends it.
func (e *env) applyPending(ctx context.Context, name string, event loop.Event) (after loop.State, action loop.Action, err error) {
	items, err := e.box.List()
	if err != nil {
		return after, action, err
	}
	for _, i := range items {
		if i.Name != name || i.Err != nil {
			continue
		}
		killed := i.State.Status.Ended() // before it was archived, which Change does now
		err := e.box.Change(ctx, i, func(l loop.State) loop.State {
			after, action = loop.Decide(l, event, e.now())
			after.StartedAt, after.Token, after.Replace = l.StartedAt, l.Token, l.Replace
			return after
		}, func(l loop.State) error {
			l.ConversationID = cmp.Or(l.ConversationID, name) // by which its record is found
			return e.store.Put(ctx, l)
		})
		if killed && err == nil {
			break
		}
		return after, action, err
	}
	return after, action, fs.ErrNotExist
}

func (e *env) say(format string, args ...any) error {
	_, err := fmt.Fprint(e.stdout, printable(fmt.Sprintf(format, args...))+"\n")
	return err
}

func pause(ctx context.Context, e *env, args []string) error {
	id, err := e.target(args)
	if err != nil {
		return err
	}
	if _, _, err := e.apply(ctx, id, loop.Event{Kind: loop.EventPause}); err != nil {
		return err
	}
	return e.say("paused; this takes effect at the next stop. To go on: cursor-ralph resume %s", id)
}

func resumeFlags(f *pflag.FlagSet) {
	f.Bool("inject", false, "type the continue line into Cursor, if the agent is idle")
	f.Duration("wait", arrivalWait, "with --inject: wait for the time `D` until the line has arrived, at most a minute")
}

func resume(ctx context.Context, e *env, args []string) error {
	id, err := e.target(args)
	if err != nil {
		return err
	}
	if _, err := e.waitFlag(); err != nil {
		return err
	}
	l, err := e.store.Read(id)
	if err == nil && l.Outer() {
		return e.resumeOuter(ctx, l)
	}
	if err != nil || l.Status != loop.Waiting { // one that waits has been resumed already
		if l, _, err = e.apply(ctx, id, loop.Event{Kind: loop.EventResume}); err != nil {
			return err
		}
	}
	if l.Status == loop.Waiting && e.isSet("inject") {
		return inject(ctx, e, []string{id})
	}
	if l.Status == loop.Waiting {
		return e.say("resumed; the agent is idle. To go on, type this line into the chat:\n%s\nor open this link and confirm:\n%s", loop.ContinueLine(id), loop.PromptLink(id))
	}
	return e.say("resumed; the loop goes on at the next stop")
}

// cancel ends a live loop, and takes out a pending one of the same chat, first: a
// chat may claim it meanwhile, and then it is the live one.
func cancel(ctx context.Context, e *env, args []string) error {
	if done, ok := e.alreadyCancelled(args); ok {
		return e.say("the loop of %s is cancelled already", done)
	}
	id, err := e.target(args)
	if err != nil {
		return err
	}
	event := loop.Event{Kind: loop.EventCancel}
	l, action, err := e.applyPending(ctx, id, event)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		e.logSteered(l, action, event.Kind)
	}
	if has, _ := e.store.Has(id); has || err != nil {
		if _, _, err := e.apply(ctx, id, event); err != nil {
			return err
		}
	}
	return e.say("cancelled the loop of %s; its record stays in the archive", id)
}

// confirmWindow is how long after the prompt hook an agent's call for the same
// thing only confirms it.
const confirmWindow = 2 * time.Minute

// alreadyCancelled finds the loop that the prompt hook has just cancelled, where
// the agent is told to do it too and cannot name its chat. Another loop of this
// workspace, which would now be the only one, is not meant.
func (e *env) alreadyCancelled(args []string) (id string, ok bool) {
	if len(args) > 0 || e.getenv("CURSOR_AGENT") == "" || e.getenv("CURSOR_CONVERSATION_ID") != "" {
		return "", false
	}
	here, err := e.here()
	if err != nil {
		return "", false
	}
	ended, _ := e.store.Records()
	for _, l := range ended {
		if l.Status != loop.Cancelled || e.now().Sub(l.EndedAt).Abs() >= confirmWindow || !within(here, l.Workspace) {
			continue
		}
		if has, _ := e.store.Has(l.ConversationID); !has { // else there is a new one, which is meant
			return l.ConversationID, true
		}
	}
	return "", false
}

func addContext(ctx context.Context, e *env, args []string) error {
	return e.tell(ctx, args, loop.EventContext, `cursor-ralph context "<text>"`, "the agent gets this with the next continuation")
}

func note(ctx context.Context, e *env, args []string) error {
	return e.tell(ctx, args, loop.EventNote, `cursor-ralph note "<what is done, what is next>"`, "noted")
}

func blocked(ctx context.Context, e *env, args []string) error {
	return e.tell(ctx, args, loop.EventBlocked, `cursor-ralph blocked "<why>"`, "the loop has ended as BLOCKED; tell the user what is needed. It can be taken up again")
}

func (e *env) tell(ctx context.Context, args []string, kind loop.EventKind, usage, done string) error {
	id, text, err := e.splitText(args, usage)
	if err != nil {
		return err
	}
	l, _, err := e.apply(ctx, id, loop.Event{Kind: kind, Text: text})
	if err != nil {
		return err
	}
	if l.Status == loop.Blocked {
		err = e.notifyLater(id)
	}
	return errors.Join(err, e.say("%s", done))
}
