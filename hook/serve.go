package hook

import (
	"errors"
	"fmt"
	"io"
)

// Handlers has a function for each event. An event without one is answered {}.
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
// always reads r to its end and writes exactly one JSON object.
//
// If the handler panics, or anything else goes wrong, the answer is {}, which
// changes nothing, and Serve returns an error that says what happened. Exit 0 even
// then: exit code 2 denies the action, which only a guard that must not fail open
// wants, and any other code discards the answer.
func Serve(r io.Reader, w io.Writer, h Handlers) (err error) {
	var out any
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("hook handler: panic: %v", p)
		}
		err = errors.Join(err, Write(w, out))
	}()
	in, err := Read(r)
	if err != nil {
		return err
	}
	out, err = h.call(in)
	return err
}

// call runs the event's handler, if there is one.
func (h Handlers) call(in Input) (any, error) {
	switch in.EventName {
	case EventSessionStart:
		return answer(in, h.SessionStart)
	case EventSessionEnd:
		return observe(in, h.SessionEnd)
	case EventBeforeSubmitPrompt:
		return answer(in, h.BeforeSubmitPrompt)
	case EventAfterAgentResponse:
		return observe(in, h.AfterAgentResponse)
	case EventAfterAgentThought:
		return observe(in, h.AfterAgentThought)
	case EventStop:
		return answer(in, h.Stop)
	case EventPreCompact:
		return answer(in, h.PreCompact)
	case EventSubagentStart:
		return answer(in, h.SubagentStart)
	case EventSubagentStop:
		return answer(in, h.SubagentStop)
	case EventWorkspaceOpen:
		return answer(in, h.WorkspaceOpen)
	}
	return h.callTool(in)
}

// callTool runs the handler of an event about a tool or a file.
func (h Handlers) callTool(in Input) (any, error) {
	switch in.EventName {
	case EventPreToolUse:
		return answer(in, h.PreToolUse)
	case EventPostToolUse:
		return answer(in, h.PostToolUse)
	case EventPostToolUseFailure:
		return answer(in, h.PostToolUseFailure)
	case EventBeforeShellExecution:
		return answer(in, h.BeforeShellExecution)
	case EventAfterShellExecution:
		return observe(in, h.AfterShellExecution)
	case EventBeforeMCPExecution:
		return answer(in, h.BeforeMCPExecution)
	case EventAfterMCPExecution:
		return observe(in, h.AfterMCPExecution)
	case EventBeforeReadFile:
		return answer(in, h.BeforeReadFile)
	case EventAfterFileEdit:
		return observe(in, h.AfterFileEdit)
	case EventBeforeTabFileRead:
		return answer(in, h.BeforeTabFileRead)
	case EventAfterTabFileEdit:
		return observe(in, h.AfterTabFileEdit)
	}
	return nil, nil
}

func answer[E, A any](in Input, handle func(E) A) (any, error) {
	if handle == nil {
		return nil, nil
	}
	var event E
	if err := in.Decode(&event); err != nil {
		return nil, err
	}
	return handle(event), nil
}

func observe[E any](in Input, handle func(E)) (any, error) {
	if handle == nil {
		return nil, nil
	}
	return answer(in, func(event E) any { handle(event); return nil })
}
