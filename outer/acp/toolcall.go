package acp

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

// toolCall is what an agent has reported about a call: at its beginning, in
// updates and in a request for permission. A later report replaces only what it
// contains.
type toolCall struct {
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	Kind      string          `json:"kind"`
	Status    string          `json:"status"`
	Content   json.RawMessage `json:"content"` // a list of blocks; a single block in a message
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
	RawInput  any  `json:"rawInput"`
	RawOutput any  `json:"rawOutput"`
	Meta      meta `json:"_meta"`

	isShown    bool // on the display
	isDone     bool // and recorded
	bySubagent bool // not recorded
}

type block struct {
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	Content *block  `json:"content"`
	Path    string  `json:"path"`    // of a diff, as the next two
	OldText *string `json:"oldText"` // the file, or a part of it; nil for a new file
	NewText string  `json:"newText"`
}

// meta marks what a subagent does and says: claude's adapter (0.100.0, from its
// source) names the tool call that started the subagent.
type meta struct {
	Parent     string `json:"parentToolUseId"`
	ClaudeCode struct {
		Parent string `json:"parentToolUseId"`
	} `json:"claudeCode"`
}

func (m meta) isOfSubagent() bool { return m.Parent != "" || m.ClaudeCode.Parent != "" }

func (c *toolCall) merge(news *toolCall) {
	c.Title, c.Kind, c.Status = cmp.Or(news.Title, c.Title), cmp.Or(news.Kind, c.Kind), cmp.Or(news.Status, c.Status)
	if len(news.Content) > 0 && string(news.Content) != "null" && string(news.Content) != "[]" {
		c.Content = news.Content
	}
	if len(news.Locations) > 0 {
		c.Locations = news.Locations
	}
	if news.RawInput != nil {
		c.RawInput = news.RawInput
	}
	if news.RawOutput != nil {
		c.RawOutput = news.RawOutput
	}
	c.bySubagent = c.bySubagent || news.Meta.isOfSubagent() // not every update is marked
}

func (c *toolCall) text() string {
	var b block
	if toolcall.Decode(c.Content, &b) != nil {
		return ""
	}
	return b.Text
}

func (c *toolCall) blocks() []block {
	var all []block
	if len(c.Content) == 0 || toolcall.Decode(c.Content, &all) != nil {
		return nil
	}
	return all
}

func (c *toolCall) kind() string {
	switch c.Kind {
	case "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode":
		return c.Kind
	}
	return "other"
}

func writes(kind string) bool { return kind == "edit" || removes(kind) }

func removes(kind string) bool { return kind == "delete" || kind == "move" }

// name returns a name that is the same for all calls of a tool: the kind, or a
// title of one word.
func (c *toolCall) name() string {
	if kind := c.kind(); kind != "other" {
		return kind
	}
	if toolName.MatchString(c.Title) {
		return c.Title
	}
	return "other"
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// hasInput reports whether a call can be shown: some agents send its input later.
func (c *toolCall) hasInput() bool {
	if c.kind() == "execute" && c.RawInput != nil {
		return c.inputCommand() != ""
	}
	input, ok := c.RawInput.(map[string]any)
	return !ok || len(input) > 0
}

func (c *toolCall) summary() string {
	title, detail := firstLine(c.Title), firstLine(c.inputCommand())
	if paths := c.paths(); detail == "" && len(paths) > 0 && !strings.Contains(title, " ") {
		detail = paths[0] // the title is only the tool's name
	}
	switch {
	case title == "" && detail == "":
		return c.kind()
	case title == "":
		return clip(c.kind() + ": " + detail)
	case detail == "" || strings.Contains(title, detail):
		return clip(title)
	}
	return clip(title + ": " + detail)
}

func (c *toolCall) file() string {
	for _, b := range c.blocks() {
		if b.Type == "diff" && b.Path != "" {
			return b.Path
		}
	}
	if p := c.paths(); len(p) > 0 {
		return p[0]
	}
	return ""
}

// command returns what a call executes, which may only be in its title.
func (c *toolCall) command() string {
	if command := c.inputCommand(); command != "" || c.kind() != "execute" {
		return command
	}
	return clip(strings.Trim(firstLine(c.Title), "`"))
}

func (c *toolCall) inputCommand() string {
	input, _ := c.RawInput.(map[string]any)
	line, argv := commandIn(input)
	return cmp.Or(line, commandLine(argv))
}

// commandLine returns a command for the display and the journal, without the shell
// that runs it. No permission depends on it.
func commandLine(argv []string) string {
	if len(argv) == 3 && (argv[1] == "-c" || argv[1] == "-lc") {
		switch path.Base(argv[0]) {
		case "sh", "bash", "zsh", "dash":
			return argv[2]
		}
	}
	return strings.Join(argv, " ")
}

func (c *toolCall) contentTexts() (texts []string) {
	for _, b := range c.blocks() {
		if b.Content != nil && b.Content.Text != "" {
			texts = append(texts, b.Content.Text)
		}
	}
	return texts
}

func (c *toolCall) failure() string {
	for _, text := range c.contentTexts() {
		if l := errorLine(text); l != "" {
			return clip(l)
		}
	}
	return clip(cmp.Or(errorLine(findText(c.RawOutput)), "failed"))
}

// errorLine returns the first line, but skips the exit code if more follows.
func errorLine(text string) string {
	first := firstLine(text)
	if strings.HasPrefix(strings.ToLower(first), "exit code ") {
		_, rest, _ := strings.Cut(text, first)
		return cmp.Or(firstLine(rest), first)
	}
	return first
}

func (c *toolCall) exitCode() float64 {
	output, _ := c.RawOutput.(map[string]any)
	contents, _ := output["contents"].([]any)
	for _, p := range append([]any{output, output["metadata"]}, contents...) {
		m, _ := p.(map[string]any)
		for _, field := range []string{"exit_code", "exitCode", "exit"} {
			if n, ok := m[field].(float64); ok {
				return n
			}
		}
	}
	return 0
}
