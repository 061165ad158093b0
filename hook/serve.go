package hook

import (
	"errors"
	"fmt"
	"io"
)

// Handlers holds a function for each event you care about; an event without one is
// answered {}.
type Handlers struct {
	SessionStart       func(SessionStart) SessionStartAnswer
	SessionEnd         func(SessionEnd)
	BeforeSubmitPrompt func(BeforeSubmitPrompt) BeforeSubmitPromptAnswer
	AfterAgentResponse func(AfterAgentResponse)
	AfterAgentThought  func(AfterAgentThought)
	Stop               func(Stop) StopAnswer
	PreCompact         func(PreCompact) PreCompactAnswer
	SubagentStart      func(SubagentStart) PermissionAnswer
	SubagentStop       func(SubagentStop) StopAnswer
	WorkspaceOpen      func(WorkspaceOpen) WorkspaceOpenAnswer

	PreToolUse           func(PreToolUse) PermissionAnswer
	PostToolUse          func(PostToolUse) ToolAnswer
	PostToolUseFailure   func(PostToolUseFailure) ToolAnswer
	BeforeShellExecution func(BeforeShellExecution) PermissionAnswer
	AfterShellExecution  func(AfterShellExecution)
	BeforeMCPExecution   func(BeforeMCPExecution) PermissionAnswer
	AfterMCPExecution    func(AfterMCPExecution)
	BeforeReadFile       func(BeforeReadFile) PermissionAnswer
	AfterFileEdit        func(AfterFileEdit)
	BeforeTabFileRead    func(BeforeTabFileRead) PermissionAnswer
	AfterTabFileEdit     func(AfterTabFileEdit)
}

// Serve reads one event from r, calls its handler and writes the answer to w. It
// always writes exactly one JSON object, {} if anything goes wrong or the handler
// panics, and returns what went wrong. The program should exit 0 even then: exit
// code 2 forbids the action, and other codes discard the answer.
func Serve(r io.Reader, w io.Writer, h Handlers) (err error) {
	var answer any
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("hook handler: panic: %v", p)
		}
		err = errors.Join(err, Write(w, answer))
	}()
	in, err := Read(r)
	if err != nil {
		return err
	}
	answer, err = h.call(in)
	return err
}

// call calls the handler of an event that takes an answer, or else observes it.
func (h Handlers) call(in Input) (any, error) {
	switch in.EventName {
	case EventSessionStart:
		return ask(in, h.SessionStart)
	case EventBeforeSubmitPrompt:
		return ask(in, h.BeforeSubmitPrompt)
	case EventStop:
		return ask(in, h.Stop)
	case EventPreCompact:
		return ask(in, h.PreCompact)
	case EventSubagentStart:
		return ask(in, h.SubagentStart)
	case EventSubagentStop:
		return ask(in, h.SubagentStop)
	case EventWorkspaceOpen:
		return ask(in, h.WorkspaceOpen)
	case EventPreToolUse:
		return ask(in, h.PreToolUse)
	case EventPostToolUse:
		return ask(in, h.PostToolUse)
	case EventPostToolUseFailure:
		return ask(in, h.PostToolUseFailure)
	case EventBeforeShellExecution:
		return ask(in, h.BeforeShellExecution)
	case EventBeforeMCPExecution:
		return ask(in, h.BeforeMCPExecution)
	case EventBeforeReadFile:
		return ask(in, h.BeforeReadFile)
	case EventBeforeTabFileRead:
		return ask(in, h.BeforeTabFileRead)
	}
	return nil, h.observe(in)
}

// observe calls the handler of an event that takes no answer.
func (h Handlers) observe(in Input) error {
	switch in.EventName {
	case EventSessionEnd:
		return tell(in, h.SessionEnd)
	case EventAfterAgentResponse:
		return tell(in, h.AfterAgentResponse)
	case EventAfterAgentThought:
		return tell(in, h.AfterAgentThought)
	case EventAfterShellExecution:
		return tell(in, h.AfterShellExecution)
	case EventAfterMCPExecution:
		return tell(in, h.AfterMCPExecution)
	case EventAfterFileEdit:
		return tell(in, h.AfterFileEdit)
	case EventAfterTabFileEdit:
		return tell(in, h.AfterTabFileEdit)
	}
	return nil
}

func ask[E, A any](in Input, handle func(E) A) (any, error) {
	if handle == nil {
		return nil, nil
	}
	var event E
	if err := in.Decode(&event); err != nil {
		return nil, err
	}
	return handle(event), nil
}

func tell[E any](in Input, handle func(E)) error {
	if handle == nil {
		return nil
	}
	var event E
	if err := in.Decode(&event); err != nil {
		return err
	}
	handle(event)
	return nil
}
