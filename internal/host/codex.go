package host

import "github.com/cursor-ralph/cursor-ralph/hook"

// codex is OpenAI's Codex CLI, seen with 0.169.0. It cuts texts in the middle at about 9.8 kB, and runs an entry again whose
// user and project files both have it.
func codex() Host {
	return Host{
		Name: "codex", Title: "Codex", Mark: "$", ID: "CODEX_SESSION_ID",
		Limit: 9_400, Context: 9_400, Escapes: true,
		events: []event{
			{"Stop", hook.EventStop}, {"Interrupt", hook.EventStop}, {"UserPromptSubmit", hook.EventBeforeSubmitPrompt}, {"PostToolUse", hook.EventPostToolUse},
		},
		is: func(p payload) bool { return p.TurnID != "" && p.PromptID == "" },
		answer: func(event string, a answer) any { // which Interrupt does not take
			if event == "Interrupt" {
				return struct{}{}
			}
			return nil
		},
		Files: Files{
			Home: ".codex", Variable: "CODEX_HOME", Settings: "hooks.json", Rules: "rules/cursor-ralph.rules", rules: starlark,
			Command: "skills/%s/SKILL.md", shape: skill, Beside: "skills/%s/agents/openai.yaml",
			Trust: "config.toml",
			Once:  "trust its hooks when it asks (\"Hooks need review\"), and again if it ever says that they have changed",
		},
	}
}
