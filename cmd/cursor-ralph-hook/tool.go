package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/owncall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

// response keeps what the assistant said until the next stop. Words that come
// after the stop which ended their loop by a limit are applied to its record.
func (h *handler) response(ctx context.Context) {
	id := h.in.ConversationID
	has := h.hasLoop(ctx, nil)
	if !has && !h.store.Recorded(id) {
		return
	}
	var e hook.AfterAgentResponse
	if err := h.in.Decode(&e); err != nil {
		h.fail(err)
		return
	}
	if has {
		h.record(loop.Record{Kind: loop.RecordText, Text: e.Text})
		if has, err := h.store.Has(id); has || err != nil {
			return
		}
		// It ended meanwhile, perhaps before it saw what was recorded.
	}
	l, action, err := h.store.Apply(ctx, id, loop.Event{
		Kind: loop.EventLateText, Generation: e.GenerationID, Turn: loop.Turn{Texts: []string{e.Text}},
	})
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		h.fail(err)
	case err == nil && action.Why != "":
		h.decided(l, action)
		h.verifyLater(l)
	}
}

// tool counts a finished tool call, and binds the pending file that a call of
// cursor-ralph tells about. Of the two events of a shell call only
// postToolUse counts.
func (h *handler) tool(ctx context.Context) {
	has := h.hasLoop(ctx, nil)
	mayBind := h.in.Contains(pending.TokenLine)
	if !has && !mayBind {
		return
	}
	call, err := h.call()
	if err != nil {
		h.fail(err)
		return
	}
	if mayBind {
		h.bind(ctx, call, has)
	}
	if has && h.in.EventName != hook.EventAfterShellExecution {
		h.record(call.record())
	}
}

// record adds a line to the loop's journal.
func (h *handler) record(r loop.Record) {
	r.At, r.Generation = h.now(), h.in.GenerationID
	if err := h.store.Record(h.in.ConversationID, r); err != nil {
		h.fail(err)
	}
}

// call is a finished tool call, whatever event told of it.
type call struct {
	id, tool, command, file, output, failure string
	exit                                     int // of a command, where the output tells
}

func (h *handler) call() (call, error) {
	switch h.in.EventName {
	case hook.EventAfterShellExecution:
		var e hook.AfterShellExecution
		err := h.in.Decode(&e)
		return call{command: e.Command, output: e.Output}, err
	case hook.EventPostToolUse:
		var e hook.PostToolUse
		err := h.in.Decode(&e)
		c := call{id: e.ToolUseID, tool: e.ToolName, output: hook.Text(e.ToolOutput)}
		c.input(e.ToolInput)
		c.result()
		return c, err
	}
	var e hook.PostToolUseFailure
	err := h.in.Decode(&e)
	c := call{id: e.ToolUseID, tool: e.ToolName, failure: e.ErrorMessage}
	c.input(e.ToolInput)
	return c, err
}

// input finds the command and the file in a tool's input, whose field names
// are the tool's own.
func (c *call) input(raw json.RawMessage) {
	var in struct {
		Command    string `json:"command"`
		FilePath   string `json:"file_path"`
		TargetFile string `json:"target_file"`
		Path       string `json:"path"`
	}
	_ = json.Unmarshal([]byte(hook.Text(raw)), &in) // a tool without these fields is a tool all the same
	c.command = in.Command
	for _, file := range []string{in.FilePath, in.TargetFile, in.Path} {
		if c.file == "" {
			c.file = file
		}
	}
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
		c.failure = failureLine(c.command, c.exit, out.Output)
	}
}

// failureLine is the same for a command that fails in the same way.
func failureLine(command string, exit int, output string) string {
	command, _, _ = strings.Cut(strings.TrimSpace(command), "\n")
	output = strings.TrimSpace(output)
	last := output[strings.LastIndexByte(output, '\n')+1:]
	return fmt.Sprintf("%.*s exited with %d: %.*s", keptWords, command, exit, keptWords, last)
}

// keptWords is how much of a command, and of what it said, is part of an error
// line, in characters.
const keptWords = 200

func (c call) record() loop.Record {
	r := loop.Record{Kind: loop.RecordTool, ID: c.id, Tool: c.tool, Error: c.failure, Own: c.own()}
	if c.failure != "" {
		r.Command = fmt.Sprintf("%.*s", keptWords, c.command)
	}
	if c.writes() && c.failure == "" {
		r.File = c.file
	}
	return r
}

// own tells whether the call ran cursor-ralph or wrote our files: no work for
// the task.
func (c call) own() bool {
	if !c.writes() {
		return owncall.Is(c.command, "")
	}
	return owncall.Is(c.command, c.file)
}

func (c call) writes() bool {
	tool := strings.ToLower(c.tool)
	return slices.ContainsFunc([]string{"write", "edit", "replace", "delete", "patch"}, func(verb string) bool {
		return strings.Contains(tool, verb)
	})
}
