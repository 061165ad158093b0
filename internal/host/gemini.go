package host

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// gemini is Gemini CLI, seen with 0.61.0. prompt_response adds up the answers of all turns and repeats pieces of them, so the
// last words come from the transcript.
func gemini() Host {
	return Host{
		Name: "gemini", Title: "Gemini CLI", Mark: "/", Folder: "GEMINI_PROJECT_DIR", Clears: true, Commands: geminis,
		events: []event{
			{"AfterAgent", hook.EventStop}, {"BeforeAgent", hook.EventBeforeSubmitPrompt}, {"AfterTool", hook.EventPostToolUse},
		},
		is:     func(p payload) bool { return p.Session != "" },
		prompt: func(p payload, t Trust) (string, bool) { return t.lineIn(p.Prompt, geminis) },
		words: func(p payload) (string, error) {
			said, _, err := lastOfGemini(p.Transcript)
			return said, err
		},
		idle: func(p payload) bool { // the user interrupted: of a continuation the transcript has no answer, and this stop comes again
			_, isOpen, _ := lastOfGemini(p.Transcript)
			return isOpen || strings.HasSuffix(strings.TrimSpace(p.Response), "[no response text]")
		},
		answer: func(event string, a answer) any {
			if !a.fresh {
				return nil
			}
			return decision{"block", a.block, map[string]any{"hookEventName": event, "clearContext": true}}
		},
		Files: Files{
			Home: ".gemini", Settings: "settings.json", Rules: "policies/cursor-ralph.toml", rules: policy, // its list tools.allowed would deny all other commands
			Milliseconds: true, Command: "commands/%s.toml", Expands: true, shape: toml, Once: "trust the folder, if it asks",
		},
	}
}

const geminis = ".gemini/commands"

// lineIn returns the raw line behind our command's text in a prompt, or the prompt. In a project with commands, whose texts an agent
// in a sandbox may write, the user may have typed another one: there no line starts a loop, since it can name programs to run.
func (t Trust) lineIn(prompt, folder string) (line string, ok bool) {
	if line, ok = afterMark(prompt); !ok {
		line = prompt
	}
	words := strings.Fields(line)
	starts := len(words) > 0 && slices.Contains([]string{"/ralph-loop", "/ulw-loop"}, words[0]) && !continues(line)
	theirs := func(root string) bool { return t.Exists(filepath.Join(root, filepath.FromSlash(folder))) }
	if starts && slices.ContainsFunc(t.Roots, theirs) {
		return "", false
	}
	return line, true
}

func continues(line string) bool {
	_, rest, _ := strings.Cut(line, " ")
	return strings.HasPrefix(strings.TrimSpace(rest), "--continue")
}

// afterMark returns the raw line behind the last line of our command's text, which stands there exactly once.
func afterMark(prompt string) (line string, ok bool) {
	if strings.Count(prompt, Mark) != 1 {
		return "", false
	}
	_, rest, _ := strings.Cut(prompt, Mark)
	_, line, _ = strings.Cut(rest, "-->")
	line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "</skill-context>")) // around a skill's text
	return line, strings.HasPrefix(line, "/")
}

// mostTranscript is how much of the end of a transcript is read.
const mostTranscript = 4 << 20

// tail returns the end of a file, at the beginning of a line.
func tail(path string) ([]byte, error) {
	f, err := os.Open(path) // #nosec G304 -- the host names it
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-mostTranscript)
	data := make([]byte, info.Size()-from)
	n, err := f.ReadAt(data, from)
	data = data[:n]
	if from > 0 {
		data = data[bytes.IndexByte(data, '\n')+1:]
	}
	if n > 0 {
		err = nil
	}
	return data, err
}

// lastOfGemini returns the content of the last line of the agent, and whether a message behind it has no answer. A message is
// written again when its tool calls end.
func lastOfGemini(path string) (said string, isOpen bool, err error) {
	data, err := tail(path)
	for line := range bytes.Lines(data) {
		var m struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch m.Type {
		case "gemini":
			said, isOpen = content(m.Content), false
		case "user":
			isOpen = true
		}
	}
	return said, isOpen, err
}

// content is a string, or parts with texts.
func content(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		text += p.Text
	}
	return text
}
