package printmode

import (
	"cmp"
	"encoding/json"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

// geminiEvent is a line of `gemini --output-format stream-json`. It has no exit
// code of a command.
type geminiEvent struct {
	Type     string          `json:"type"`
	Session  string          `json:"session_id"`
	Role     string          `json:"role"`
	Content  string          `json:"content"`
	Tool     string          `json:"tool_name"`
	ID       string          `json:"tool_id"`
	Input    json.RawMessage `json:"parameters"`
	Status   string          `json:"status"`
	Output   string          `json:"output"`
	Severity string          `json:"severity"`
	Message  string          `json:"message"`
	Stats    usage           `json:"stats"`
	Error    struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

func parseGemini(t *turn, line []byte) {
	var e geminiEvent
	if toolcall.Decode(line, &e) != nil {
		return
	}
	t.setSession(e.Session)
	failed := e.Status == "error"
	switch e.Type {
	case "message":
		if e.Role == "assistant" {
			t.addPiece(e.Content)
		}
	case "tool_use":
		t.beginTool(call{id: e.ID, name: e.Tool}, e.Input)
	case "tool_result":
		c, ok := t.calls[e.ID]
		switch {
		case ok && failed:
			t.endTool(c, cmp.Or(e.Error.Message, e.Output, unknownFailure))
		case ok:
			t.endTool(c, "")
		}
	case "error":
		if e.Severity == "error" {
			t.fail(cmp.Or(e.Message, e.Error.Message), 0)
		}
	case "result":
		t.tokens = e.Stats.tokens()
		if !failed {
			t.succeed()
			return
		}
		t.fail(cmp.Or(e.Error.Message, e.Error.Type), 0)
		t.hasResult = true
	}
}
