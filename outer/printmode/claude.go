package printmode

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// claudeEvent is a line of `claude -p --output-format stream-json --verbose`.
type claudeEvent struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Parent  string `json:"parent_tool_use_id"` // of what a subagent does
	Error   text   `json:"error"`              // the message is not the model's, but of this error
	Message struct {
		Content json.RawMessage `json:"content"` // a text, or blocks
	} `json:"message"`

	IsError bool     `json:"is_error"`
	Status  int      `json:"api_error_status"`
	Result  text     `json:"result"`
	Errors  []string `json:"errors"`
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Call    string          `json:"tool_use_id"`
	IsError bool            `json:"is_error"`
	Content json.RawMessage `json:"content"` // a text, or blocks
}

func parseClaude(t *turn, line []byte) {
	var e claudeEvent
	if json.Unmarshal(line, &e) != nil {
		return
	}
	t.name(e.Session)
	switch e.Type {
	case "assistant":
		for _, b := range blocks(e.Message.Content) {
			t.claudeSaid(e, b)
		}
	case "user":
		for _, b := range blocks(e.Message.Content) {
			t.claudeDid(b)
		}
	case "result":
		t.claudeResult(e)
	}
}

// blocks reads the content of a message.
func blocks(raw json.RawMessage) (list []claudeBlock) {
	var words string
	if json.Unmarshal(raw, &words) == nil {
		return []claudeBlock{{Type: "text", Text: words}}
	}
	_ = json.Unmarshal(raw, &list) // what else it may be is nothing to us
	return list
}

func (t *turn) claudeSaid(e claudeEvent, b claudeBlock) {
	switch {
	case b.Type == "text" && e.Error != "":
		t.fail(string(e.Error)+": "+b.Text, 0)
	case b.Type == "text" && e.Parent == "":
		t.message(b.Text)
	case b.Type == "tool_use":
		in := readInput(b.Input)
		c := in.call(b.ID, b.Name)
		c.silent = e.Parent != ""
		t.begin(c)
		if plan := in.plan(); plan != "" && !c.silent {
			t.see(outer.Seen{Plan: plan})
		}
	}
}

// claudeDid takes the result of a tool, which is told as if it were the user's.
func (t *turn) claudeDid(b claudeBlock) {
	if b.Type != "tool_result" {
		return
	}
	c, ok := t.calls[b.Call]
	if !ok {
		return // it is not known whose it is
	}
	failure := ""
	if b.IsError {
		failure = claudeFailure(c, joined(blocks(b.Content)))
	}
	t.finish(c, failure)
}

func joined(list []claudeBlock) string {
	var texts []string
	for _, b := range list {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "\n")
}

// claudeFailure reads "Exit code 3" and what the command said after it.
func claudeFailure(c call, said string) string {
	said = strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "").Replace(said)
	first, rest, _ := strings.Cut(strings.TrimSpace(said), "\n")
	code := 0
	if n, _ := fmt.Sscanf(first, "Exit code %d", &code); n == 1 && code != 0 && c.command != "" {
		return exited(c.command, code, rest)
	}
	if strings.TrimSpace(said) == "" {
		return "it failed"
	}
	return said
}

func (t *turn) claudeResult(e claudeEvent) {
	if !e.IsError && !strings.HasPrefix(e.Subtype, "error") {
		if !t.spoke {
			t.message(string(e.Result))
		}
		t.succeed()
		return
	}
	said := string(e.Result)
	if said == "" {
		said = strings.Join(e.Errors, "; ")
	}
	if said == "" {
		said = strings.ReplaceAll(e.Subtype, "_", " ")
	}
	t.fail(said, e.Status)
	t.told = true
}
