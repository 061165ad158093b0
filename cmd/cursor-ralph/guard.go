package main

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// guard watches the process that started it while that types, and serves what it
// leaves on the clipboard.
func guard(ctx context.Context, e *env, args []string) error {
	if len(args) == 2 {
		if err := loop.CheckID(args[0]); err != nil {
			return hint.Misuse(err.Error(), "`cursor-ralph list` shows the ids")
		}
	}
	return keystroke.Guard(e.Stdin, e.Stdout, e.Getenv, func() {
		if len(args) == 2 {
			e.typerDied(ctx, args[0], args[1])
		}
	})
}

// typerDied reports an open injection whose process was killed.
func (e *env) typerDied(ctx context.Context, id, injection string) {
	l, err := e.Store.Read(id)
	if err != nil || l.Injection.ID != injection || !l.Injection.Open(e.Now()) {
		return
	}
	died := loop.Injection{ID: injection, Outcome: "the process that typed it has died"}
	l, _, err = e.Store.Apply(ctx, id, loop.Event{Kind: loop.EventInjected, Injected: loop.Injected{Injection: died}})
	if err != nil {
		e.logInjection(id, "error", err.Error())
		return
	}
	e.logInjected(id, string(l.Injection.Outcome), l.Injection)
	if l.Status == loop.Waiting && l.Rested {
		if err := notify.Later(e.Env, l.ConversationID); err != nil {
			e.logInjection(id, "error", err.Error())
		}
	}
}
