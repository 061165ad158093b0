package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// wherever returns the loop of a conversation, or of that to which its line moved it.
func (e *env) wherever(id string) (loop.State, error) {
	l, err := e.Loops.Recorded(id)
	if moved := (*state.MovedError)(nil); errors.As(err, &moved) {
		return e.Loops.Recorded(moved.To)
	}
	return l, err
}

// report writes down how it went, and where it did not work has the user type
// the line.
func (e *env) report(ctx context.Context, id, injection string, o keystroke.Outcome, took time.Duration) error {
	done := loop.Delivery{ID: injection, Outcome: loop.Arrived, Method: o.Method(), Milliseconds: took.Milliseconds()}
	for _, t := range o.Tries {
		if t.Err != nil {
			done.Tries = append(done.Tries, t.Name+": "+t.Err.Error())
		}
	}
	failed := o.Err()
	if failed != nil {
		done.Outcome = loop.Outcome(strings.ReplaceAll(failed.Error(), "\n", "; "))
	}
	event := loop.Event{Kind: loop.EventInjected, Injected: loop.Injected{Line: done}}
	l, _, err := e.Store.Apply(ctx, id, event)
	if moved := (*state.MovedError)(nil); errors.As(err, &moved) {
		l, _, err = e.Store.Apply(ctx, moved.To, event)
	}
	if err != nil {
		return errors.Join(err, failed)
	}
	if i, ok := l.LineOf(injection); ok {
		done = i // what was seen of it counts
	}
	why := string(done.Outcome)
	if done.Method != "" {
		why = fmt.Sprintf("%s in %d ms: %s", done.Method, done.Milliseconds, why)
	}
	e.logInjected(id, why, done)
	if done.Outcome == loop.Arrived {
		return e.Say("typed by %s, and arrived", done.Method)
	}
	if l.Status == loop.Waiting && l.Idle && l.Delivery.ID == injection {
		e.handOver(l)
	}
	return hint.New("the line did not arrive: "+string(done.Outcome), "send it yourself: "+loop.ContinueLine(l.ShortID())+"\nor open "+loop.PromptLink(l.ShortID()))
}

// handOver tells the user, who has to send the line.
func (e *env) handOver(l loop.State) {
	if err := notify.Later(e.Env, l.ConversationID); err != nil {
		e.Log(hooklog.Line{Conversation: l.ConversationID, Event: "notify", Action: "error", Why: err.Error()})
	}
}

func (e *env) logInjection(id, action, why string) {
	e.Log(hooklog.Line{Conversation: id, Event: "inject", Action: action, Why: why})
}

func (e *env) logInjected(id, why string, i loop.Delivery) {
	reason := loop.ReasonFailed
	if i.Outcome == loop.Arrived {
		reason = loop.ReasonPassed
	}
	e.Log(hooklog.Line{Conversation: id, Event: "inject", Action: "injected", Reason: reason, Why: why})
}
