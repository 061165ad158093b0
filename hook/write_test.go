package hook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// log is a writer that remembers each write.
type log struct{ writes []string }

func (l *log) Write(p []byte) (int, error) {
	l.writes = append(l.writes, string(p))
	return len(p), nil
}

func TestWriteWritesOneObjectAndANewline(t *testing.T) {
	no := false
	for _, tt := range []struct {
		name   string
		answer any
		want   string
	}{
		{"nothing", nil, `{}`},
		{"a nil pointer", (*hook.StopAnswer)(nil), `{}`},
		{"no follow-up", hook.StopAnswer{}, `{}`},
		{"a marker stays readable", hook.StopAnswer{FollowupMessage: "<promise>A & B</promise>"},
			`{"followup_message":"<promise>A & B</promise>"}`},
		{"a newline and quotes", hook.StopAnswer{FollowupMessage: "a\n\"b\""}, `{"followup_message":"a\n\"b\""}`},
		{"a line separator", hook.StopAnswer{FollowupMessage: "a\u2028b"}, `{"followup_message":"a\u2028b"}`},
		{"an empty prompt answer", hook.BeforeSubmitPromptAnswer{}, `{}`},
		{"a prompt held back", hook.BeforeSubmitPromptAnswer{Continue: &no, UserMessage: "wait"},
			`{"continue":false,"user_message":"wait"}`},
		{"context for a prompt", hook.BeforeSubmitPromptAnswer{AdditionalContext: "hint"}, `{"additional_context":"hint"}`},
		{"no opinion", hook.PermissionAnswer{}, `{}`},
		{"denied", hook.PermissionAnswer{Permission: hook.Deny, UserMessage: "u", AgentMessage: "a"},
			`{"permission":"deny","user_message":"u","agent_message":"a"}`},
		{"another input", hook.PermissionAnswer{UpdatedInput: json.RawMessage("{\n \"command\": \"a<b\"}")},
			`{"updated_input":{"command":"a<b"}}`},
		{"an empty tool answer", hook.ToolAnswer{}, `{}`},
		{"context for a tool", hook.ToolAnswer{AdditionalContext: "hint"}, `{"additional_context":"hint"}`},
		{"another output", hook.ToolAnswer{UpdatedMCPToolOutput: json.RawMessage(`{"a":1}`)}, `{"updated_mcp_tool_output":{"a":1}}`},
		{"an empty session answer", hook.SessionStartAnswer{}, `{}`},
		{"an environment", hook.SessionStartAnswer{Env: map[string]string{"B": "2", "A": "1"}, AdditionalContext: "hint"},
			`{"env":{"A":"1","B":"2"},"additional_context":"hint"}`},
		{"a compaction answer", hook.PreCompactAnswer{UserMessage: "u"}, `{"user_message":"u"}`},
		{"a workspace answer", hook.WorkspaceOpenAnswer{PluginPaths: []string{"/p"}}, `{"pluginPaths":["/p"]}`},
		{"an answer of one's own", map[string]int{"a": 1}, `{"a":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out log
			if err := hook.Write(&out, tt.answer); err != nil {
				t.Fatal(err)
			}
			if len(out.writes) != 1 || out.writes[0] != tt.want+"\n" {
				t.Errorf("got %q want %q in one write", out.writes, tt.want+"\n")
			}
		})
	}
}

func TestWriteMakesTextUTF8(t *testing.T) {
	var out log
	if err := hook.Write(&out, hook.StopAnswer{FollowupMessage: "a\xffb"}); err != nil {
		t.Fatal(err)
	}
	var got hook.StopAnswer
	if err := json.Unmarshal([]byte(out.writes[0]), &got); err != nil {
		t.Fatal(err)
	}
	if got.FollowupMessage != "a\uFFFDb" {
		t.Errorf("got %q", got.FollowupMessage)
	}
}

func TestWriteOfWhatIsNoAnswerIsEmpty(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer any
	}{
		{"a channel", make(chan int)},
		{"a function", func() {}},
		{"a string", "stop"},
		{"a list", []string{"stop"}},
		{"a number", 1},
		{"invalid JSON", json.RawMessage(`{"a":`)},
		{"two objects", json.RawMessage(`{}{}`)},
		{"invalid input", hook.PermissionAnswer{UpdatedInput: json.RawMessage(`{`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out log
			err := hook.Write(&out, tt.answer)
			if err == nil || !strings.HasPrefix(err.Error(), "encode hook answer: ") {
				t.Errorf("got error %v", err)
			}
			if len(out.writes) != 1 || out.writes[0] != "{}\n" {
				t.Errorf("got %q want {} in one write", out.writes)
			}
		})
	}
}
