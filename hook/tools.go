package hook

import "encoding/json"

// PreToolUse comes before any tool is used, and can deny it. It was seen twice
// for one call: tell calls apart by ToolUseID.
type PreToolUse struct {
	Common
	ToolName  string          `json:"tool_name"`   // Shell, Read, Write, Grep, Delete, Task, MCP:<tool> (documented), or another
	ToolInput json.RawMessage `json:"tool_input"`  // an object, or one in a string: see Text
	ToolUseID string          `json:"tool_use_id"` // may contain a newline (seen)
	Cwd       string          `json:"cwd"`         // often empty (seen)
	// AgentMessage is what the agent said it is about to do (documented, not seen).
	AgentMessage string `json:"agent_message"`
}

// PostToolUse comes after a tool was used, once a call.
type PostToolUse struct {
	Common
	ToolName   string          `json:"tool_name"` // as in PreToolUse
	ToolInput  json.RawMessage `json:"tool_input"`
	ToolOutput json.RawMessage `json:"tool_output"` // a string, often with JSON in it, or an object: see Text
	ToolUseID  string          `json:"tool_use_id"`
	Cwd        string          `json:"cwd"`
	Duration   float64         `json:"duration"` // milliseconds, with a fraction (seen)
}

// PostToolUseFailure comes instead of PostToolUse for a tool that failed. A shell
// command that exits with another code than 0 was seen to come as PostToolUse, and
// is reported to come here in the CLI of September 2026.
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

// AfterShellExecution comes after a shell command, beside PostToolUse. It takes no
// answer.
type AfterShellExecution struct {
	Common
	Command  string  `json:"command"`
	Output   string  `json:"output"`   // all that the terminal showed
	Duration float64 `json:"duration"` // milliseconds, without the wait for approval
	Cwd      string  `json:"cwd"`      // not always sent
	Sandbox  bool    `json:"sandbox"`
}

// BeforeMCPExecution comes before an MCP tool is used, beside PreToolUse.
type BeforeMCPExecution struct {
	Common
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"` // an object in a string (documented): see Text
	URL       string          `json:"url"`        // of a server that is reached by URL
	Command   string          `json:"command"`    // of a server that is started by a command
}

// AfterMCPExecution comes after an MCP tool was used, beside PostToolUse. It takes
// no answer.
type AfterMCPExecution struct {
	Common
	ToolName   string          `json:"tool_name"`
	ToolInput  json.RawMessage `json:"tool_input"`
	ResultJSON json.RawMessage `json:"result_json"` // an object in a string (documented): see Text
	Duration   float64         `json:"duration"`    // milliseconds, without the wait for approval
}

// BeforeReadFile comes before the agent reads a file, with all of it.
type BeforeReadFile struct {
	Common
	FilePath    string       `json:"file_path"` // absolute
	Content     string       `json:"content"`
	Attachments []Attachment `json:"attachments"`
}

// AfterFileEdit comes after the agent has edited a file. It takes no answer.
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

// AfterTabFileEdit comes after Tab has edited a file. It takes no answer.
type AfterTabFileEdit struct {
	Common
	FilePath string    `json:"file_path"` // absolute
	Edits    []TabEdit `json:"edits"`
}

// TabEdit is an Edit with its place in the file.
type TabEdit struct {
	Edit
	Range   EditRange `json:"range"`
	OldLine string    `json:"old_line"`
	NewLine string    `json:"new_line"`
}

// EditRange is the place of a TabEdit. Whether it counts from 1 is unknown.
type EditRange struct {
	StartLineNumber int `json:"start_line_number"`
	StartColumn     int `json:"start_column"`
	EndLineNumber   int `json:"end_line_number"`
	EndColumn       int `json:"end_column"`
}
