package host

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// copilot is GitHub's Copilot CLI, seen with 1.0.102. Its payloads do not name their event, and nothing raises its cap.
func copilot() Host {
	return Host{
		Name: "copilot", Title: "Copilot CLI", Mark: "/", ID: "COPILOT_AGENT_SESSION_ID", Folder: "COPILOT_PROJECT_DIR", Cap: 8,
		events: []event{
			{"agentStop", hook.EventStop}, {"errorOccurred", hook.EventStop}, {"userPromptSubmitted", hook.EventBeforeSubmitPrompt}, {"postToolUse", hook.EventPostToolUse},
		},
		is: func(p payload) bool { return p.SessionID != "" && p.Event == "" },
		event: func(p payload) string {
			switch {
			case p.StopReason != "":
				return "agentStop"
			case p.ToolResult != nil:
				return "postToolUse"
			case p.Prompt != "":
				return "userPromptSubmitted"
			case p.Error != nil:
				return "errorOccurred"
			}
			return ""
		},
		prompt: func(p payload, t Trust) (string, bool) {
			line, ok := afterMark(p.Prompt)
			if !ok {
				return p.Prompt, true
			}
			return line, isOurSkill(p.Prompt, t.Home)
		},
		words: lastOfCopilot,
		answer: func(_ string, a answer) any {
			if a.context == "" {
				return nil
			}
			return map[string]any{"additionalContext": a.context}
		},
		Files: Files{
			Home: ".copilot", Project: ".github", Settings: "hooks/cursor-ralph.json", Own: true,
			Command: "skills/%s/SKILL.md", Expands: true, shape: copilotSkill, Once: "answer its question whether you trust the folder",
		},
	}
}

// isOurSkill reports whether a skill's text comes from the user's own folder, which Copilot names before the text.
func isOurSkill(prompt, home string) bool {
	_, rest, _ := strings.Cut(prompt, "\nBase directory for this skill: ")
	folder, _, _ := strings.Cut(rest, "\n")
	before, _, _ := strings.Cut(prompt, "<skill-context")
	return home != "" && !strings.Contains(before, Mark) && filepath.Dir(strings.TrimSpace(folder)) == filepath.Join(home, ".copilot", "skills")
}

// How long the transcript may be late: it gets the agent's words after the hook has begun.
const (
	lateTranscript = time.Second
	lookAgain      = 20 * time.Millisecond
)

// lastOfCopilot returns the words before the newest hook.start, which has to be that of this stop.
func lastOfCopilot(p payload) (said string, err error) {
	for end := time.Now().Add(lateTranscript); ; time.Sleep(lookAgain) {
		data, err := tail(p.Transcript)
		said, done := copilotWords(data)
		if done || time.Now().After(end) {
			return said, err
		}
	}
}

func copilotWords(transcript []byte) (said string, done bool) {
	for line := range bytes.Lines(transcript) {
		var e struct {
			Type string `json:"type"`
			Data struct {
				Content  string `json:"content"`
				HookType string `json:"hookType"`
			} `json:"data"`
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch e.Type {
		case "assistant.message":
			said, done = e.Data.Content, false
		case "user.message":
			said, done = "", false
		case "hook.start":
			done = e.Data.HookType == "agentStop"
		}
	}
	return said, done
}
