package hook

import "encoding/json"

// Permission is what a PermissionAnswer decides. The zero value leaves the
// decision to Cursor.
type Permission string

// The permissions (documented).
const (
	Allow Permission = "allow" // even where Cursor would have asked the user (reported)
	Deny  Permission = "deny"
	Ask   Permission = "ask" // ask the user
)

// StopAnswer answers Stop and SubagentStop. The zero answer lets the agent stop.
type StopAnswer struct {
	// FollowupMessage, if not empty, is submitted as the next user message. If
	// several hooks send one, the last wins (seen).
	FollowupMessage string `json:"followup_message,omitempty"`
}

// BeforeSubmitPromptAnswer answers BeforeSubmitPrompt. The zero answer lets the
// message through; see [Block] for the opposite.
type BeforeSubmitPromptAnswer struct {
	// Continue, if it points to false, blocks the message.
	Continue    *bool  `json:"continue,omitempty"`
	UserMessage string `json:"user_message,omitempty"` // shown to the user if the message is blocked
	// AdditionalContext is added to the message (seen in the CLI of September 2026,
	// not documented). Cursor drops it if it is longer than 10,000 characters
	// (reported).
	AdditionalContext string `json:"additional_context,omitempty"`
}

// Block returns the answer that keeps the user's message from being sent and
// shows the user why.
func Block(message string) BeforeSubmitPromptAnswer {
	return BeforeSubmitPromptAnswer{Continue: new(bool), UserMessage: message}
}

// PermissionAnswer answers the events that come before an action:
// PreToolUse, BeforeShellExecution, BeforeMCPExecution, BeforeReadFile,
// BeforeTabFileRead and SubagentStart. The zero answer has no opinion.
type PermissionAnswer struct {
	// Ask works only before shell commands and MCP tools (documented).
	Permission   Permission `json:"permission,omitempty"`
	UserMessage  string     `json:"user_message,omitempty"`
	AgentMessage string     `json:"agent_message,omitempty"`
	// UpdatedInput replaces the tool's input, in PreToolUse only (documented).
	UpdatedInput json.RawMessage `json:"updated_input,omitempty"`
}

// ToolAnswer answers PostToolUse and PostToolUseFailure.
type ToolAnswer struct {
	// AdditionalContext goes to the model with the tool's result. Cursor drops it
	// if it is longer than 10,000 characters (reported).
	AdditionalContext string `json:"additional_context,omitempty"`
	// UpdatedMCPToolOutput replaces the result of an MCP tool, in PostToolUse only
	// (documented).
	UpdatedMCPToolOutput json.RawMessage `json:"updated_mcp_tool_output,omitempty"`
}

// SessionStartAnswer answers SessionStart.
type SessionStartAnswer struct {
	// Env is the environment of the conversation's later hooks.
	Env map[string]string `json:"env,omitempty"`
	// AdditionalContext goes to the model at the start of the conversation. Cursor
	// takes at most 10,000 characters (reported).
	AdditionalContext string `json:"additional_context,omitempty"`
}

// PreCompactAnswer answers PreCompact.
type PreCompactAnswer struct {
	UserMessage string `json:"user_message,omitempty"` // shown to the user
}

// WorkspaceOpenAnswer answers WorkspaceOpen.
type WorkspaceOpenAnswer struct {
	PluginPaths []string `json:"pluginPaths,omitempty"` // folders of plugins to load (documented)
}
