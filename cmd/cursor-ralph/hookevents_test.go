package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// Our reading of the wire has a field for all that a sample has.
func TestSamplesDecode(t *testing.T) {
	into := map[string]any{
		"beforeShellExecution": &hook.BeforeShellExecution{}, "afterShellExecution": &hook.AfterShellExecution{},
		"beforeMCPExecution": &hook.BeforeMCPExecution{}, "afterMCPExecution": &hook.AfterMCPExecution{},
		"beforeReadFile": &hook.BeforeReadFile{}, "afterFileEdit": &hook.AfterFileEdit{},
		"beforeTabFileRead": &hook.BeforeTabFileRead{}, "afterTabFileEdit": &hook.AfterTabFileEdit{},
		"stop": &hook.Stop{}, "beforeSubmitPrompt": &hook.BeforeSubmitPrompt{},
		"afterAgentResponse": &hook.AfterAgentResponse{}, "afterAgentThought": &hook.AfterAgentThought{},
		"sessionStart": &hook.SessionStart{}, "sessionEnd": &hook.SessionEnd{}, "preCompact": &hook.PreCompact{},
		"subagentStart": &hook.SubagentStart{}, "subagentStop": &hook.SubagentStop{}, "preToolUse": &hook.PreToolUse{},
		"postToolUse": &hook.PostToolUse{}, "postToolUseFailure": &hook.PostToolUseFailure{}, "workspaceOpen": &hook.WorkspaceOpen{},
	}
	for _, s := range simcursor.Samples() {
		strict := json.NewDecoder(bytes.NewReader(s.Payload))
		strict.DisallowUnknownFields()
		if err := strict.Decode(into[s.Event]); err != nil {
			t.Errorf("%s: %v", s.Event, err)
		}
		in, err := hook.Read(bytes.NewReader(s.Payload))
		if err == nil {
			err = in.Decode(into[s.Event])
		}
		if err != nil || in.EventName != s.Event {
			t.Errorf("%s: got %q, %v", s.Event, in.EventName, err)
		}
	}
}
