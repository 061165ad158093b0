package simcursor

// The fields of events beside the common ones, for turns and for samples.

func sessionFields(id, mode string) map[string]any {
	return map[string]any{"session_id": id, "generation_id": "", "composer_mode": mode, "is_background_agent": false}
}

func toolFields(name string, input map[string]any, id, cwd string) map[string]any {
	return map[string]any{"tool_name": name, "tool_input": input, "tool_use_id": id, "cwd": cwd}
}

func doneFields(output string, milliseconds float64) map[string]any {
	return map[string]any{"tool_output": output, "duration": milliseconds}
}

func failFields(message, kind string, interrupt bool, milliseconds float64) map[string]any {
	return map[string]any{"error_message": message, "failure_type": kind, "is_interrupt": interrupt, "duration": milliseconds}
}

func commandFields(command, cwd string) map[string]any {
	return map[string]any{"command": command, "cwd": cwd, "sandbox": false}
}

func ranFields(command, output string, milliseconds float64) map[string]any {
	return map[string]any{"command": command, "output": output, "duration": milliseconds, "sandbox": false}
}

// shellOutput returns the tool_output of a shell command: JSON in a string.
func shellOutput(output string, exit int) string {
	return string(encode(map[string]any{"output": output, "exitCode": exit}))
}

func editFields(path, old, content string) map[string]any {
	edits := []any{map[string]any{"old_string": old, "new_string": content}}
	return map[string]any{"file_path": path, "edits": edits}
}

func readFields(path, content string) map[string]any {
	return map[string]any{"file_path": path, "content": content, "attachments": []any{}}
}

func responseFields(text string, spent *Tokens) map[string]any {
	return spent.in(map[string]any{"text": text})
}

func stopFields(status string, count int, spent *Tokens) map[string]any {
	return spent.in(map[string]any{"status": status, "loop_count": count})
}
