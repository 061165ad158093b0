// Cursor-ralph-hook is what Cursor runs on its agent events. It reads one
// event from standard input, answers with one JSON object and exits 0,
// whatever happens: it never breaks the editor.
//
// Usage, in hooks.json:
//
//	cursor-ralph-hook [--session-limit N|none|auto] [--minimal] [--timeout SECONDS] [--linger D] [--no-notify]
//		[--injectors LIST] [--focus-keys KEYS] [--submit-key KEY] [--type-unchecked]
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func main() {
	run(os.Args[1:], inTime{os.Stdin, time.Now().Add(deadline)}, output{os.Stdout}, os.Getenv, time.Now)
}

// deadline is how long one event may take, waiting for locks and for a text
// that is late included.
const deadline = 4500 * time.Millisecond

// longest is how long one event may take with everything, writing the answer and
// staying after it included; a verification comes on top.
const longest = 5 * time.Second

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
		if err := hook.Deliver(stdout, answer, h.linger()); err != nil {
			h.fail(err)
		}
		h.watch()
		h.onEnd()
		h.prune()
	}()
	ctx := &h.patience
	h.renew()
	in, err := read(stdin)
	for i, root := range in.WorkspaceRoots {
		in.WorkspaceRoots[i] = platform.Folder(runtime.GOOS, root)
	}
	h.in = in
	if err = errors.Join(h.open(args), err); err != nil {
		h.fail(err)
		answer = h.unhandled(err)
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

	composer string       // the mode of Cursor's composer, as a message tells it
	patience patience     // of the editor, with this event
	end      time.Time    // of this process, at the latest
	watched  bool         // a loop goes on now: the watcher must run
	ended    bool         // a loop has ended: old records may go
	over     []loop.State // those that have ended and have an OnEnd
}

// renew starts the time of the event again.
func (h *handler) renew() {
	h.patience.renew(time.Now().Add(deadline))
	h.end = time.Now().Add(longest)
}

// linger is how long to stay after an answer, as far as there is time.
func (h *handler) linger() time.Duration {
	return max(0, min(h.flags.linger, time.Until(h.end)-writeWait))
}

func (h *handler) open(args []string) error {
	flags, unread := parseFlags(args)
	places, err := platform.Find(h.getenv)
	h.flags, h.places = flags, places // with an error perhaps not all of them, but the log
	h.failIf(unread)                  // the defaults stand
	h.store = state.New(places, h.now)
	h.store.Ended = func(l loop.State) { h.over = append(h.over, l) }
	h.box = pending.New(places, h.store, h.now)
	return err
}

// handle returns the answer to an event, nil for {}.
func (h *handler) handle(ctx context.Context) any {
	if h.getenv("CURSOR_RALPH_RUN") != "" {
		return nil // the agent is one of cursor-ralph run, which drives it
	}
	switch h.in.EventName {
	case hook.EventStop, hook.EventBeforeSubmitPrompt, hook.EventAfterAgentResponse,
		hook.EventPreToolUse, hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventAfterShellExecution, hook.EventPreCompact:
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
	case hook.EventPreCompact:
		h.compact(ctx)
	default:
		h.tool(ctx)
	}
	return nil
}

// log writes one line about a decision. A log that cannot be written must not
// keep the editor from its answer, and there is nowhere else to tell it.
func (h *handler) log(l hooklog.Line) {
	if h.places.Base == "" {
		return
	}
	l.At, l.Event = h.now(), h.in.EventName
	if l.Conversation == "" {
		l.Conversation = h.in.ConversationID
	}
	_ = hooklog.Append(h.places.Log(), l)
}

func (h *handler) fail(err error) {
	h.log(hooklog.Line{Action: "error", Why: err.Error()})
}

func (h *handler) failIf(err error) {
	if err != nil {
		h.fail(err)
	}
}

// failUnlessGone is failIf where the loop may have ended, or gone elsewhere.
func (h *handler) failUnlessGone(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		h.failIf(err)
	}
}

// logDecision logs what became of an event of a loop, and notes whether it has ended.
func (h *handler) logDecision(l loop.State, a loop.Action) {
	action := string(a.Kind)
	switch {
	case l.Status.Ended():
		action, h.ended = string(l.Status), true
	case a.Kind == loop.Rest:
		action = "rest"
	}
	h.log(hooklog.Line{Conversation: l.ConversationID, Loop: l.ShortID(), Iteration: a.Iteration, Max: l.MaxIterations, Promise: a.Promise, Action: action, Reason: a.Reason, Why: a.Why()})
	if a.Warning != "" {
		h.log(hooklog.Line{Conversation: l.ConversationID, Loop: l.ShortID(), Iteration: a.Iteration, Max: l.MaxIterations, Action: "warning", Why: a.Warning})
	}
}

// writeWait is how long the editor may take to make room for an answer.
const writeWait = 200 * time.Millisecond

var errUnread = errors.New("nobody reads standard output")

// output is standard output, of an editor that may stop reading, or be gone:
// then writing is an error after a moment, and neither a signal nor a wait.
type output struct {
	file *os.File
}

// Close makes the end of the answer known.
func (o output) Close() error { return o.file.Close() }
