package hook

import "encoding/json"

// SessionStart comes when a conversation is created, not when one is resumed
// (reported) and not for a subagent (seen). The editor did not send it to plugins
// before 3.18 (reported).
type SessionStart struct {
	Common
	IsBackgroundAgent bool   `json:"is_background_agent"`
	ComposerMode      string `json:"composer_mode"` // agent, ask, edit (documented), plan (reported of 3.21); not always sent
}

// SessionEnd comes when a conversation ends. Its answer is ignored.
type SessionEnd struct {
	Common
	Reason            string  `json:"reason"`      // completed, aborted, error, window_close, user_close (documented)
	DurationMS        float64 `json:"duration_ms"` // of the whole conversation, in milliseconds
	IsBackgroundAgent bool    `json:"is_background_agent"`
	FinalStatus       string  `json:"final_status"`  // completed (seen); the other values are unknown
	ErrorMessage      string  `json:"error_message"` // when Reason is error
}

// BeforeSubmitPrompt comes when a user message is sent, and can block it. A stop
// hook's follow-up is a user message like any other, and is not marked (seen in
// the CLI). A subagent's task does not come here (reported of 3.18).
type BeforeSubmitPrompt struct {
	Common
	// Prompt is the user's text. Whether a slash command is already expanded is
	// unknown.
	Prompt       string       `json:"prompt"`
	Attachments  []Attachment `json:"attachments"`
	ComposerMode string       `json:"composer_mode"` // as in SessionStart; not always sent
}

// Attachment is a file or rule that goes to the model with a prompt.
type Attachment struct {
	Type     string `json:"type"` // file, rule (documented)
	FilePath string `json:"file_path"`
}

// UnmarshalJSON accepts both names of the path: filePath (documented) and
// file_path (seen). It never fails, so that a malformed attachment does not end
// the decoding of the event.
func (a *Attachment) UnmarshalJSON(data []byte) error {
	var wire struct {
		Type     string `json:"type"`
		FilePath string `json:"file_path"`
		Camel    string `json:"filePath"`
	}
	_ = json.Unmarshal(data, &wire) // a field of the wrong type stays empty
	*a = Attachment{Type: wire.Type, FilePath: wire.FilePath}
	if a.FilePath == "" {
		a.FilePath = wire.Camel
	}
	return nil
}

// AfterAgentResponse comes when the assistant has completed a message. Whether
// that is once per message or per turn, and always before stop, is unknown. Its
// answer is ignored.
type AfterAgentResponse struct {
	Common
	Text string `json:"text"` // the whole message
	Usage
}

// Usage counts the tokens of a turn, where Cursor sends them: with stop (seen in
// 3.18) and with afterAgentResponse (reported).
type Usage struct {
	InputTokens      int `json:"input_tokens"`
	OutputTokens     int `json:"output_tokens"`
	CacheReadTokens  int `json:"cache_read_tokens"`
	CacheWriteTokens int `json:"cache_write_tokens"`
}

// AfterAgentThought comes when the model has completed a block of thinking. Its
// answer is ignored.
type AfterAgentThought struct {
	Common
	Text       string  `json:"text"`
	DurationMS float64 `json:"duration_ms"` // milliseconds; not always sent
}

// Status says how a turn or a subagent ended.
type Status string

// The statuses (documented).
const (
	Completed Status = "completed"
	Aborted   Status = "aborted" // by the user
	Errored   Status = "error"   // a cancelled run was reported as this, too (seen)
)

// Stop comes when a turn ends. The turn is not over until the hook has exited, and
// the answer counts only if Status is Completed (both seen). A subagent ends with
// SubagentStop, never with this (reported of 3.18). Cursor's CLI in print mode does
// not send it (seen).
type Stop struct {
	Common
	Status Status `json:"status"`
	// LoopCount is how many follow-ups stop hooks have caused so far, over all
	// hooks. It starts again at 0 with each user message (seen in the CLI) or
	// counts for the conversation (documented). Once it reaches an entry's
	// loop_limit, 5 unless set, Cursor does not run that entry (seen).
	LoopCount int `json:"loop_count"`
	Usage
}

// PreCompact comes before the conversation is summarized to make room.
type PreCompact struct {
	Common
	Trigger             string  `json:"trigger"`               // auto, manual (documented)
	ContextUsagePercent float64 `json:"context_usage_percent"` // 0 to 100
	ContextTokens       int     `json:"context_tokens"`
	ContextWindowSize   int     `json:"context_window_size"` // in tokens
	MessageCount        int     `json:"message_count"`
	MessagesToCompact   int     `json:"messages_to_compact"`
	IsFirstCompaction   bool    `json:"is_first_compaction"`
}

// SubagentStart comes before a subagent (the Task tool) starts, and can deny it.
// ConversationID is the parent's, and the id that the subagent's own events will
// carry is not included (seen in 3.18). The CLI sends neither this nor
// SubagentStop (seen).
type SubagentStart struct {
	Common
	SubagentID           string `json:"subagent_id"`   // the ToolUseID of the parent's Task call, newline included (seen)
	SubagentType         string `json:"subagent_type"` // generalPurpose, explore, shell (documented), general-purpose (seen), or a custom name
	Task                 string `json:"task"`          // the prompt given to the subagent
	ParentConversationID string `json:"parent_conversation_id"`
	ToolCallID           string `json:"tool_call_id"` // the same as SubagentID (seen)
	SubagentModel        string `json:"subagent_model"`
	IsParallelWorker     bool   `json:"is_parallel_worker"`
	GitBranch            string `json:"git_branch"` // not always sent
}

// SubagentStop comes when a subagent has ended. As in SubagentStart,
// ConversationID is the parent's.
type SubagentStop struct {
	Common
	SubagentID           string   `json:"subagent_id"`            // as in SubagentStart (seen in 3.18, not documented)
	ParentConversationID string   `json:"parent_conversation_id"` // (seen in 3.18, not documented)
	SubagentType         string   `json:"subagent_type"`
	Status               Status   `json:"status"`
	Task                 string   `json:"task"`
	Description          string   `json:"description"`
	Summary              string   `json:"summary"`
	DurationMS           float64  `json:"duration_ms"` // milliseconds
	MessageCount         int      `json:"message_count"`
	ToolCallCount        int      `json:"tool_call_count"` // was 0 for a subagent that had used tools (seen)
	LoopCount            int      `json:"loop_count"`
	ModifiedFiles        []string `json:"modified_files"`
	AgentTranscriptPath  string   `json:"agent_transcript_path"` // the subagent's own transcript, often empty (seen)
}

// WorkspaceOpen comes when a workspace is opened or its folders change. It has no
// conversation id.
type WorkspaceOpen struct {
	Common
}
