package main

import (
	"context"
	"fmt"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// lives tells whether the process of a run is there.
func lives(l loop.State) bool {
	there, err := outer.Lives(l.Workspace)
	return there && err == nil // a folder that is not ours has no run of ours
}

// taker is the command that takes a loop up again.
func taker(l loop.State) string {
	if l.Outer() {
		return "run --resume"
	}
	return "continue"
}

// resumeOuter sets a run going again, which is what its process waits for.
func (e *env) resumeOuter(ctx context.Context, l loop.State) error {
	id := l.ConversationID
	switch {
	case !lives(l):
		return problem("the process of this run has ended", "cursor-ralph run --resume "+id+" goes on with it")
	case e.isSet("inject"):
		return misuse("--inject is for a chat, and this loop is a run", "cursor-ralph resume "+id)
	case l.Status == loop.Waiting && l.RetryAt.IsZero():
		return e.say("resumed; the run goes on")
	}
	next, _, err := e.apply(ctx, id, loop.Event{Kind: loop.EventResume})
	if err != nil {
		return err
	}
	if next.Status == loop.Running {
		return e.say("resumed; the agent's turn goes on, and the loop with it")
	}
	return e.say("resumed; the run goes on")
}

// continueOuter is cursor-ralph continue for a run. It may raise the limits of
// one that rests.
func (e *env) continueOuter(ctx context.Context, l loop.State, event loop.Event) error {
	id := l.ConversationID
	switch {
	case l.Status.Ended() || !lives(l):
		return problem(fmt.Sprintf("this loop is a run whose process has ended (%s)", l.Status), "cursor-ralph run --resume "+id+" goes on with it")
	case l.Status == loop.Running:
		return problem("the run goes on already", "`cursor-ralph status "+id+"` shows where it stands")
	}
	event.Idle = true
	if _, err := e.applyContinue(ctx, id, event); err != nil {
		return err
	}
	return e.say("taken up again; the run goes on")
}

func agentWords(r loop.Run) string {
	words := fmt.Sprintf("%s (%s)", r.Agent, r.Driver)
	if r.Command != "" {
		words = fmt.Sprintf("%s (%s)", r.Command, r.Driver)
	}
	if r.Permissions != "" {
		words += ", permissions " + r.Permissions
	}
	return words
}

func runWords(l loop.State) string {
	switch {
	case l.Status.Ended():
		return "ended"
	case lives(l):
		return "its process is there"
	}
	return "its process has ended"
}

func goOnWords(l loop.State) string {
	switch {
	case l.Status == loop.PromiseAccepted, l.Status == loop.Cancelled, l.Status == loop.Replaced:
		return ""
	case l.Status.Ended():
		return toResume(l)
	case !lives(l):
		return "cursor-ralph run --resume " + l.ConversationID
	case l.Status == loop.Paused:
		return "cursor-ralph resume " + l.ConversationID
	}
	return ""
}
