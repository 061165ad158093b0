package main

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// guard watches over the process that started it, while that types, and serves
// what it leaves on the clipboard.
func guard(ctx context.Context, e *env, args []string) error {
	if len(args) == 2 {
		if err := loop.CheckID(args[0]); err != nil {
			return misuse(err.Error(), "`cursor-ralph list` shows the ids")
		}
	}
	return keystroke.Guard(e.stdin, e.stdout, e.getenv, func() {
		if len(args) == 2 {
			e.typerDied(ctx, args[0], args[1])
		}
	})
}

// typerDied reports an injection whose process was killed, by whomever, unless it
// was over by then.
func (e *env) typerDied(ctx context.Context, id, injection string) {
	l, err := e.store.Read(id)
	if err != nil || l.Injection.ID != injection || !l.Injection.Open(e.now()) {
		return
	}
	died := loop.Injection{ID: injection, Outcome: "the process that typed it has died"}
	l, _, err = e.store.Apply(ctx, id, loop.Event{Kind: loop.EventInjected, Injection: died})
	if err != nil {
		e.logInjection(id, "error", err.Error())
		return
	}
	e.logInjection(id, "injected", l.Injection.Outcome)
	if l.Status == loop.Waiting && l.Rested && e.mayNotify() {
		_ = e.showNotification(l) // it has told the log
	}
}
