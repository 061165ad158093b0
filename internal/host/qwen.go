package host

import (
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// qwen is Qwen Code, seen with 0.24.4. It takes a timeout of 1000 and more for milliseconds.
func qwen() Host {
	return Host{
		Name: "qwen", Title: "Qwen Code", Mark: "/", ID: "QWEN_CODE_SESSION_ID", Folder: "QWEN_PROJECT_DIR",
		events: []event{
			{"Stop", hook.EventStop}, {"StopFailure", hook.EventStop}, {"UserPromptSubmit", hook.EventBeforeSubmitPrompt},
			{"PostToolUse", hook.EventPostToolUse}, {"PostToolUseFailure", hook.EventPostToolUseFailure},
		},
		is: func(p payload) bool {
			return strings.HasPrefix(p.PromptID, p.Session) && hasFolder(p.Transcript, "chats")
		},
		prompt: func(p payload, t Trust) (string, bool) {
			switch {
			case p.Submitted == nil: // a continuation, or a tool's result
				return "", false
			case strings.Contains(*p.Submitted, "[Pasted Content "): // in the place of a long one
				line, ok := t.lineIn(p.Prompt, ".qwen/commands")
				return line, ok && !continues(line) // which is not long
			}
			return *p.Submitted, true
		},
		Files: Files{
			Home: ".qwen", Settings: "settings.json", Cap: "QWEN_CODE_STOP_HOOK_BLOCK_CAP",
			Allow: []string{"permissions", "allow"}, Rule: "Bash(%s *)", Milliseconds: true, seconds: 1000,
			Command: "commands/%s.md", shape: frontmatter,
		},
	}
}
