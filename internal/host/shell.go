package host

// shells are the variables that the hosts set in their agents' shells, and no user sets, with the host's title; Cursor's is empty.
var shells = [...]struct{ title, name string }{
	{"", "CURSOR_AGENT"}, {"", "CURSOR_CONVERSATION_ID"},
	{"Claude Code", "CLAUDECODE"}, {"Claude Code", "CLAUDE_CODE_SESSION_ID"}, {"Claude Code", "AI_AGENT"},
	{"Codex", "CODEX_SESSION_ID"}, {"Codex", "CODEX_THREAD_ID"}, {"Codex", "CODEX_CI"}, {"Codex", "CODEX_SANDBOX"}, {"Codex", "CODEX_SANDBOX_NETWORK_DISABLED"},
	{"Gemini CLI", "GEMINI_CLI"},
	{"Qwen Code", "QWEN_CODE"}, {"Qwen Code", "QWEN_CODE_SESSION_ID"},
	{"Copilot CLI", "COPILOT_CLI"}, {"Copilot CLI", "COPILOT_AGENT_SESSION_ID"},
}

// ShellVariables returns the names of these variables. Some hosts set them for their hooks too.
func ShellVariables() []string {
	list := make([]string, len(shells))
	for i, s := range shells {
		list[i] = s.name
	}
	return list
}

// InShell returns the titles of the hosts whose agent's shell has this environment, one for each variable.
func InShell(getenv func(string) string) (titles []string) {
	for _, s := range shells {
		if getenv(s.name) != "" {
			titles = append(titles, s.title)
		}
	}
	return titles
}
