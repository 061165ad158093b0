package simcursor

import (
	"maps"
)

// SampleFields returns an event's fields beside the common ones, for Fire, or nil for
// an unknown event.
func (ch *Chat) SampleFields(event string) map[string]any {
	const call = "call-4b1d6c0e-7f3a-4a55-9c57-0d1e2f3a4b5c"
	cwd := ch.cursor.cfg.Workspace
	file := cwd + "/server.go"
	tool := func(more map[string]any) map[string]any {
		fields := toolFields("Shell", map[string]any{"command": "go test ./...", "cwd": cwd}, call, cwd)
		maps.Copy(fields, more)
		return fields
	}
	switch event {
	case "sessionStart":
		return sessionFields(ch.ID, "agent")
	case "beforeSubmitPrompt":
		return ch.prompt("Make the tests pass.", "Make the tests pass.")
	case "preToolUse":
		return tool(nil)
	case "postToolUse":
		return tool(doneFields(shellOutput("ok  \tshop\t0.412s\n", 0), 5279.734))
	case "postToolUseFailure":
		return tool(failFields("timed out", "timeout", false, 120000))
	case "beforeShellExecution":
		return commandFields("go test ./...", cwd)
	case "afterShellExecution":
		return ranFields("go test ./...", "ok  \tshop\t0.412s\n", 5279.734)
	case "afterFileEdit":
		return editFields(file, "", "package shop\n")
	case "beforeReadFile":
		return readFields(file, "package shop\n")
	case "afterAgentResponse":
		return responseFields("All tests pass.", &Tokens{})
	case "stop":
		return stopFields("completed", 0, &Tokens{})
	}
	return ch.rareFields(event, call, file)
}

func (ch *Chat) rareFields(event, call, file string) map[string]any {
	const query, task = `{"sql": "select 1"}`, "Find every handler without a test."
	switch event {
	case "beforeMCPExecution":
		return map[string]any{"tool_name": "query", "tool_input": query, "command": "db-mcp --stdio"}
	case "afterMCPExecution":
		return map[string]any{"tool_name": "query", "tool_input": query, "duration": 173.531,
			"result_json": `{"content": [{"type": "text", "text": "1"}], "isError": false}`}
	case "beforeTabFileRead":
		return map[string]any{"file_path": file, "content": "package shop\n"}
	case "afterTabFileEdit":
		return tabEditFields(file)
	case "afterAgentThought":
		return map[string]any{"text": "The router is in server.go.", "duration_ms": 1067}
	case "preCompact":
		return map[string]any{"trigger": "auto", "context_usage_percent": 91.5, "context_tokens": 183000,
			"context_window_size": 200000, "message_count": 146, "messages_to_compact": 118, "is_first_compaction": true}
	case "sessionEnd":
		return map[string]any{"session_id": ch.ID, "reason": "completed", "duration_ms": 184213.5,
			"is_background_agent": false, "final_status": "completed"}
	case "subagentStart":
		return map[string]any{"subagent_id": call, "subagent_type": "generalPurpose", "task": task,
			"parent_conversation_id": ch.ID, "tool_call_id": call, "subagent_model": ch.cursor.cfg.Model,
			"is_parallel_worker": false}
	case "subagentStop":
		return map[string]any{"subagent_id": call, "subagent_type": "generalPurpose", "status": "completed",
			"task": task, "summary": "Two handlers have no test.", "duration_ms": 39041, "message_count": 7,
			"tool_call_count": 4, "loop_count": 0, "modified_files": []any{}, "parent_conversation_id": ch.ID}
	case "workspaceOpen":
		return map[string]any{}
	}
	return nil
}

func tabEditFields(file string) map[string]any {
	where := map[string]any{"start_line_number": 10, "start_column": 2, "end_line_number": 10, "end_column": 8}
	edit := map[string]any{"old_string": "retrun", "new_string": "return", "range": where,
		"old_line": "\tretrun nil", "new_line": "\treturn nil"}
	return map[string]any{"file_path": file, "edits": []any{edit}}
}
