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
	if handle := h.byEvent()[in.EventName]; handle != nil {
		out, err = handle(in)
	}
	return err
}

// byEvent returns what decodes an event and calls its handler.
func (h Handlers) byEvent() map[string]func(Input) (any, error) {
	return map[string]func(Input) (any, error){
		EventSessionStart:         answer(h.SessionStart),
		EventSessionEnd:           observe(h.SessionEnd),
		EventBeforeSubmitPrompt:   answer(h.BeforeSubmitPrompt),
		EventAfterAgentResponse:   observe(h.AfterAgentResponse),
		EventAfterAgentThought:    observe(h.AfterAgentThought),
		EventStop:                 answer(h.Stop),
		EventPreCompact:           answer(h.PreCompact),
		EventSubagentStart:        answer(h.SubagentStart),
		EventSubagentStop:         answer(h.SubagentStop),
		EventWorkspaceOpen:        answer(h.WorkspaceOpen),
		EventPreToolUse:           answer(h.PreToolUse),
		EventPostToolUse:          answer(h.PostToolUse),
		EventPostToolUseFailure:   answer(h.PostToolUseFailure),
		EventBeforeShellExecution: answer(h.BeforeShellExecution),
		EventAfterShellExecution:  observe(h.AfterShellExecution),
		EventBeforeMCPExecution:   answer(h.BeforeMCPExecution),
		EventAfterMCPExecution:    observe(h.AfterMCPExecution),
		EventBeforeReadFile:       answer(h.BeforeReadFile),
		EventAfterFileEdit:        observe(h.AfterFileEdit),
		EventBeforeTabFileRead:    answer(h.BeforeTabFileRead),
		EventAfterTabFileEdit:     observe(h.AfterTabFileEdit),
	}
}

// answer returns nil where there is no handler.
func answer[E, A any](handle func(E) A) func(Input) (any, error) {
	if handle == nil {
		return nil
	}
	return func(in Input) (any, error) {
		var event E
		if err := in.Decode(&event); err != nil {
			return nil, err
		}
		return handle(event), nil
	}
}

func observe[E any](handle func(E)) func(Input) (any, error) {
	if handle == nil {
		return nil
	}
	return answer(func(event E) any { handle(event); return nil })
}
