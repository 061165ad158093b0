package printmode

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

// cursorCall is a tool_call line of `cursor-agent -p --output-format stream-json`.
// Its one field is named after the tool. The other lines are like claude's.
type cursorCall struct {
	Subtype string                     `json:"subtype"`
	ID      string                     `json:"call_id"`
	Call    map[string]json.RawMessage `json:"tool_call"`
}

type cursorTool struct {
	Args   json.RawMessage            `json:"args"`
	Result map[string]json.RawMessage `json:"result"` // one field: success, or the kind of failure
	Name   string                     `json:"name"`   // of a "function"
}

type cursorResult struct {
	Exit    int    `json:"exitCode"`
	Stdout  string `json:"stdout"`
	Stderr  string `json:"stderr"`
	Error   string `json:"error"`
	Message string `json:"errorMessage"`
	Reason  string `json:"reason"`
}

func parseCursor(t *turn, line []byte) {
	var e claudeEvent
	if toolcall.Decode(line, &e) != nil {
		return
	}
	t.setSession(e.Session)
	switch e.Type {
	case "assistant": // a message or a piece of one, which ends when something else follows
		for _, b := range blocks(e.Message.Content) {
			if b.Type == "text" || b.Type == "" {
				t.addPiece(b.Text)
			}
		}
	case "result":
		t.endMessage()
		t.onClaudeResult(e)
	case "tool_call":
		t.onCursorCall(line)
	}
}

func (t *turn) onCursorCall(line []byte) {
	var e cursorCall
	if toolcall.Decode(line, &e) != nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(e.Call)) {
		if !strings.HasSuffix(key, "ToolCall") && key != "function" {
			continue
		}
		var tool cursorTool
		_ = toolcall.Decode(e.Call[key], &tool) // a malformed call still counts
		c := call{id: e.ID, name: cmp.Or(tool.Name, strings.TrimSuffix(key, "ToolCall"))}
		if e.Subtype == "completed" {
			c = c.withInput(toolcall.ReadInput(tool.Args))
			t.endTool(c, tool.failure(c))
			return
		}
		t.beginTool(c, tool.Args)
		return
	}
}

func (tool cursorTool) failure(c call) string {
	for _, key := range slices.Sorted(maps.Keys(tool.Result)) {
		var r cursorResult
		_ = toolcall.Decode(tool.Result[key], &r) // missing fields stay empty
		switch {
		case r.Exit != 0:
			return toolcall.ExitError(c.command, r.Exit, r.Stdout+"\n"+r.Stderr)
		case key != "success":
			return cmp.Or(r.Error, r.Message, r.Reason, key)
		}
	}
	return ""
}
