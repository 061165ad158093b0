package modelserver_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/modelserver"
)

// wires are a request in each protocol, with a tool's result in it, and what its
// answer contains.
var wires = []struct{ path, body, tool, end string }{
	{"/v1/chat/completions",
		`{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"bash"}}],"messages":[{"role":"system","content":"be"},
		{"role":"user","content":[{"type":"text","text":"old"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"bash"}}]},
		{"role":"tool","tool_call_id":"1","content":"out"},{"role":"user","content":"new"}]}`,
		`"name":"bash"`, "data: [DONE]"},
	{"/v1/responses",
		`{"model":"m","stream":true,"instructions":"be","tools":[{"type":"function","name":"exec_command"}],"input":[
		{"type":"message","role":"user","content":[{"type":"input_text","text":"old"}]},{"type":"function_call","name":"exec_command"},
		{"type":"function_call_output","output":"out"},{"type":"reasoning"},{"role":"user","content":"new"}]}`,
		`"name":"exec_command"`, "event: response.completed"},
	{"/v1/messages",
		`{"model":"m","stream":true,"system":[{"type":"text","text":"be"}],"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"old"},
		{"role":"assistant","content":[{"type":"tool_use","name":"Bash","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"out"}]},{"type":"text","text":"new"}]}]}`,
		`"name":"Bash"`, "event: message_stop"},
	{"/v1beta/models/m:streamGenerateContent",
		`{"systemInstruction":{"parts":[{"text":"be"}]},"tools":[{"functionDeclarations":[{"name":"run_shell_command"}]}],"contents":[
		{"role":"user","parts":[{"text":"old"}]},{"role":"model","parts":[{"functionCall":{"name":"run_shell_command"}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":"out"}}]},{"role":"user","parts":[{"text":"new"}]}]}`,
		`"name":"run_shell_command"`, `"finishReason":"STOP"`},
}

// ask starts a server that gives one answer, and asks it.
func ask(t *testing.T, a modelserver.Answer, path, body string) (s *modelserver.Server, r *http.Response, answer string) {
	t.Helper()
	s, err := modelserver.Start(func(modelserver.Request) modelserver.Answer { return a })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if r, err = http.Post(s.URL()+path, "application/json", strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return s, r, string(b)
}

func TestProtocols(t *testing.T) {
	for _, tt := range wires {
		s, _, body := ask(t, modelserver.Answer{Text: "<promise>", Calls: []modelserver.Call{{Command: "ls -l"}}}, tt.path, tt.body)
		for _, want := range []string{tt.tool, tt.end, "ls -l"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %s in the answer:\n%s", tt.path, want, body)
			}
		}
		got := s.Requests()[0]
		if got.Model != "m" || strings.TrimSpace(got.System) != "be" || got.LastUser() != "new" {
			t.Errorf("%s: got model %s, system %q, last message %q", tt.path, got.Model, got.System, got.LastUser())
		}
		isResult := func(m modelserver.Message) bool {
			return len(m.Results) == 1 && strings.Trim(m.Results[0], `"`) == "out"
		}
		isCall := func(m modelserver.Message) bool { return len(m.Calls) == 1 }
		if !slices.ContainsFunc(got.Messages, isResult) || !slices.ContainsFunc(got.Messages, isCall) {
			t.Errorf("%s: no tool call, or no result, in %+v", tt.path, got.Messages)
		}
		_, r, body := ask(t, modelserver.Answer{Status: 429, Text: "slow down", RetryAfter: 2 * time.Second}, tt.path, tt.body)
		if r.StatusCode != 429 || r.Header.Get("Retry-After") != "2" || !strings.Contains(body, "slow down") {
			t.Errorf("%s: got %d, %v, %s; want an error", tt.path, r.StatusCode, r.Header, body)
		}
	}
}

func TestRequestsThatTheScriptDoesNotGet(t *testing.T) {
	s, _, body := ask(t, modelserver.Answer{Text: "the script's"}, wires[0].path, `{"messages":[{"role":"user","content":"a title"}]}`)
	if !strings.Contains(body, `"content":"scripted"`) || len(s.Requests()) != 0 {
		t.Errorf("without tools: got %s", body)
	}
	s, r, _ := ask(t, modelserver.Answer{}, "/v1/telemetry", "{}")
	if got := s.Unknown(); r.StatusCode != 404 || !slices.Equal(got, []string{"POST /v1/telemetry"}) {
		t.Errorf("an unknown path: got %d, %q", r.StatusCode, got)
	}
}
