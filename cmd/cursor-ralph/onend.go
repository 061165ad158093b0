package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/gate"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/notice"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

const (
	onEndLimit = time.Minute            // for the command
	lateText   = 2 * time.Second        // for words that arrive after a limit, and may change how the loop ended
	endPoll    = 100 * time.Millisecond // how often to look for them
)

// onEnd runs the command of --on-end of a loop that has ended, at most once for each end: whoever is first notes that it does.
// Several processes may have seen the end.
func onEnd(ctx context.Context, e *env, args []string) error {
	if len(args) != 2 {
		return hint.Misuse("on-end takes a conversation and a loop", "the hook runs this")
	}
	if err := loop.CheckID(args[0]); err != nil {
		return hint.Misuse(err.Error(), "`cursor-ralph list` shows the ids")
	}
	e.settle(ctx, args[0], args[1])
	l, first, err := e.Store.TakeEnd(ctx, args[0], args[1])
	switch {
	case errors.Is(err, fs.ErrNotExist): // it goes on
		return nil
	case err != nil:
		e.logOnEnd(l, args[0], "error", err.Error())
		return err
	case !first:
		return nil
	}
	e.logOnEnd(l, args[0], "on-end", e.runOnEnd(ctx, l))
	return nil
}

// settle waits until it is certain how the loop ended: a promise may come after a limit.
func (e *env) settle(ctx context.Context, conversation, id string) {
	for {
		l, err := e.Store.AtEnd(conversation, id)
		if err != nil || !e.mayChange(l) || proc.Sleep(ctx, endPoll) != nil {
			return
		}
	}
}

func (e *env) mayChange(l loop.State) bool {
	since := e.Now().Sub(l.EndedAt)
	switch l.Status {
	case loop.MaxIterations, loop.MaxDuration, loop.MaxTokens:
		return !l.Outer() && since >= 0 && since < lateText
	}
	return false
}

// runOnEnd runs the command, and returns in words how it went. Its output is discarded.
func (e *env) runOnEnd(ctx context.Context, l loop.State) string {
	folder, err := gate.Enter(l)
	if err != nil { // elsewhere it might do harm
		return "it did not run: " + err.Error()
	}
	defer folder.Leave()
	limited, cancel := context.WithTimeout(ctx, onEndLimit)
	defer cancel()
	began := time.Now()
	exit, err := notice.Command{Text: l.OnEnd, Dir: folder.Dir(), Shell: e.UserShell(), Self: string(cli.Self()), Env: os.Environ(), Input: render.Record(e.Env, l)}.Run(limited)
	took := text.Duration(time.Since(began))
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		return "it did not end within " + text.Exactly(onEndLimit) + " and was killed"
	case err != nil:
		return "it could not be run to its end: " + err.Error()
	}
	return fmt.Sprintf("exit %d after %s", exit, took)
}

func (e *env) logOnEnd(l loop.State, conversation, action, why string) {
	e.Log(hooklog.Line{Conversation: conversation, Loop: l.ID, Event: "on-end", Action: action, Why: why})
}
