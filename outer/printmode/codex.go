package printmode

import (
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// codexEvent is a line of `codex exec --json`.
type codexEvent struct {
	Type    string     `json:"type"`
	Thread  string     `json:"thread_id"`
	Item    codexItem  `json:"item"`
	Message string     `json:"message"`
	Error   codexError `json:"error"`
	Usage   usage      `json:"usage"` // of the whole thread: https://github.com/openai/codex/issues/17539
}

type codexError struct {
	Message string `json:"message"`
}

type codexItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Text    string `json:"text"`
	Status  string `json:"status"`
	Command string `json:"command"`
	Output  string `json:"aggregated_output"`
	Exit    int    `json:"exit_code"`
	Changes []struct {
		Path string `json:"path"`
	} `json:"changes"`
	Server string     `json:"server"`
	Tool   string     `json:"tool"`
	Error  codexError `json:"error"`
	Items  []struct {
		Text      string `json:"text"`
		Completed bool   `json:"completed"`
	} `json:"items"`
}

func parseCodex(t *turn, line []byte) {
	var e codexEvent
	if toolcall.Decode(line, &e) != nil {
		return
	}
	switch e.Type {
	case "thread.started":
		t.setSession(e.Thread)
	case "item.started", "item.updated", "item.completed":
		t.onCodexItem(e.Item, strings.TrimPrefix(e.Type, "item."))
	case "turn.completed":
		t.total = e.Usage.tokens()
		t.succeed()
	case "turn.failed":
		t.fail(e.Error.Message, 0)
		t.hasResult = true
	case "error": // codex may try again and succeed
		t.fail(e.Message, 0)
	}
}

func (t *turn) onCodexItem(i codexItem, phase string) {
	switch i.Type {
	case "agent_message":
		if phase == "completed" {
			t.addMessage(i.Text)
		}
	case "todo_list":
		t.see(outer.Seen{Plan: i.plan()})
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call":
		switch phase {
		case "started":
			t.beginTool(i.calls()[0], nil)
		case "completed":
			for _, c := range i.calls() {
				t.endTool(c, i.failure(c))
			}
		}
	}
}

// calls returns the item's call, or one call for each changed file, since a record
// has a single file.
func (i codexItem) calls() (list []call) {
	switch i.Type {
	case "command_execution":
		return []call{{id: i.ID, name: "shell", command: shellScript(i.Command)}}
	case "file_change":
		for n, change := range i.Changes {
			list = append(list, call{id: fmt.Sprintf("%s.%d", i.ID, n), name: "apply_patch", file: change.Path})
		}
	case "mcp_tool_call":
		return []call{{id: i.ID, name: strings.Trim(i.Server+"."+i.Tool, ".")}}
	}
	if len(list) == 0 {
		list = []call{{id: i.ID, name: i.Type}}
	}
	return list
}

func (i codexItem) failure(c call) string {
	switch {
	case i.Exit != 0:
		return toolcall.ExitError(c.command, i.Exit, i.Output)
	case i.Error.Message != "":
		return i.Error.Message
	case i.Status == "failed" || i.Status == "declined":
		return c.name + " " + i.Status
	}
	return ""
}

func (i codexItem) plan() string {
	var lines []string
	for _, item := range i.Items {
		status := ""
		if item.Completed {
			status = "completed"
		}
		lines = append(lines, toolcall.PlanLine(status, item.Text))
	}
	return strings.Join(lines, "\n")
}

// shellScript returns the script in `/bin/bash -lc 'script'`.
func shellScript(command string) string {
	words, ok := shellwords.Argv.One(command)
	if ok && len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
		return words[2]
	}
	return command
}
