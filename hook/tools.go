package hook

import "encoding/json"

// PreToolUse comes before any tool call, and can deny it. It may come twice for one
// call (seen): compare ToolUseID.
type PreToolUse struct {
	Common
	ToolName  string          `json:"tool_name"`   // Shell, Read, Write, Grep, Delete, Task, MCP:<tool> (documented), or another
	ToolInput json.RawMessage `json:"tool_input"`  // an object, or one in a string: see Text
	ToolUseID string          `json:"tool_use_id"` // may contain a newline (seen)
	Cwd       string          `json:"cwd"`         // often empty (seen)
	// AgentMessage is what the agent says it is about to do (documented, not seen).
	AgentMessage string `json:"agent_message"`
}

// PostToolUse comes after a tool call, once.
type PostToolUse struct {
	Common
	ToolName   string          `json:"tool_name"` // as in PreToolUse
	ToolInput  json.RawMessage `json:"tool_input"`
	ToolOutput json.RawMessage `json:"tool_output"` // a string, often with JSON in it, or an object: see Text
	ToolUseID  string          `json:"tool_use_id"`
	Cwd        string          `json:"cwd"`
	Duration   float64         `json:"duration"` // milliseconds, with a fraction (seen)
}

// PostToolUseFailure comes instead of PostToolUse if the tool failed. A shell
// command with a non-zero exit code comes as PostToolUse (seen), or as this in the
// CLI of September 2026 (reported).
type PostToolUseFailure struct {
	Common
	ToolName     string          `json:"tool_name"` // as in PreToolUse
	ToolInput    json.RawMessage `json:"tool_input"`
	ErrorMessage string          `json:"error_message"`
	FailureType  string          `json:"failure_type"` // error, timeout, permission_denied (documented)
	ToolUseID    string          `json:"tool_use_id"`
	Cwd          string          `json:"cwd"`
	Duration     float64         `json:"duration"`     // milliseconds
	IsInterrupt  bool            `json:"is_interrupt"` // whether the user stopped it
}

// BeforeShellExecution comes before a shell command, beside PreToolUse.
type BeforeShellExecution struct {
	Common
	Command string `json:"command"` // the whole command line
	Cwd     string `json:"cwd"`     // may be empty (seen)
	Sandbox bool   `json:"sandbox"` // whether it runs in Cursor's sandbox
}

// AfterShellExecution comes after a shell command, beside PostToolUse. Its answer
// is ignored.
type AfterShellExecution struct {
	Common
	Command  string  `json:"command"`
	Output   string  `json:"output"`   // everything the terminal showed
	Duration float64 `json:"duration"` // milliseconds, without the wait for approval
	Cwd      string  `json:"cwd"`      // not always sent
	Sandbox  bool    `json:"sandbox"`
}

// BeforeMCPExecution comes before an MCP tool call, beside PreToolUse.
type BeforeMCPExecution struct {
	Common
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"` // an object in a string (documented): see Text
	URL       string          `json:"url"`        // of a remote server
	Command   string          `json:"command"`    // of a local server
}

// AfterMCPExecution comes after an MCP tool call, beside PostToolUse. Its answer is
// ignored.
type AfterMCPExecution struct {
	Common
	ToolName   string          `json:"tool_name"`
	ToolInput  json.RawMessage `json:"tool_input"`
	ResultJSON json.RawMessage `json:"result_json"` // an object in a string (documented): see Text
	Duration   float64         `json:"duration"`    // milliseconds, without the wait for approval
}

// BeforeReadFile comes before the agent reads a file, with its whole content.
type BeforeReadFile struct {
	Common
	FilePath    string       `json:"file_path"` // absolute
	Content     string       `json:"content"`
	Attachments []Attachment `json:"attachments"`
}

// AfterFileEdit comes after the agent has edited a file. Its answer is ignored.
type AfterFileEdit struct {
	Common
	FilePath string `json:"file_path"` // absolute
	Edits    []Edit `json:"edits"`
}

// Edit is a replacement in a file.
type Edit struct {
	OldString string `json:"old_string"`
	NewString string `json:"new_string"`
}

// BeforeTabFileRead comes before Tab, the inline completion, reads a file.
type BeforeTabFileRead struct {
	Common
	FilePath string `json:"file_path"` // absolute
	Content  string `json:"content"`
}

// AfterTabFileEdit comes after Tab has edited a file. Its answer is ignored.
type AfterTabFileEdit struct {
	Common
	FilePath string    `json:"file_path"` // absolute
	Edits    []TabEdit `json:"edits"`
}

// TabEdit is an Edit with its position in the file.
type TabEdit struct {
	Edit
	Range   EditRange `json:"range"`
	OldLine string    `json:"old_line"`
	NewLine string    `json:"new_line"`
}

// EditRange is the position of a TabEdit. Whether it starts at 0 or 1 is unknown.
type EditRange struct {
	StartLineNumber int `json:"start_line_number"`
	StartColumn     int `json:"start_column"`
	EndLineNumber   int `json:"end_line_number"`
	EndColumn       int `json:"end_column"`
}
