package acp

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// toolCall is what an agent has told of one: in its beginning, in updates, and
// in a request for permission. What an update leaves out stays as it was.
type toolCall struct {
	ID        string          `json:"toolCallId"`
	Title     *string         `json:"title"`
	Kind      *string         `json:"kind"`
	Status    *string         `json:"status"`
	Content   json.RawMessage `json:"content"` // a block, or for tool calls a list of them
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
	RawInput  any `json:"rawInput"`
	RawOutput any `json:"rawOutput"`

	shown bool // on the display
	told  bool // for the journal
}

// block is a piece of content.
type block struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Path    string `json:"path"` // of a diff
	Content *block `json:"content"`
}

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
}

func is(s *string, want string) bool { return s != nil && *s == want }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// text gives the text of a piece of content.
func (c *toolCall) text() string {
	var b block
	if lenient(c.Content, &b) != nil {
		return ""
	}
	return b.Text
}

// blocks gives the pieces of content.
func (c *toolCall) blocks() []block {
	var all []block
	if len(c.Content) == 0 || lenient(c.Content, &all) != nil {
		return nil
	}
	return all
}

// kind gives one of the protocol's kinds.
func (c *toolCall) kind() string {
	switch kind := deref(c.Kind); kind {
	case "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode":
		return kind
	}
	return "other"
}

// writes tells whether calls of a kind change files.
func writes(kind string) bool { return kind == "edit" || kind == "delete" || kind == "move" }

// name gives a name that is the same for each call of a tool. A title is not,
// but where it is a single word.
func (c *toolCall) name() string {
	if kind := c.kind(); kind != "other" {
		return kind
	}
	title := deref(c.Title)
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-.:", r))
	}
	if title == "" || len(title) > 64 || strings.ContainsFunc(title, odd) {
		return "other"
	}
	return title
}

// informed tells whether there is something to show of a call: some agents tell
// its input later than the call.
func (c *toolCall) informed() bool {
	if c.kind() == "execute" && c.RawInput != nil {
		return c.given() != ""
	}
	input, ok := c.RawInput.(map[string]any)
	return !ok || len(input) > 0
}

// words tells the call in a few words. A title of one word is the tool's name.
func (c *toolCall) words() string {
	title, more := line(deref(c.Title)), line(c.given())
	if paths := c.paths(); more == "" && len(paths) > 0 && !strings.Contains(title, " ") {
		more = paths[0]
	}
	switch {
	case title == "" && more == "":
		return c.kind()
	case title == "":
		return clip(c.kind() + ": " + more)
	case more == "" || strings.Contains(title, more):
		return clip(title)
	}
	return clip(title + ": " + more)
}

// file gives the file that a call writes.
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

// command gives what a call executes: of one that does not tell, its title.
func (c *toolCall) command() string {
	if given := c.given(); given != "" || c.kind() != "execute" {
		return given
	}
	return clip(strings.Trim(line(deref(c.Title)), "`"))
}

// given gives the command in a call's input.
func (c *toolCall) given() string {
	input, _ := c.RawInput.(map[string]any)
	for _, field := range []string{"command", "cmd", "script"} {
		switch v := input[field].(type) {
		case string:
			return v
		case []any:
			return commandLine(texts(v))
		}
	}
	return ""
}

func texts(list []any) (found []string) {
	for _, e := range list {
		if s, ok := e.(string); ok {
			found = append(found, s)
		}
	}
	return found
}

// commandLine gives a command in one line: what a shell is given, without the
// shell.
func commandLine(argv []string) string {
	if len(argv) == 3 && (argv[1] == "-c" || argv[1] == "-lc") {
		switch path.Base(argv[0]) {
		case "sh", "bash", "zsh", "dash":
			return argv[2]
		}
	}
	return strings.Join(argv, " ")
}

// failure gives the first line of what went wrong.
func (c *toolCall) failure() string {
	for _, b := range c.blocks() {
		if b.Content != nil {
			if l := errorLine(b.Content.Text); l != "" {
				return clip(l)
			}
		}
	}
	return clip(cmp.Or(errorLine(saying(c.RawOutput)), "failed"))
}

// errorLine gives the first line, but for the exit code alone if there is more.
func errorLine(text string) string {
	first := line(text)
	if strings.HasPrefix(strings.ToLower(first), "exit code ") {
		_, rest, _ := strings.Cut(text, first)
		return cmp.Or(line(rest), first)
	}
	return first
}

// exit gives the exit code of a command, 0 if it is not told.
func (c *toolCall) exit() float64 {
	output, _ := c.RawOutput.(map[string]any)
	places := []any{output, output["metadata"]}
	contents, _ := output["contents"].([]any)
	for _, p := range append(places, contents...) {
		m, _ := p.(map[string]any)
		for _, field := range []string{"exit_code", "exitCode", "exit"} {
			if n, ok := m[field].(float64); ok {
				return n
			}
		}
	}
	return 0
}

const manyPaths = 1000 // more of one call are not looked at one by one

// paths gives what a call reads or writes, as the agent wrote it.
func (c *toolCall) paths() []string {
	var found []string
	for _, l := range c.Locations {
		found = append(found, l.Path)
	}
	for _, b := range c.blocks() {
		if b.Type == "diff" {
			found = append(found, b.Path)
		}
	}
	found = inputPaths(found, "", c.RawInput)
	return slices.DeleteFunc(found, func(p string) bool { return p == "" })
}

// inputPaths finds paths in a call's input: values whose field says so, and
// keys that can be nothing else.
func inputPaths(found []string, field string, value any) []string {
	switch v := value.(type) {
	case string:
		if namesPath(field) && !strings.Contains(v, "\n") {
			found = append(found, v)
		}
	case []any:
		for _, e := range v {
			found = inputPaths(found, field, e)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if strings.ContainsAny(key, `/\`) {
				found = append(found, key)
			}
			found = inputPaths(found, key, v[key])
		}
	}
	return found
}

func namesPath(field string) bool {
	field = strings.ToLower(field)
	has := func(word string) bool { return strings.Contains(field, word) }
	return slices.ContainsFunc([]string{"path", "file", "uri", "dir", "folder", "target", "dest", "cwd"}, has) &&
		!slices.ContainsFunc([]string{"text", "content"}, has) // of a file
}
