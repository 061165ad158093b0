package printmode

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// cursorCall is the tool_call of a line of `cursor-agent -p --output-format
// stream-json`: an object with one field, which is named after the tool. The
// other lines are claude's.
type cursorCall struct {
	Type    string                     `json:"type"`
	Subtype string                     `json:"subtype"`
	ID      string                     `json:"call_id"`
	Call    map[string]json.RawMessage `json:"tool_call"`
}

type cursorTool struct {
	Args   json.RawMessage            `json:"args"`
	Result map[string]json.RawMessage `json:"result"` // one field: success, or what went wrong
	Name   string                     `json:"name"`   // of a "function"
}

type cursorResult struct {
	Exit    int  `json:"exitCode"`
	Stdout  text `json:"stdout"`
	Stderr  text `json:"stderr"`
	Error   text `json:"error"`
	Message text `json:"errorMessage"`
	Reason  text `json:"reason"`
}

func parseCursor(t *turn, line []byte) {
	var e claudeEvent
	if json.Unmarshal(line, &e) != nil {
		return
	}
	t.name(e.Session)
	switch e.Type {
	case "assistant": // a message, or a piece of one: it is whole when something else follows
		for _, b := range blocks(e.Message.Content) {
			if b.Type == "text" || b.Type == "" {
				t.piece(b.Text)
			}
		}
	case "result":
		t.flush()
		t.claudeResult(e)
	case "tool_call":
		t.cursorCall(line)
	}
}

func (t *turn) cursorCall(line []byte) {
	var e cursorCall
	if json.Unmarshal(line, &e) != nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(e.Call)) {
		if !strings.HasSuffix(key, "ToolCall") && key != "function" {
			continue
		}
		var tool cursorTool
		_ = json.Unmarshal(e.Call[key], &tool) // a tool of another form is one all the same
		in := readInput(tool.Args)
		c := in.call(e.ID, cmp.Or(tool.Name, strings.TrimSuffix(key, "ToolCall")))
		if e.Subtype == "completed" {
			t.finish(c, tool.failure(c))
			return
		}
		t.begin(c)
		if plan := in.plan(); plan != "" {
			t.see(outer.Seen{Plan: plan})
		}
		return
	}
}

// failure tells what went wrong with a tool that has ended.
func (tool cursorTool) failure(c call) string {
	for _, key := range slices.Sorted(maps.Keys(tool.Result)) {
		var r cursorResult
		_ = json.Unmarshal(tool.Result[key], &r) // what it does not say is empty
		switch {
		case r.Exit != 0:
			return exited(c.command, r.Exit, string(r.Stdout)+"\n"+string(r.Stderr))
		case key != "success":
			return string(cmp.Or(r.Error, r.Message, r.Reason, text(key)))
		}
	}
	return ""
}
