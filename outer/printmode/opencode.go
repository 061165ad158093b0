package printmode

import (
	"cmp"
	"encoding/json"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// opencodeEvent is a line of `opencode run --format json`.
type opencodeEvent struct {
	Type    string        `json:"type"`
	Session string        `json:"sessionID"`
	Part    opencodePart  `json:"part"`
	Error   opencodeError `json:"error"`
}

type opencodePart struct {
	Text   text   `json:"text"`
	CallID string `json:"callID"`
	Tool   string `json:"tool"`
	Reason text   `json:"reason"`
	State  struct {
		Status   string          `json:"status"`
		Input    json.RawMessage `json:"input"`
		Output   text            `json:"output"`
		Error    text            `json:"error"`
		Metadata struct {
			Exit int `json:"exit"`
		} `json:"metadata"`
	} `json:"state"`
}

type opencodeError struct {
	Name text `json:"name"`
	Data struct {
		Message text            `json:"message"`
		Status  int             `json:"statusCode"`
		Headers map[string]text `json:"responseHeaders"`
	} `json:"data"`
}

func parseOpencode(t *turn, line []byte) {
	var e opencodeEvent
	if json.Unmarshal(line, &e) != nil {
		return
	}
	t.name(e.Session)
	switch e.Type {
	case "text":
		t.message(string(e.Part.Text))
	case "tool_use": // told when it has ended
		in := readInput(e.Part.State.Input)
		c := in.call(e.Part.CallID, e.Part.Tool)
		t.begin(c)
		if plan := in.plan(); plan != "" {
			t.see(outer.Seen{Plan: plan})
		}
		t.finish(c, e.Part.failure(c))
	case "step_finish": // the last step asks for no tool
		if e.Part.Reason != "tool-calls" {
			t.succeed()
		}
	case "error":
		t.fail(string(cmp.Or(e.Error.Data.Message, e.Error.Name)), e.Error.Data.Status)
		if seconds, err := strconv.Atoi(string(e.Error.Data.Headers["retry-after"])); err == nil && seconds > 0 {
			t.after = min(time.Duration(seconds)*time.Second, 24*time.Hour)
		}
	}
}

func (p opencodePart) failure(c call) string {
	switch {
	case p.Tool == "invalid": // the model asked for a tool that it does not have
		return string(cmp.Or(readInput(p.State.Input).Error, "invalid"))
	case p.State.Metadata.Exit != 0:
		return exited(c.command, p.State.Metadata.Exit, string(p.State.Output))
	case p.State.Status == "error":
		return string(cmp.Or(p.State.Error, "it failed"))
	}
	return ""
}
