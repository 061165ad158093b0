package host_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
)

func nothing(string) string { return "" }

var user = host.Trust{Home: "/home/user", Exists: func(string) bool { return false }}

// Each payload that was seen in a real program: what its own host's entry makes of it, and that any other entry makes nothing of it.
func TestEachPayloadSeen(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*-*.json")
	if err != nil || len(files) < 70 {
		t.Fatal(len(files), err)
	}
	var got strings.Builder
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		of, _, _ := strings.Cut(name, "-")
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range host.All() {
			event, ok := h.Read(payload, nothing, user)
			switch {
			case h.Name == of && ok:
				got.WriteString(name + " " + string(event) + "\n")
			case h.Name == of:
				got.WriteString(name + " nothing\n")
			case ok:
				t.Errorf("--host %s takes %s for its own: %s", h.Name, name, event)
			}
		}
	}
	golden.Matches(t, "testdata/decoded.txt", got.String())
}

// Cursor runs the entries of other hosts too, and Copilot those of Claude Code in a project.
func TestAPayloadOfAnotherProgramIsNothing(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		`{"conversation_id":"c","session_id":"c","hook_event_name":"Stop","transcript_path":"/home/user/.claude/projects/x/c.jsonl"}`,
		`{"cursor_version":"3.18","session_id":"c","hook_event_name":"Stop","turn_id":"t","sessionId":"c","stopReason":"x"}`,
		`{"session_id":"c","hook_event_name":"Stop","transcript_path":"/home/user/.copilot/session-state/c/events.jsonl","stop_hook_active":false}`,
		``, `{}`, `[]`, `null`, `{"session_id":`, `{"session_id":7}`,
	} {
		for _, h := range host.All() {
			if event, ok := h.Read([]byte(payload), nothing, user); ok {
				t.Errorf("--host %s takes %s for its own: %s", h.Name, payload, event)
			}
		}
	}
}

func read(t *testing.T, name, payload string, trust host.Trust) (event struct {
	Prompt string
	Status string
}, ok bool) {
	t.Helper()
	h, _ := host.Named(name)
	raw, ok := h.Read([]byte(payload), nothing, trust)
	if ok {
		if err := json.Unmarshal(raw, &event); err != nil {
			t.Fatal(err)
		}
	}
	return event, ok
}

// What the user typed, where the host shows its hook the command's text.
func TestTheLineBehindACommandsText(t *testing.T) {
	t.Parallel()
	text := "# /ralph-loop: text\n\n" + host.Mark + ", changes are lost (0af) -->\n"
	line := "/ralph-loop \"a <b>\\n\" --verify make"
	gemini := `{"session_id":"s","hook_event_name":"BeforeAgent","prompt":` + quote(text+"\n\n"+line) + `}`
	theirs := user
	theirs.Exists = func(path string) bool {
		return strings.HasSuffix(filepath.ToSlash(path), "/.gemini/commands") || strings.HasSuffix(filepath.ToSlash(path), "/.qwen/commands")
	}
	qwen := func(prompt string) string {
		return `{"cwd":"/w","session_id":"s","prompt_id":"s####0","transcript_path":"/q/chats/s.jsonl","hook_event_name":"UserPromptSubmit","submitted_prompt":"/ralph-loop [Pasted Content 12444 chars]","prompt":` + quote(prompt) + `}`
	}
	skill := func(folder string) string {
		return `{"sessionId":"s","prompt":` + quote("The user explicitly invoked the \"/ralph-loop\" skill.\n\n<skill-context name=\"ralph-loop\">\nBase directory for this skill: "+folder+"\n"+text+"\n"+line+"\n\n</skill-context>") + `}`
	}
	for _, tt := range []struct {
		name, host, payload string
		trust               host.Trust
		want                string
		ok                  bool
	}{
		{"the user's command", "gemini", gemini, user, line, true},
		{"a project's command, of any name", "gemini", strings.Replace(gemini, `{`, `{"cwd":"/w",`, 1), theirs, "", false},
		{"a project's command whose text is a line", "gemini", `{"cwd":"/w","session_id":"s","hook_event_name":"BeforeAgent","prompt":` + quote("\n"+line) + `}`, theirs, "", false},
		{"a line that goes on with a loop", "gemini", `{"cwd":"/w","session_id":"s","hook_event_name":"BeforeAgent","prompt":` + quote(text+"\n/ralph-loop --continue k7f2m") + `}`, theirs, "/ralph-loop --continue k7f2m", true},
		{"a line that ends one", "gemini", `{"cwd":"/w","session_id":"s","hook_event_name":"BeforeAgent","prompt":` + quote(text+"\n/cancel-ralph") + `}`, theirs, "/cancel-ralph", true},
		{"a message in such a project", "gemini", `{"cwd":"/w","session_id":"s","hook_event_name":"BeforeAgent","prompt":"mind the edges"}`, theirs, "mind the edges", true},
		{"a raw line in another", "gemini", `{"cwd":"/w","session_id":"s","hook_event_name":"BeforeAgent","prompt":` + quote(line) + `}`, user, line, true},
		{"a paste", "qwen", qwen(text + "\n\n" + line), user, line, true},
		{"a paste into a project's command, of any name", "qwen", qwen(text + "\n\n" + line), theirs, "", false},
		{"a paste into a message", "qwen", qwen("a long one"), theirs, "a long one", true},
		{"the mark twice", "gemini", `{"session_id":"s","hook_event_name":"BeforeAgent","prompt":` + quote(text+text+line) + `}`, user, text + text + line, true},
		{"the user's skill", "copilot", skill("/home/user/.copilot/skills/ralph-loop"), user, line, true},
		{"a project's skill", "copilot", skill("/w/.github/skills/ralph-loop"), user, "", false},
		{"a raw line", "codex", `{"session_id":"s","turn_id":"t","hook_event_name":"UserPromptSubmit","prompt":"$ralph-loop x"}`, user, "/ralph-loop x", true},
		{"another skill", "codex", `{"session_id":"s","turn_id":"t","hook_event_name":"UserPromptSubmit","prompt":"$other x"}`, user, "$other x", true},
		{"a continuation", "qwen", `{"session_id":"s","prompt_id":"s####0","transcript_path":"/q/chats/s.jsonl","hook_event_name":"UserPromptSubmit","prompt":"[Ralph loop 2/6]"}`, user, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := read(t, tt.host, tt.payload, tt.trust)
			if ok != tt.ok || got.Prompt != tt.want {
				t.Errorf("got %q, %v; want %q, %v", got.Prompt, ok, tt.want, tt.ok)
			}
		})
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always encodes
	return string(b)
}

// Stops that end no turn, and those of the user.
func TestWhatEndsATurn(t *testing.T) {
	t.Parallel()
	open, answered := filepath.Join(t.TempDir(), "open"), filepath.Join(t.TempDir(), "answered")
	before := `{"type":"user","content":"x"}` + "\n" + `{"type":"gemini","content":"Not yet."}` + "\n"
	if err := errors.Join(os.WriteFile(answered, []byte(before+`{"type":"info","content":"i"}`+"\n"), 0o600),
		os.WriteFile(open, []byte(before+`{"type":"user","content":"T"}`+"\n"+`{"type":"info","content":"Request cancelled."}`+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, host, payload, want string
		ok                        bool
	}{
		{"background tasks run", "claude", `{"session_id":"s","hook_event_name":"Stop","transcript_path":"/x/projects/w/s.jsonl","background_tasks":[{"id":"b"}]}`, "", false},
		{"background tasks run", "qwen", `{"session_id":"s","prompt_id":"s##0","hook_event_name":"Stop","transcript_path":"/x/chats/s.jsonl","background_tasks":[{}]}`, "", false},
		{"interrupted", "gemini", `{"session_id":"s","hook_event_name":"AfterAgent","prompt_response":"done 1 [no response text]"}`, "", false},
		{"interrupted after a continuation", "gemini", `{"session_id":"s","hook_event_name":"AfterAgent","prompt_response":"Not yet.","stop_hook_active":true,"transcript_path":` + quote(open) + `}`, "", false},
		{"answered", "gemini", `{"session_id":"s","hook_event_name":"AfterAgent","prompt_response":"Not yet.","transcript_path":` + quote(answered) + `}`, "completed", true},
		{"interrupted", "codex", `{"session_id":"s","turn_id":"t","hook_event_name":"Interrupt"}`, "aborted", true},
		{"failed", "claude", `{"session_id":"s","hook_event_name":"StopFailure","transcript_path":"/x/projects/w/s.jsonl"}`, "error", true},
		{"failed", "copilot", `{"sessionId":"s","error":{"message":"m"}}`, "error", true},
	} {
		got, ok := read(t, tt.host, tt.payload, user)
		if ok != tt.ok || got.Status != tt.want {
			t.Errorf("%s in %s: got %q, %v; want %q, %v", tt.name, tt.host, got.Status, ok, tt.want, tt.ok)
		}
	}
}

func TestTheLastWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gemini := file("g.jsonl", `{"type":"user","content":"x"}
{"type":"gemini","content":"first"}
{"type":"gemini","content":[{"text":"All finished. "},{"text":"<promise>COMPLETE</promise>"}]}
{"$set":{"lastUpdated":"x"}}
`)
	copilot := file("c.jsonl", `{"type":"user.message","data":{"content":"x"}}
{"type":"hook.start","data":{"hookType":"userPromptSubmitted"}}
{"type":"assistant.message","data":{"content":"done"}}
{"type":"hook.start","data":{"hookType":"agentStop"}}
`)
	for _, tt := range []struct{ host, event, want string }{
		{"claude", `{"last_assistant_message":"a &lt;promise&gt;"}`, "a &lt;promise&gt;"},
		{"codex", `{"last_assistant_message":"a &lt;b&gt;\n&lt;promise&gt;COMPLETE&lt;/promise&gt;"}`, "a &lt;b&gt;\n<promise>COMPLETE</promise>"},
		{"gemini", `{"transcript_path":` + quote(gemini) + `}`, "All finished. <promise>COMPLETE</promise>"},
		{"copilot", `{"transcript_path":` + quote(copilot) + `}`, "done"},
	} {
		h, _ := host.Named(tt.host)
		if got, err := h.LastWords([]byte(tt.event)); got != tt.want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", tt.host, got, err, tt.want)
		}
	}
}

func TestHowEachHostIsAnswered(t *testing.T) {
	t.Parallel()
	const stop, prompt = hook.EventStop, hook.EventBeforeSubmitPrompt
	for _, tt := range []struct {
		host, event string
		ours        any
		want        string
	}{
		{"claude", stop, host.Continuation{Text: "T"}, `{"decision":"block","reason":"T"}`},
		{"gemini", stop, host.Continuation{Text: "T", Fresh: true}, `{"decision":"block","reason":"T","hookSpecificOutput":{"clearContext":true,"hookEventName":"AfterAgent"}}`},
		{"copilot", stop, host.Continuation{Text: "T"}, `{"decision":"block","reason":"T"}`},
		{"codex", prompt, hook.Block("Send /ralph-loop, or /cancel-ralph."), `{"decision":"block","reason":"Send $ralph-loop, or $cancel-ralph."}`},
		{"qwen", prompt, hook.BeforeSubmitPromptAnswer{AdditionalContext: "C"}, `{"hookSpecificOutput":{"additionalContext":"C","hookEventName":"UserPromptSubmit"}}`},
		{"gemini", prompt, hook.BeforeSubmitPromptAnswer{AdditionalContext: "C"}, `{"hookSpecificOutput":{"additionalContext":"C","hookEventName":"BeforeAgent"}}`},
		{"copilot", prompt, hook.BeforeSubmitPromptAnswer{AdditionalContext: "C"}, `{"additionalContext":"C"}`},
		{"qwen", stop, host.Continuation{Text: "é 😀"}, `{"decision":"block","reason":"\u00e9 \ud83d\ude00"}`},
		{"claude", stop, nil, `null`},
	} {
		h, _ := host.Named(tt.host)
		got, err := json.Marshal(h.Answer(tt.event, tt.ours))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.host, got, err, tt.want)
		}
	}
}

// Two hooks that get one event may differ in its time alone.
func TestUntimed(t *testing.T) {
	first := host.Untimed([]byte(`{"sessionId":"s","timestamp":1795417331649,"stopReason":"end_turn"}`))
	for payload, same := range map[string]bool{
		`{"sessionId":"s","timestamp":1795417331700,"stopReason":"end_turn"}`:   true,
		`{"sessionId":"s","timestamp":"2026-11-27","stopReason":"end_turn"}`:    true,
		`{"sessionId":"s","timestamp":1795417331649,"stopReason":"max_tokens"}`: false,
		`{"sessionId":"s","stopReason":"end_turn","prompt":"timestamp"}`:        false,
	} {
		if got := host.Untimed([]byte(payload)); (string(got) == string(first)) != same {
			t.Errorf("%s: got %s beside %s", payload, got, first)
		}
	}
	if got := host.Untimed([]byte("no JSON")); string(got) != "no JSON" {
		t.Errorf("got %q", got)
	}
}
