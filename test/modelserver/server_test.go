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

// wires are a request in each protocol, with an answer of a tool in it.
var wires = []struct{ name, path, body, tool, want string }{
	{"chat", "/v1/chat/completions",
		`{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"bash"}}],"messages":[{"role":"system","content":"be"},
		{"role":"user","content":[{"type":"text","text":"old"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"bash"}}]},
		{"role":"tool","tool_call_id":"1","content":"out"},{"role":"user","content":"new"}]}`,
		`"name":"bash"`, "data: [DONE]"},
	{"responses", "/v1/responses",
		`{"model":"m","stream":true,"instructions":"be","tools":[{"type":"function","name":"exec_command"}],"input":[
		{"type":"message","role":"user","content":[{"type":"input_text","text":"old"}]},{"type":"function_call","name":"exec_command"},
		{"type":"function_call_output","output":"out"},{"type":"reasoning"},{"role":"user","content":"new"}]}`,
		`"name":"exec_command"`, "event: response.completed"},
	{"messages", "/v1/messages",
		`{"model":"m","stream":true,"system":[{"type":"text","text":"be"}],"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"old"},
		{"role":"assistant","content":[{"type":"tool_use","name":"Bash","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"out"}]},{"type":"text","text":"new"}]}]}`,
		`"name":"Bash"`, "event: message_stop"},
	{"gemini", "/v1beta/models/m:streamGenerateContent",
		`{"systemInstruction":{"parts":[{"text":"be"}]},"tools":[{"functionDeclarations":[{"name":"run_shell_command"}]}],"contents":[
		{"role":"user","parts":[{"text":"old"}]},{"role":"model","parts":[{"functionCall":{"name":"run_shell_command"}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":"out"}}]},{"role":"user","parts":[{"text":"new"}]}]}`,
		`"name":"run_shell_command"`, `"finishReason":"STOP"`},
}

func start(t *testing.T, script modelserver.Script) *modelserver.Server {
	t.Helper()
	s, err := modelserver.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func ask(t *testing.T, url, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(b)
}

func TestEachProtocolIsReadAndSpoken(t *testing.T) {
	for _, tt := range wires {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, func(modelserver.Request) modelserver.Answer {
				return modelserver.Answer{Text: "<promise>", Calls: []modelserver.Call{{Command: "ls -l"}}}
			})
			_, body := ask(t, s.URL()+tt.path, tt.body)
			for _, want := range []string{tt.tool, tt.want, "ls -l"} {
				if !strings.Contains(body, want) {
					t.Errorf("no %s in the answer:\n%s", want, body)
				}
			}
			r := s.Requests()[0]
			if r.Wire != tt.name || r.Model != "m" || strings.TrimSpace(r.System) != "be" || r.LastUser() != "new" {
				t.Errorf("got %s, model %s, system %q, last %q", r.Wire, r.Model, r.System, r.LastUser())
			}
			results := slices.ContainsFunc(r.Messages, func(m modelserver.Message) bool {
				return len(m.Results) == 1 && strings.Trim(m.Results[0], `"`) == "out"
			})
			calls := slices.ContainsFunc(r.Messages, func(m modelserver.Message) bool { return len(m.Calls) == 1 })
			if !results || !calls {
				t.Errorf("the call of the tool, or its answer, is not in %+v", r.Messages)
			}
		})
	}
}

func TestAnErrorIsOne(t *testing.T) {
	for _, tt := range wires {
		s := start(t, func(modelserver.Request) modelserver.Answer {
			return modelserver.Answer{Status: 429, Text: "slow down", RetryAfter: 2 * time.Second}
		})
		r, body := ask(t, s.URL()+tt.path, tt.body)
		if r.StatusCode != 429 || r.Header.Get("Retry-After") != "2" || !strings.Contains(body, "slow down") {
			t.Errorf("%s: got %d, %v, %s", tt.name, r.StatusCode, r.Header, body)
		}
	}
}

func TestAQuestionWithoutToolsIsNotForTheScript(t *testing.T) {
	s := start(t, func(modelserver.Request) modelserver.Answer {
		t.Error("the script was asked")
		return modelserver.Answer{}
	})
	_, body := ask(t, s.URL()+"/v1/chat/completions", `{"messages":[{"role":"user","content":"a title"}]}`)
	if !strings.Contains(body, `"content":"scripted"`) || len(s.Requests()) != 0 {
		t.Errorf("got %s", body)
	}
}

func TestWhatIsNotKnownIsToldOf(t *testing.T) {
	s := start(t, nil)
	r, _ := ask(t, s.URL()+"/v1/telemetry", "{}")
	if got := s.Unknown(); r.StatusCode != 404 || !slices.Equal(got, []string{"POST /v1/telemetry"}) {
		t.Errorf("got %d, %q", r.StatusCode, got)
	}
}

func TestAnAnswerThatIsHeldEndsWithTheServer(t *testing.T) {
	s := start(t, func(modelserver.Request) modelserver.Answer { return modelserver.Answer{Hold: true} })
	r, err := http.Post(s.URL()+wires[0].path, "application/json", strings.NewReader(wires[0].body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	done := make(chan struct{})
	go func() { _, _ = io.ReadAll(r.Body); close(done) }()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-done
}
