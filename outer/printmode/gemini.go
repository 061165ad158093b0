package printmode

import (
	"cmp"
	"encoding/json"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// geminiEvent is a line of `gemini --output-format stream-json`. It does not
// tell the exit code of a command.
type geminiEvent struct {
	Type     string          `json:"type"`
	Session  string          `json:"session_id"`
	Role     string          `json:"role"`
	Content  text            `json:"content"`
	Tool     string          `json:"tool_name"`
	ID       string          `json:"tool_id"`
	Input    json.RawMessage `json:"parameters"`
	Status   string          `json:"status"`
	Output   text            `json:"output"`
	Severity string          `json:"severity"`
	Message  text            `json:"message"`
	Error    struct {
		Type    text `json:"type"`
		Message text `json:"message"`
	} `json:"error"`
}

func parseGemini(t *turn, line []byte) {
	var e geminiEvent
	if json.Unmarshal(line, &e) != nil {
		return
	}
	t.name(e.Session)
	switch e.Type {
	case "message":
		if e.Role == "assistant" {
			t.piece(string(e.Content))
		}
	case "tool_use":
		in := readInput(e.Input)
		t.begin(in.call(e.ID, e.Tool))
		if plan := in.plan(); plan != "" {
			t.see(outer.Seen{Plan: plan})
		}
	case "tool_result":
		if c, ok := t.calls[e.ID]; ok {
			t.finish(c, e.failure())
		}
	case "error":
		if e.Severity == "error" {
			t.fail(string(cmp.Or(e.Message, e.Error.Message)), 0)
		}
	case "result":
		t.geminiResult(e)
	}
}

func (e geminiEvent) failure() string {
	if e.Status != "error" {
		return ""
	}
	return string(cmp.Or(e.Error.Message, e.Output, "it failed"))
}

func (t *turn) geminiResult(e geminiEvent) {
	if e.Status != "error" {
		t.succeed()
		return
	}
	t.fail(string(cmp.Or(e.Error.Message, e.Error.Type)), 0)
	t.told = true
}
