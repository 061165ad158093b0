// Cursor-ralph-hook is what Cursor runs on its agent events. It reads one
// event from standard input, answers with one JSON object and exits 0,
// whatever happens: it never breaks the editor.
//
// Usage, in hooks.json:
//
//	cursor-ralph-hook [--session-limit N|none|auto] [--minimal] [--timeout SECONDS] [--no-notify]
//		[--injectors LIST] [--focus-keys KEYS] [--type-unchecked]
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func main() {
	run(os.Args[1:], inTime{os.Stdin, time.Now().Add(deadline)}, os.Stdout, os.Getenv, time.Now)
}

// deadline is how long one event may take, waiting for locks and for a text
// that is late included.
const deadline = 4500 * time.Millisecond

// run handles one event. Its one object on stdout is written last, so that a
// panic anywhere before still leaves the editor with an answer.
func run(args []string, stdin io.Reader, stdout io.Writer, getenv func(string) string, now func() time.Time) {
	h := &handler{now: now, getenv: getenv}
	var answer any
	defer func() {
		if p := recover(); p != nil {
			answer = nil
			h.fail(fmt.Errorf("panic: %v", p))
		}
		if err := hook.Write(stdout, answer); err != nil {
			h.fail(err)
		}
	}()
	ctx := &patience{until: time.Now().Add(deadline)}
	in, err := read(stdin)
	h.in = in
	if err = errors.Join(h.open(args), err); err != nil {
		h.fail(err)
		answer = h.unheard(err)
		return
	}
	answer = h.handle(ctx)
}

// read makes an error of a panic, so that the plan guard answers it like any
// other event that cannot be read.
func read(stdin io.Reader) (in hook.Input, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return hook.Read(stdin)
}

// handler is one event and what is needed to handle it.
type handler struct {
	in     hook.Input
	flags  flags
	places platform.Places
	store  *state.Store
	box    *pending.Box
	now    func() time.Time
	getenv func(string) string

	composer string // the mode of Cursor's composer, as a message tells it
}

func (h *handler) open(args []string) error {
	var flagsErr error
	h.flags, flagsErr = parseFlags(args)
	places, err := platform.Find(h.getenv)
	h.places = places // with an error perhaps not all of them, but the log
	if flagsErr != nil {
		h.fail(flagsErr) // the defaults stand
	}
	h.store, h.box = state.New(places, h.now), pending.New(places, h.now)
	return err
}

// handle gives the answer to an event, nil for {}.
func (h *handler) handle(ctx context.Context) any {
	if h.getenv("CURSOR_RALPH_RUN") != "" {
		return nil // the agent is one of cursor-ralph run, which drives it
	}
	switch h.in.EventName {
	case hook.EventStop, hook.EventBeforeSubmitPrompt, hook.EventAfterAgentResponse,
		hook.EventPreToolUse, hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventAfterShellExecution:
	default:
		return nil
	}
	if err := loop.CheckID(h.in.ConversationID); err != nil {
		h.fail(err)
		return nil
	}
	switch h.in.EventName {
	case hook.EventStop:
		return h.stop(ctx)
	case hook.EventBeforeSubmitPrompt:
		return h.prompt(ctx)
	case hook.EventPreToolUse:
		return h.guard(ctx)
	case hook.EventAfterAgentResponse:
		h.response(ctx)
	default:
		h.tool(ctx)
	}
	return nil
}

// hasLoop tells whether the conversation has a live loop, after it claimed one
// that waits for it. At a stop that is the event, else nil.
func (h *handler) hasLoop(ctx context.Context, stop *loop.Event) bool {
	has, err := h.store.Has(h.in.ConversationID)
	if err != nil {
		h.fail(err)
		return false
	}
	return has || h.claim(ctx, stop)
}

// log writes one line about a decision. A log that cannot be written must not
// keep the editor from its answer, and there is nowhere else to tell it.
func (h *handler) log(l hooklog.Line) {
	if h.places.Base == "" {
		return
	}
	l.At, l.Conversation, l.Event = h.now(), h.in.ConversationID, h.in.EventName
	_ = hooklog.Append(h.places.Log(), l)
}

func (h *handler) fail(err error) {
	h.log(hooklog.Line{Action: "error", Why: err.Error()})
}

// decided logs what became of an event of a loop.
func (h *handler) decided(l loop.State, a loop.Action) {
	action := string(a.Kind)
	switch {
	case l.Status.Ended():
		action = string(l.Status)
	case a.Kind == loop.Rest:
		action = "rest"
	}
	h.log(hooklog.Line{Iteration: l.Iterations, Max: l.MaxIterations, Promise: a.Promise, Action: action, Why: a.Why})
}
