package hook

import (
	"maps"
	"slices"
)

// The names of the events in hook_event_name and in hooks.json.
const (
	EventBeforeShellExecution = "beforeShellExecution"
	EventAfterShellExecution  = "afterShellExecution"
	EventBeforeMCPExecution   = "beforeMCPExecution"
	EventAfterMCPExecution    = "afterMCPExecution"
	EventBeforeReadFile       = "beforeReadFile"
	EventAfterFileEdit        = "afterFileEdit"
	EventBeforeTabFileRead    = "beforeTabFileRead"
	EventAfterTabFileEdit     = "afterTabFileEdit"
	EventStop                 = "stop"
	EventBeforeSubmitPrompt   = "beforeSubmitPrompt"
	EventAfterAgentResponse   = "afterAgentResponse"
	EventAfterAgentThought    = "afterAgentThought"
	EventSessionStart         = "sessionStart"
	EventSessionEnd           = "sessionEnd"
	EventPreCompact           = "preCompact"
	EventSubagentStart        = "subagentStart"
	EventSubagentStop         = "subagentStop"
	EventPreToolUse           = "preToolUse"
	EventPostToolUse          = "postToolUse"
	EventPostToolUseFailure   = "postToolUseFailure"
	EventWorkspaceOpen        = "workspaceOpen"
)

// Events returns the names of all events known today, sorted. A Cursor that does not know
// an event ignores a hooks.json that names it, as a whole (seen).
func Events() []string { return slices.Sorted(maps.Keys(Handlers{}.byEvent())) }
