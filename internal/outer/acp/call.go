package acp

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// call is what an agent has reported about a tool call: at its beginning, in updates and
// in a request for permission. A later report replaces only what it contains.
type call struct {
	id        sdk.ToolCallId
	title     string
	kind      sdk.ToolKind
	status    sdk.ToolCallStatus
	content   []sdk.ToolCallContent
	locations []sdk.ToolCallLocation
	input     any
	output    any

	isShown    bool // on the display
	isDone     bool // and recorded
	bySubagent bool // not recorded
}

func begun(c *sdk.SessionUpdateToolCall) sdk.ToolCallUpdate {
	return sdk.ToolCallUpdate{Meta: c.Meta, ToolCallId: c.ToolCallId, Title: &c.Title, Kind: &c.Kind, Status: &c.Status,
		Content: c.Content, Locations: c.Locations, RawInput: c.RawInput, RawOutput: c.RawOutput}
}

func changed(c *sdk.SessionToolCallUpdate) sdk.ToolCallUpdate {
	return sdk.ToolCallUpdate{Meta: c.Meta, ToolCallId: c.ToolCallId, Title: c.Title, Kind: c.Kind, Status: c.Status,
		Content: c.Content, Locations: c.Locations, RawInput: c.RawInput, RawOutput: c.RawOutput}
}

func (c *call) merge(news sdk.ToolCallUpdate) {
	c.title, c.kind, c.status = cmp.Or(value(news.Title), c.title), cmp.Or(value(news.Kind), c.kind), cmp.Or(value(news.Status), c.status)
	if len(news.Content) > 0 {
		c.content = news.Content
	}
	if len(news.Locations) > 0 {
		c.locations = news.Locations
	}
	if news.RawInput != nil {
		c.input = news.RawInput
	}
	if news.RawOutput != nil {
		c.output = news.RawOutput
	}
	c.bySubagent = c.bySubagent || isOfSubagent(news.Meta) // not every update is marked
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func writes(k sdk.ToolKind) bool {
	return k == sdk.ToolKindEdit || k == sdk.ToolKindDelete || k == sdk.ToolKindMove
}

// pathFields are what agents call the file in a tool's input.
var pathFields = []string{"path", "file_path", "filePath", "filepath", "absolute_path", "notebook_path", "target_file"}

// paths returns the files that a call names: its locations, its diffs, and the file in its
// input.
func (c *call) paths() (found []string) {
	add := func(path string) {
		if path != "" && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	for _, d := range c.diffs() {
		add(d.Path)
	}
	for _, l := range c.locations {
		add(l.Path)
	}
	for _, name := range pathFields {
		path, _ := c.inputField(name).(string)
		add(path)
	}
	return found
}

func (c *call) inputField(name string) any {
	input, _ := c.input.(map[string]any)
	return input[name]
}

func (c *call) diffs() (found []*sdk.ToolCallContentDiff) {
	for _, part := range c.content {
		if part.Diff != nil {
			found = append(found, part.Diff)
		}
	}
	return found
}

func (c *call) texts() (found []string) {
	for _, part := range c.content {
		if part.Content != nil && textOf(part.Content.Content) != "" {
			found = append(found, textOf(part.Content.Content))
		}
	}
	return found
}

// name returns a name that is the same for all calls of a tool: the kind, or a title of
// one word.
func (c *call) name() string {
	switch c.kind {
	case sdk.ToolKindRead, sdk.ToolKindEdit, sdk.ToolKindDelete, sdk.ToolKindMove, sdk.ToolKindSearch, sdk.ToolKindExecute,
		sdk.ToolKindThink, sdk.ToolKindFetch, sdk.ToolKindSwitchMode:
		return string(c.kind)
	}
	if toolName.MatchString(c.title) {
		return c.title
	}
	return string(sdk.ToolKindOther)
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// hasInput reports whether a call can be shown: some agents send its input later.
func (c *call) hasInput() bool {
	if c.kind == sdk.ToolKindExecute && c.input != nil {
		return c.inputCommand() != ""
	}
	input, ok := c.input.(map[string]any)
	return !ok || len(input) > 0
}

func (c *call) summary() string {
	title, detail := firstLine(c.title), firstLine(c.inputCommand())
	if paths := c.paths(); detail == "" && len(paths) > 0 && !strings.Contains(title, " ") {
		detail = paths[0] // the title is only the tool's name
	}
	switch {
	case title == "" && detail == "":
		return c.name()
	case title == "":
		return clip(c.name() + ": " + detail)
	case detail == "" || strings.Contains(title, detail):
		return clip(title)
	}
	return clip(title + ": " + detail)
}

// command returns what a call executes, for the display and the journal; it may only be
// in its title.
func (c *call) command() string {
	if command := c.inputCommand(); command != "" || c.kind != sdk.ToolKindExecute {
		return command
	}
	return clip(strings.Trim(firstLine(c.title), "`"))
}

// commandFields are what agents call the command in a tool's input.
var commandFields = []string{"command", "cmd"}

func (c *call) inputCommand() string {
	for _, name := range commandFields {
		switch v := c.inputField(name).(type) {
		case string:
			return v
		case []any:
			var argv []string
			for _, arg := range v {
				if s, ok := arg.(string); ok {
					argv = append(argv, s)
				}
			}
			return commandLine(argv)
		}
	}
	return ""
}

// commandLine returns a command without the shell that runs it.
func commandLine(argv []string) string {
	if len(argv) == 3 && (argv[1] == "-c" || argv[1] == "-lc") {
		switch path.Base(argv[0]) {
		case "sh", "bash", "zsh", "dash":
			return argv[2]
		}
	}
	return strings.Join(argv, " ")
}

func (c *call) failure() string {
	for _, text := range c.texts() {
		if l := errorLine(text); l != "" {
			return clip(l)
		}
	}
	return clip(cmp.Or(errorLine(findText(c.output)), "failed"))
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

func (c *call) exitCode() float64 {
	output, _ := c.output.(map[string]any)
	contents, _ := output["contents"].([]any)
	for _, p := range append([]any{output, output["metadata"]}, contents...) {
		m, _ := p.(map[string]any)
		for _, name := range []string{"exit_code", "exitCode", "exit"} {
			if n, ok := m[name].(float64); ok {
				return n
			}
		}
	}
	return 0
}
