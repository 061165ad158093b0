package printmode

import (
	"cmp"
	"encoding/json"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

// opencodeEvent is a line of `opencode run --format json`.
type opencodeEvent struct {
	Type    string       `json:"type"`
	Session string       `json:"sessionID"`
	Part    opencodePart `json:"part"`
	Error   struct {
		Name string `json:"name"`
		Data struct {
			Message string            `json:"message"`
			Status  int               `json:"statusCode"`
			Headers map[string]string `json:"responseHeaders"`
		} `json:"data"`
	} `json:"error"`
}

type opencodePart struct {
	Text   string     `json:"text"`
	CallID string     `json:"callID"`
	Tool   string     `json:"tool"`
	Reason string     `json:"reason"`
	Tokens stepTokens `json:"tokens"`
	State  struct {
		Status   string          `json:"status"`
		Input    json.RawMessage `json:"input"`
		Output   string          `json:"output"`
		Error    string          `json:"error"`
		Metadata struct {
			Exit int `json:"exit"`
		} `json:"metadata"`
	} `json:"state"`
}

func parseOpencode(t *turn, line []byte) {
	var e opencodeEvent
	if toolcall.Decode(line, &e) != nil {
		return
	}
	t.setSession(e.Session)
	switch e.Type {
	case "text":
		t.addMessage(e.Part.Text)
	case "tool_use": // comes when the call has ended
		c := t.beginTool(call{id: e.Part.CallID, name: e.Part.Tool}, e.Part.State.Input)
		t.endTool(c, e.Part.failure(c))
	case "step_finish":
		t.tokens = t.tokens.Plus(e.Part.Tokens.tokens())
		if e.Part.Reason != "tool-calls" { // else another step follows
			t.succeed()
		}
	case "error":
		t.fail(cmp.Or(e.Error.Data.Message, e.Error.Name), e.Error.Data.Status)
		if seconds, err := strconv.Atoi(e.Error.Data.Headers["retry-after"]); err == nil && seconds > 0 {
			t.retryAfter = min(time.Duration(seconds)*time.Second, 24*time.Hour)
		}
	}
}

func (p opencodePart) failure(c call) string {
	switch {
	case p.Tool == "invalid": // the model called a tool that does not exist
		return cmp.Or(toolcall.ReadInput(p.State.Input).Error, "invalid")
	case p.State.Metadata.Exit != 0:
		return toolcall.ExitError(c.command, p.State.Metadata.Exit, p.State.Output)
	case p.State.Status == "error":
		return cmp.Or(p.State.Error, unknownFailure)
	}
	return ""
}
