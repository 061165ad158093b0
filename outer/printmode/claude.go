package printmode

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// claudeEvent is a line of `claude -p --output-format stream-json --verbose`.
type claudeEvent struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Parent  string `json:"parent_tool_use_id"` // set for what a subagent does
	Error   string `json:"error"`              // if set, the message describes this error
	Message struct {
		Content json.RawMessage `json:"content"` // a string, or blocks
	} `json:"message"`

	IsError bool     `json:"is_error"`
	Status  int      `json:"api_error_status"`
	Result  string   `json:"result"`
	Errors  []string `json:"errors"`
	Usage   usage    `json:"usage"`
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Call    string          `json:"tool_use_id"`
	IsError bool            `json:"is_error"`
	Content json.RawMessage `json:"content"` // a string, or blocks
}

func parseClaude(t *turn, line []byte) {
	var e claudeEvent
	if toolcall.Decode(line, &e) != nil {
		return
	}
	t.setSession(e.Session)
	switch e.Type {
	case "assistant":
		for _, b := range blocks(e.Message.Content) {
			t.onClaudeBlock(e, b)
		}
	case "user":
		for _, b := range blocks(e.Message.Content) {
			t.onClaudeToolResult(b)
		}
	case "system":
		if e.Subtype == "compact_boundary" {
			t.see(outer.Seen{Record: loop.Record{Kind: loop.RecordCompact}})
		}
	case "result":
		t.onClaudeResult(e)
	}
}

func blocks(raw json.RawMessage) (list []claudeBlock) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []claudeBlock{{Type: "text", Text: text}}
	}
	_ = toolcall.Decode(raw, &list) // other content is ignored
	return list
}

func (t *turn) onClaudeBlock(e claudeEvent, b claudeBlock) {
	switch {
	case b.Type == "text" && e.Error != "":
		t.fail(e.Error+": "+b.Text, 0)
	case b.Type == "text" && e.Parent == "":
		t.addMessage(b.Text)
	case b.Type == "tool_use":
		t.beginTool(call{id: b.ID, name: b.Name, bySubagent: e.Parent != ""}, b.Input)
	}
}

// onClaudeToolResult handles the result of a tool, which comes in a user message.
func (t *turn) onClaudeToolResult(b claudeBlock) {
	c, ok := t.calls[b.Call]
	if b.Type != "tool_result" || !ok {
		return
	}
	failure := ""
	if b.IsError {
		failure = claudeFailure(c, blocks(b.Content))
	}
	t.endTool(c, failure)
}

// claudeFailure reads "Exit code 3" and the output after it.
func claudeFailure(c call, content []claudeBlock) string {
	var texts []string
	for _, b := range content {
		texts = append(texts, b.Text)
	}
	said := strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "").Replace(strings.Join(texts, "\n"))
	said = strings.TrimSpace(said)
	first, rest, _ := strings.Cut(said, "\n")
	code := 0
	if n, _ := fmt.Sscanf(first, "Exit code %d", &code); n == 1 && code != 0 && c.command != "" {
		return toolcall.ExitError(c.command, code, rest)
	}
	return cmp.Or(said, unknownFailure)
}

func (t *turn) onClaudeResult(e claudeEvent) {
	if n := e.Usage.tokens(); n != nil {
		t.tokens = n
	}
	if !e.IsError && !strings.HasPrefix(e.Subtype, "error") {
		if !t.spoke {
			t.addMessage(e.Result)
		}
		t.succeed()
		return
	}
	t.fail(cmp.Or(e.Result, strings.Join(e.Errors, "; "), strings.ReplaceAll(e.Subtype, "_", " ")), e.Status)
	t.hasResult = true
}
