package onevent

import (
	"context"
	"encoding/json"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/selfcall"
	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// response keeps what the assistant said until the next stop. Words that come
// after the stop which ended their loop by a limit are applied to its record.
func (h *handler) response(ctx context.Context) {
	id := h.in.ConversationID
	has := h.hasLoop(ctx, nil) || h.hasLost(ctx)
	if !has && !h.store.HasFile(id) {
		return
	}
	var e hook.AfterAgentResponse
	if err := h.in.Decode(&e); err != nil {
		h.fail(err)
		return
	}
	if has {
		h.record(loop.Record{Kind: loop.RecordText, Text: e.Text, Tokens: tokens(e.Usage)})
		if has, err := h.store.Has(id); has || err != nil {
			return
		}
		// It ended meanwhile, perhaps before it saw what was recorded.
	}
	l, action, err := h.store.Apply(ctx, id, loop.Event{
		Kind: loop.EventLateText, Generation: e.GenerationID, Turn: loop.Turn{Texts: []string{e.Text}},
	})
	h.failUnlessGone(err)
	if err == nil && action.Reason != "" {
		h.logDecision(l, action)
	}
}

// tokens are those that an event reports, nil if it reports none.
func tokens(u hook.Usage) *loop.Tokens {
	return loop.TokensOf(int64(u.InputTokens), int64(u.OutputTokens), int64(u.CacheReadTokens), int64(u.CacheWriteTokens))
}

// tool counts a finished tool call.
func (h *handler) tool(ctx context.Context) {
	if !h.hasLoop(ctx, nil) && !h.hasLost(ctx) {
		return
	}
	call, err := h.call()
	if err != nil {
		h.fail(err)
		return
	}
	h.record(call.record())
}

// record adds a line to the loop's journal.
func (h *handler) record(r loop.Record) {
	r.At, r.Generation, r.Event, r.Entry = h.now(), h.in.GenerationID, loop.HashEvent(h.bytes()), loop.HashEvent([]byte(h.caller().Name))
	h.failIf(h.store.AddToJournal(h.in.ConversationID, r))
}

// call is a finished tool call, whichever event reported it.
type call struct {
	tool, command, file, output, failure string
	exit                                 int // of a command, where the output tells
}

func (h *handler) call() (call, error) {
	switch h.in.EventName {
	case hook.EventPostToolUse:
		var e hook.PostToolUse
		err := h.in.Decode(&e)
		c := call{tool: e.ToolName, output: hook.Text(e.ToolOutput)}
		c.input(e.ToolInput)
		c.result()
		return c, err
	}
	var e hook.PostToolUseFailure
	err := h.in.Decode(&e)
	c := call{tool: e.ToolName, output: e.ErrorMessage, failure: e.ErrorMessage}
	c.input(e.ToolInput)
	if c.command != "" { // Cursor's CLI reports a command with a non-zero exit so (reported)
		c.failure = toolcall.Failed(c.command, e.ErrorMessage)
		c.result()
	}
	return c, err
}

func (c *call) input(raw json.RawMessage) {
	in := toolcall.ReadInput([]byte(hook.Text(raw)))
	c.command, c.file = in.Command, in.File
}

// result finds the exit code of a shell command, which Cursor reports as a tool
// that succeeded (seen), and what the command said last.
func (c *call) result() {
	var out struct {
		ExitCode int    `json:"exitCode"`
		Snake    int    `json:"exit_code"`
		Output   string `json:"output"`
	}
	if c.command == "" || json.Unmarshal([]byte(c.output), &out) != nil {
		return
	}
	if c.exit = out.ExitCode; c.exit == 0 {
		c.exit = out.Snake
	}
	if c.exit != 0 {
		c.failure = toolcall.ExitError(c.command, c.exit, out.Output)
	}
}

func (c call) record() loop.Record {
	r := loop.Record{Kind: loop.RecordTool, Tool: c.tool, Error: c.failure, Own: c.own()}
	if c.failure != "" {
		r.Command = toolcall.Head(c.command)
	}
	if toolcall.Writes(c.tool) && c.failure == "" {
		r.File = c.file
	}
	return r
}

// own reports whether the call ran cursor-ralph or wrote our files: no work for
// the task.
func (c call) own() bool {
	if !toolcall.Writes(c.tool) {
		return selfcall.Is(c.command, "")
	}
	return selfcall.Is(c.command, c.file)
}
