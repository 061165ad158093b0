package hook

import "encoding/json"

// The values of PermissionAnswer.Permission.
const (
	Allow = "allow" // also where Cursor would have asked the user (reported)
	Deny  = "deny"
	Ask   = "ask"
)

// StopAnswer answers Stop and SubagentStop. The zero answer lets it stop.
type StopAnswer struct {
	// FollowupMessage, if not empty, is submitted as the next user message. Of
	// several hooks that give one the last wins (seen).
	FollowupMessage string `json:"followup_message,omitempty"`
}

// BeforeSubmitPromptAnswer answers BeforeSubmitPrompt. The zero answer lets the
// message go.
type BeforeSubmitPromptAnswer struct {
	// Continue, if it points to false, keeps the message from being sent.
	Continue    *bool  `json:"continue,omitempty"`
	UserMessage string `json:"user_message,omitempty"` // shown to the user when the message is kept back
	// AdditionalContext is added to the message (seen in the CLI of September 2026,
	// not documented). More than 10,000 characters are dropped altogether (reported).
	AdditionalContext string `json:"additional_context,omitempty"`
}

// PermissionAnswer answers the events that come before something is done:
// PreToolUse, BeforeShellExecution, BeforeMCPExecution, BeforeReadFile,
// BeforeTabFileRead and SubagentStart. The zero answer has no opinion.
type PermissionAnswer struct {
	// Permission is Allow, Deny or Ask. Ask means something only before shell
	// commands and MCP tools (documented).
	Permission   string `json:"permission,omitempty"`
	UserMessage  string `json:"user_message,omitempty"`
	AgentMessage string `json:"agent_message,omitempty"`
	// UpdatedInput replaces the tool's input, in PreToolUse only (documented).
	UpdatedInput json.RawMessage `json:"updated_input,omitempty"`
}

// ToolAnswer answers PostToolUse and PostToolUseFailure.
type ToolAnswer struct {
	// AdditionalContext is told to the model with the tool's result. More than
	// 10,000 characters are dropped altogether (reported).
	AdditionalContext string `json:"additional_context,omitempty"`
	// UpdatedMCPToolOutput replaces the result of an MCP tool, in PostToolUse only
	// (documented).
	UpdatedMCPToolOutput json.RawMessage `json:"updated_mcp_tool_output,omitempty"`
}

// SessionStartAnswer answers SessionStart.
type SessionStartAnswer struct {
	// Env is the environment of the conversation's later hooks.
	Env map[string]string `json:"env,omitempty"`
	// AdditionalContext is told to the model at the start of the conversation, at
	// most 10,000 characters (reported).
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
