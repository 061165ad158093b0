package host

import (
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// claude is Claude Code, seen with 2.1.330. Its payloads have no version; the path of the transcript is its own.
func claude() Host {
	return Host{
		Name: "claude", Title: "Claude Code", Mark: "/", ID: "CLAUDE_CODE_SESSION_ID", Folder: "CLAUDE_PROJECT_DIR",
		Context: 9_500, // above 10 kB the model gets a preview
		events: []event{
			{"Stop", hook.EventStop}, {"StopFailure", hook.EventStop}, {"UserPromptSubmit", hook.EventBeforeSubmitPrompt},
			{"PostToolUse", hook.EventPostToolUse}, {"PostToolUseFailure", hook.EventPostToolUseFailure},
		},
		is: func(p payload) bool {
			return p.TurnID == "" && hasFolder(p.Transcript, "projects") && strings.HasSuffix(p.Transcript, p.Session+".jsonl") && !hasFolder(p.Transcript, "chats")
		},
		Files: Files{
			Home: ".claude", Variable: "CLAUDE_CONFIG_DIR", Settings: "settings.json", Cap: "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
			Allow: []string{"permissions", "allow"}, Rule: "Bash(%s:*)",
			Command: "commands/%s.md", shape: frontmatter, Once: "answer its question whether you trust the folder",
		},
	}
}

// hasFolder reports whether a path, of any system, goes through a folder.
func hasFolder(path, name string) bool {
	return strings.Contains(strings.ReplaceAll(path, `\`, "/"), "/"+name+"/")
}
