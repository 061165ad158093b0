package printmode

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// codexEvent is a line of `codex exec --json`.
type codexEvent struct {
	Type    string     `json:"type"`
	Thread  string     `json:"thread_id"`
	Item    codexItem  `json:"item"`
	Message text       `json:"message"`
	Error   codexError `json:"error"`
}

type codexError struct {
	Message text `json:"message"`
}

type codexItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Text    text   `json:"text"`
	Status  string `json:"status"`
	Command text   `json:"command"`
	Output  text   `json:"aggregated_output"`
	Exit    int    `json:"exit_code"`
	Changes []struct {
		Path string `json:"path"`
	} `json:"changes"`
	Server text       `json:"server"`
	Tool   text       `json:"tool"`
	Query  text       `json:"query"`
	Error  codexError `json:"error"`
	Items  []struct {
		Text      text `json:"text"`
		Completed bool `json:"completed"`
	} `json:"items"`
}

func parseCodex(t *turn, line []byte) {
	var e codexEvent
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "thread.started":
		t.name(e.Thread)
	case "item.started", "item.updated", "item.completed":
		t.codexItem(e.Item, strings.TrimPrefix(e.Type, "item."))
	case "turn.completed":
		t.succeed()
	case "turn.failed":
		t.fail(string(e.Error.Message), 0)
		t.told = true
	case "error": // the last of its attempts may succeed
		t.fail(string(e.Message), 0)
	}
}

func (t *turn) codexItem(i codexItem, phase string) {
	switch i.Type {
	case "agent_message":
		if phase == "completed" {
			t.message(string(i.Text))
		}
	case "todo_list":
		t.see(outer.Seen{Plan: i.plan()})
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call":
		switch phase {
		case "started":
			t.begin(i.calls()[0])
		case "completed":
			for _, c := range i.calls() {
				t.finish(c, i.failure(c))
			}
		}
	}
}

// calls are one, but for a change of files one a file: a record has one file.
func (i codexItem) calls() (list []call) {
	switch i.Type {
	case "command_execution":
		return []call{{id: i.ID, name: "shell", command: unwrapped(string(i.Command))}}
	case "file_change":
		for n, change := range i.Changes {
			list = append(list, call{id: fmt.Sprintf("%s.%d", i.ID, n), name: "apply_patch", file: change.Path})
		}
	case "mcp_tool_call":
		return []call{{id: i.ID, name: strings.Trim(string(i.Server+"."+i.Tool), ".")}}
	case "web_search":
		return []call{{id: i.ID, name: i.Type}}
	}
	if len(list) == 0 {
		list = []call{{id: i.ID, name: i.Type}}
	}
	return list
}

func (i codexItem) failure(c call) string {
	switch {
	case i.Exit != 0:
		return exited(c.command, i.Exit, string(i.Output))
	case i.Error.Message != "":
		return string(i.Error.Message)
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
		lines = append(lines, mark(status)+string(item.Text))
	}
	return strings.Join(lines, "\n")
}

// unwrapped gives the script of `/bin/bash -lc 'script'`.
func unwrapped(command string) string {
	words, err := shellquote.Split(command)
	if err == nil && len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
		return words[2]
	}
	return command
}
