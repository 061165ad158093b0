package modelserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Answer is what the model does: it says something and calls tools, or it fails.
type Answer struct {
	Text  string // with a Status, the error message
	Calls []Call

	Status     int           // of an error: 429, 529, 500
	RetryAfter time.Duration // in whole seconds, with an error

	Hangs chan<- struct{} // no answer comes; closed when the agent gives up
}

// Call is a tool call, whatever the agent's tool is called: with a Path it writes a new
// file, otherwise it runs a command.
type Call struct {
	Path    string // absolute
	Content string
	Command string
}

// LastUser returns what the user has said since the assistant's last message.
func (r Request) LastUser() string {
	var texts []string
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "assistant" {
			break
		}
		if m.Role == "user" && m.Text != "" {
			texts = append(texts, m.Text)
		}
	}
	slices.Reverse(texts)
	return strings.Join(texts, "\n")
}

// reply is an answer with the tools of the agent that asked.
type reply struct {
	id    string
	text  string
	calls []toolCall
}

type toolCall struct {
	id, name string
	args     any // a map, or a string if the tool takes text
}

// tool is an agent's tool and its arguments for a call.
type tool struct {
	name string
	args func(Call) any
}

// writers returns the tools that write files, in order of preference.
func writers() []tool {
	fields := func(path, content string) func(Call) any {
		return func(c Call) any { return map[string]any{path: c.Path, content: c.Content} }
	}
	return []tool{
		{"Write", fields("file_path", "content")},      // Claude Code
		{"write", fields("filePath", "content")},       // opencode
		{"write_file", fields("file_path", "content")}, // Gemini
		{"create", fields("path", "file_text")},        // Copilot
		{"apply_patch", func(c Call) any { return map[string]any{"input": patch(c)} }},
	}
}

// runners returns the tools that run commands, in order of preference.
func runners() []tool {
	command := func(c Call) any {
		return map[string]any{"command": c.Command, "description": "Runs what the script says"}
	}
	return []tool{
		{"Bash", command},
		{"bash", command},
		{"run_shell_command", command},
		{"exec_command", func(c Call) any { return map[string]any{"cmd": c.Command} }}, // Codex
		{"shell_command", func(c Call) any { return map[string]any{"command": c.Command} }},
		{"shell", func(c Call) any { return map[string]any{"command": []string{"bash", "-c", c.Command}} }},
	}
}

// patch returns a patch for Codex's apply_patch that adds a file.
func patch(c Call) string {
	lines := strings.Split(strings.TrimSuffix(c.Content, "\n"), "\n")
	return "*** Begin Patch\n*** Add File: " + c.Path + "\n+" + strings.Join(lines, "\n+") + "\n*** End Patch\n"
}

// reply translates an answer for the agent that asked.
func (a Answer) reply(r Request) (reply, error) {
	at := time.Now().UnixNano()
	rep := reply{id: fmt.Sprintf("answer_%d", at), text: a.Text}
	for i, c := range a.Calls {
		call, err := r.call(c)
		if err != nil {
			return reply{}, err
		}
		call.id = fmt.Sprintf("call_%d_%d", at, i)
		rep.calls = append(rep.calls, call)
	}
	return rep, nil
}

func (r Request) call(c Call) (toolCall, error) {
	tools := runners()
	if c.Path != "" {
		tools = writers()
	}
	for _, t := range tools {
		if !slices.Contains(r.Tools, t.name) {
			continue
		}
		if slices.Contains(r.custom, t.name) {
			return toolCall{name: t.name, args: patch(c)}, nil
		}
		return toolCall{name: t.name, args: t.args(c)}, nil
	}
	return toolCall{}, fmt.Errorf("no tool for %+v among %s", c, strings.Join(r.Tools, ", "))
}

// json returns a call's arguments as JSON.
func (c toolCall) json() string {
	b, _ := json.Marshal(c.args) // strings and maps of strings
	return string(b)
}
