package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/typing"
	"github.com/cursor-ralph/cursor-ralph/internal/gate"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func pause(ctx context.Context, e *env, args []string) error {
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	l, _, err := e.Steer(ctx, found, loop.Event{Kind: loop.EventPause})
	switch {
	case err != nil:
		return err
	case l.Outer() && !e.Lives(l):
		return e.Say("paused. To go on: %s", l.ResumeCommand(e.Now()))
	case l.Idle: // the agent is idle already
		return e.Say("paused. To go on: cursor-ralph resume %s", l.ShortID())
	}
	return e.Say("paused; this takes effect at the next stop. To go on: cursor-ralph resume %s", l.ShortID())
}

func resumeFlags(f *pflag.FlagSet) { typing.Flags(f) }

func resume(ctx context.Context, e *env, args []string) error {
	if e.ByAgent() {
		if e.types() {
			return hint.New("an agent cannot have the line typed", "ask the user to run this in a terminal")
		}
		return e.goOnByAgent(ctx, args, nil)
	}
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	l := found.State
	if found.IsLive() && l.Outer() {
		return e.resumeOuter(ctx, l)
	}
	if found.IsLive() && e.types() && l.IsStalled(e.Loops.StallAfter, e.Now()) {
		return inject(ctx, e, []string{l.ShortID()})
	}
	if !found.IsLive() || l.Status != loop.Waiting { // a waiting loop has been resumed already
		if l, err = e.resumeChat(ctx, found); err != nil {
			return err
		}
	}
	if l.Status == loop.PromiseAccepted {
		return e.Say("the promise of the turn before the pause was accepted: the loop is over")
	}
	id := l.ShortID()
	if l.Status == loop.Waiting && e.types() {
		return inject(ctx, e, []string{id})
	}
	if l.Status == loop.Waiting {
		return e.Say("resumed; the agent is idle. To go on, send this line in the chat:\n%s\nor open this link and confirm:\n%s", loop.ContinueLine(id), loop.PromptLink(id))
	}
	e.StartWatcher()
	return e.Say("resumed; the loop goes on at the next stop")
}

// types reports whether the line is to be typed. A slash command has no such flag.
func (e *env) types() bool {
	f := e.Flags.Lookup("type")
	return f != nil && f.Changed
}

// resumeChat resumes a loop of a chat. The promise of the turn in which it was paused ends it, if the gates agree.
func (e *env) resumeChat(ctx context.Context, found loops.Loop) (l loop.State, err error) {
	event := loop.Event{Kind: loop.EventResume, Continue: loop.Continue{Gates: true}}
	if event.Folder, err = e.newFolder(found.State); err != nil {
		return l, err
	}
	if found.IsLive() && found.State.Promised {
		l, _, err = e.engine().Decide(ctx, found.ID, event)
		return l, err
	}
	l, _, err = e.Steer(ctx, found, event)
	return l, err
}

// newFolder is where the user resumes a loop whose own folder is gone or another one. That becomes the loop's if it is the moved one, by
// its number, or if the user is at a terminal there: for the panel and the editor's extension the current folder means nothing.
func (e *env) newFolder(l loop.State) (string, error) {
	folder, problem := gate.Enter(l)
	folder.Leave()
	if problem == nil {
		return "", nil
	}
	here, err := e.Here()
	if err != nil {
		return "", err
	}
	if place, err := ownfile.PlaceOf(here); err != nil || place.Number == "" || place.Number != l.Folder.Number {
		if here, err = e.Workspace(); err != nil {
			return "", err
		}
		if !e.InputFromTerminal() {
			return "", hint.New(problem.Error(), "put it back, or run `cursor-ralph resume "+l.ShortID()+"` in a terminal, in the folder where it is now")
		}
	}
	e.Warn("%s: from now on it is %s", problem, here)
	return here, nil
}

func setFlags(f *pflag.FlagSet) {
	for _, o := range loop.Options() {
		if loop.IsSettable(o.Name) {
			usage, _, _ := strings.Cut(o.Usage, " (default")
			cli.AddOption(f, o, usage)
		}
	}
	cli.AddWithout(f)
	cli.TryFlag(f)
}

// set changes limits and gates of a loop.
func set(ctx context.Context, e *env, args []string) error {
	r, err := e.Asked()
	switch {
	case err != nil:
		return err
	case len(r.Changes()) == 0:
		return hint.Misuse("nothing is named that is to change", "`cursor-ralph help set` shows the options, such as --max-iterations 40")
	}
	if err := r.CheckLimits(); err != nil {
		return hint.Misuse(err.Error(), "`cursor-ralph help set` shows the options")
	}
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	l, err := found.State.WithOptions(r.Changes())
	if err != nil {
		return hint.Misuse(err.Error(), "`cursor-ralph help set` shows the options")
	}
	if !l.Equal(found.State.Commands) {
		err := e.usable(ctx, r, l)
		if err == nil && r.Given("tasks") {
			err = tasks.Check(ctx, l)
		}
		if err == nil && r.Given("verify") {
			ctx, err = e.TryVerify(ctx, l)
		}
		if err != nil {
			return err
		}
	}
	l, _, err = e.Steer(ctx, found, loop.Event{Kind: loop.EventSet, Set: loop.Set{Options: r.Changes()}})
	if err != nil {
		return err
	}
	return e.Say("set: %s", l.Understood(""))
}

func cancelFlags(f *pflag.FlagSet) { f.Bool("all", false, "end every loop that has not ended") }

func cancel(ctx context.Context, e *env, args []string) error {
	if e.IsSet("all") {
		return e.cancelAll(ctx, args)
	}
	if done, ok := e.alreadyCancelled(args); ok {
		return e.Say("the loop %s is cancelled already", done)
	}
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	isOne := len(args) == 1 && strings.HasPrefix(found.State.ShortID(), args[0])
	if found.IsLive() && !isOne { // the chat is meant, and what is pending there: before a stop claims it
		if pending := e.Loops.Box.Item(found.ID); pending.Err == nil && !pending.State.Status.Ended() {
			if err := e.cancelOne(ctx, loops.Loop{ID: pending.Name, State: pending.State, Pending: true}); err != nil {
				return err
			}
		}
	}
	return e.cancelOne(ctx, found)
}

func (e *env) cancelOne(ctx context.Context, l loops.Loop) error {
	if _, _, err := e.Steer(ctx, l, loop.Event{Kind: loop.EventCancel, By: e.by()}); err != nil {
		return err
	}
	l.State.Status = loop.Cancelled // soon, if a turn of a run has to end first
	said := "cancelled the loop " + l.State.ShortID()
	if again := l.State.ResumeCommand(e.Now()); again != "" {
		said += "; to take it up again: " + again
	}
	return e.Say("%s", said)
}

// by says who asks.
func (e *env) by() loop.Caller {
	if e.ByAgent() {
		return loop.ByAgent
	}
	return ""
}

func (e *env) cancelAll(ctx context.Context, args []string) error {
	if e.ByAgent() {
		return hint.New("an agent can cancel only its own chat's loop", "ask the user to run this in a terminal")
	}
	if len(args) > 0 {
		return hint.Misuse("--all is every loop", "leave out the id, or --all")
	}
	current, err := e.Loops.Unended()
	if err != nil {
		return err
	}
	if len(current) == 0 {
		return e.Say("there is no loop to cancel")
	}
	for _, l := range current {
		err = errors.Join(err, e.cancelOne(ctx, l))
	}
	return err
}

// confirmWindow is how long after the prompt hook's cancel an agent's call only
// confirms it.
const confirmWindow = 2 * time.Minute

// alreadyCancelled returns the loop that the prompt hook or the agent itself has just
// cancelled, if the agent cannot name its chat. Any other loop of this workspace is
// meant only if the user has written to its chat since.
func (e *env) alreadyCancelled(args []string) (id string, ok bool) {
	if len(args) > 0 || !e.ByAgent() {
		return "", false
	}
	chat, _ := e.Conversation() // one that is no id has no loop
	here, err := e.Here()
	if err != nil || chat != "" {
		return "", false
	}
	var last loop.State
	for _, l := range e.Store.EndedSince(e.Now().Add(-confirmWindow)) {
		has, _ := e.Store.Has(l.ConversationID) // then there is a new one, which is meant
		if l.Status == loop.Cancelled && l.CancelledBy != "" && !l.EndedAt.After(e.Now()) && loops.Within(here, l.Workspace) && !has {
			last = l
		}
	}
	return last.ShortID(), last.ConversationID != "" && !e.spokenTo(here, last.EndedAt)
}

// spokenTo reports whether the user has written to the chat of a current loop of this
// folder since then.
func (e *env) spokenTo(here string, since time.Time) bool {
	current, _ := e.Loops.Usable()
	return slices.ContainsFunc(current, func(l loops.Loop) bool {
		return l.State.MessageAt.After(since) && loops.Within(here, l.State.Workspace)
	})
}

func addContext(ctx context.Context, e *env, args []string) error {
	return e.tell(ctx, args, loop.EventContext, `cursor-ralph context "<text>"`, "the agent gets this with the next continuation")
}

func note(ctx context.Context, e *env, args []string) error {
	return e.tell(ctx, args, loop.EventNote, `cursor-ralph note "<what is done, what is next>"`, "noted")
}

func blocked(ctx context.Context, e *env, args []string) error {
	return e.tell(ctx, args, loop.EventBlocked, `cursor-ralph blocked "<why>"`, "the loop has ended as BLOCKED; tell the user what is needed. The user can continue it later")
}

func (e *env) tell(ctx context.Context, args []string, kind loop.EventKind, usage, done string) error {
	found, text, err := e.SplitText(args, usage)
	if err != nil {
		return err
	}
	l, _, err := e.Steer(ctx, found, loop.Event{Kind: kind, Text: text, By: e.by()})
	if err != nil {
		return err
	}
	if l.Status == loop.Blocked && !(l.Outer() && e.Lives(l)) && !e.ByAgent() { // a run sends it itself, and the hook after an agent's call
		err = notify.Later(e.Env, l.ConversationID)
	}
	return errors.Join(err, e.Say("%s", done))
}

// resumeOuter resumes a run; its process waits for that.
func (e *env) resumeOuter(ctx context.Context, l loop.State) error {
	id := l.ConversationID
	switch {
	case !e.Lives(l):
		return runEnded(l, e.Now())
	case e.types():
		return hint.Misuse("--type is for a chat, and this loop is a run", "cursor-ralph resume "+l.ShortID())
	case l.Status == loop.Waiting:
		return e.Say("resumed; the run goes on")
	}
	next, _, err := e.Apply(ctx, id, loop.Event{Kind: loop.EventResume})
	if err != nil {
		return err
	}
	if next.Status == loop.Running {
		return e.Say("resumed; the agent's turn goes on, and the loop with it")
	}
	return e.Say("resumed; the run goes on")
}

// runEnded refuses to steer a run whose process is gone.
func runEnded(l loop.State, now time.Time) error {
	what := "the process of this run has ended"
	if l.Status.Ended() {
		what = fmt.Sprintf("this run has ended (%s)", l.Status)
	}
	return hint.New(what, cli.WhenEnded(l, now))
}

// continueOuter is cursor-ralph continue for a run. It may raise the limits of
// one that rests.
func (e *env) continueOuter(ctx context.Context, l loop.State, event loop.Event) error {
	switch {
	case l.Status.Ended() || !e.Lives(l):
		return runEnded(l, e.Now())
	case l.Status == loop.Running:
		return hint.New("the run goes on already", "`cursor-ralph status "+l.ShortID()+"` shows where it stands")
	}
	event.Idle = true
	if _, err := e.applyContinue(ctx, loops.Loop{ID: l.ConversationID, State: l}, event); err != nil {
		return err
	}
	return e.Say("continued; the run goes on")
}
