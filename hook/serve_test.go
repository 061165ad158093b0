package hook_test

import (
	"bytes"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// recorder returns handlers that append each event they get to seen, and answer
// with the words that show whose answer came out.
func recorder(seen *[]any) hook.Handlers {
	note := func(event any) { *seen = append(*seen, event) }
	allow := hook.PermissionAnswer{Permission: hook.Allow}
	return hook.Handlers{
		SessionStart: func(e hook.SessionStart) hook.SessionStartAnswer {
			note(e)
			return hook.SessionStartAnswer{AdditionalContext: "start"}
		},
		SessionEnd: func(e hook.SessionEnd) { note(e) },
		BeforeSubmitPrompt: func(e hook.BeforeSubmitPrompt) hook.BeforeSubmitPromptAnswer {
			note(e)
			return hook.BeforeSubmitPromptAnswer{UserMessage: "prompt"}
		},
		AfterAgentResponse: func(e hook.AfterAgentResponse) { note(e) },
		AfterAgentThought:  func(e hook.AfterAgentThought) { note(e) },
		Stop:               func(e hook.Stop) hook.StopAnswer { note(e); return hook.StopAnswer{FollowupMessage: "on"} },
		PreCompact: func(e hook.PreCompact) hook.PreCompactAnswer {
			note(e)
			return hook.PreCompactAnswer{UserMessage: "compact"}
		},
		SubagentStart: func(e hook.SubagentStart) hook.PermissionAnswer { note(e); return allow },
		SubagentStop: func(e hook.SubagentStop) hook.StopAnswer {
			note(e)
			return hook.StopAnswer{FollowupMessage: "subagent"}
		},
		WorkspaceOpen: func(e hook.WorkspaceOpen) hook.WorkspaceOpenAnswer {
			note(e)
			return hook.WorkspaceOpenAnswer{PluginPaths: []string{"/p"}}
		},
		PreToolUse:  func(e hook.PreToolUse) hook.PermissionAnswer { note(e); return allow },
		PostToolUse: func(e hook.PostToolUse) hook.ToolAnswer { note(e); return hook.ToolAnswer{AdditionalContext: "post"} },
		PostToolUseFailure: func(e hook.PostToolUseFailure) hook.ToolAnswer {
			note(e)
			return hook.ToolAnswer{AdditionalContext: "failure"}
		},
		BeforeShellExecution: func(e hook.BeforeShellExecution) hook.PermissionAnswer { note(e); return allow },
		AfterShellExecution:  func(e hook.AfterShellExecution) { note(e) },
		BeforeMCPExecution:   func(e hook.BeforeMCPExecution) hook.PermissionAnswer { note(e); return allow },
		AfterMCPExecution:    func(e hook.AfterMCPExecution) { note(e) },
		BeforeReadFile:       func(e hook.BeforeReadFile) hook.PermissionAnswer { note(e); return allow },
		AfterFileEdit:        func(e hook.AfterFileEdit) { note(e) },
		BeforeTabFileRead:    func(e hook.BeforeTabFileRead) hook.PermissionAnswer { note(e); return allow },
		AfterTabFileEdit:     func(e hook.AfterTabFileEdit) { note(e) },
	}
}

// answers holds what recorder's handlers answer, by event; the others answer {}.
func answers() map[string]string {
	const allow = `{"permission":"allow"}`
	return map[string]string{
		"sessionStart":         `{"additional_context":"start"}`,
		"beforeSubmitPrompt":   `{"user_message":"prompt"}`,
		"stop":                 `{"followup_message":"on"}`,
		"preCompact":           `{"user_message":"compact"}`,
		"subagentStart":        allow,
		"subagentStop":         `{"followup_message":"subagent"}`,
		"workspaceOpen":        `{"pluginPaths":["/p"]}`,
		"preToolUse":           allow,
		"postToolUse":          `{"additional_context":"post"}`,
		"postToolUseFailure":   `{"additional_context":"failure"}`,
		"beforeShellExecution": allow,
		"beforeMCPExecution":   allow,
		"beforeReadFile":       allow,
		"beforeTabFileRead":    allow,
	}
}

func TestServeGivesEachEventToItsHandler(t *testing.T) {
	for _, want := range samples() {
		t.Run(nameOf(want), func(t *testing.T) {
			var seen []any
			var out log
			if err := hook.Serve(bytes.NewReader(sample(t, nameOf(want))), &out, recorder(&seen)); err != nil {
				t.Fatal(err)
			}
			if len(seen) != 1 || !reflect.DeepEqual(seen[0], want) {
				t.Errorf("got  %+v\nwant %+v", seen, want)
			}
			answer := answers()[nameOf(want)]
			if answer == "" {
				answer = "{}"
			}
			if len(out.writes) != 1 || out.writes[0] != answer+"\n" {
				t.Errorf("got %q want %q", out.writes, answer)
			}
		})
	}
}

func TestServeAnswersAnEventWithoutHandler(t *testing.T) {
	names := append(hook.Events(), "", "stops", "Stop", "postCompact")
	for _, name := range names {
		var out log
		raw := `{"hook_event_name":"` + name + `","status":7}`
		if err := hook.Serve(strings.NewReader(raw), &out, hook.Handlers{}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if len(out.writes) != 1 || out.writes[0] != "{}\n" {
			t.Errorf("%q: got %q want {}", name, out.writes)
		}
	}
}

func TestServeSurvivesItsHandler(t *testing.T) {
	for _, tt := range []struct {
		name   string
		handle func(hook.Stop) hook.StopAnswer
		want   string
	}{
		{"panic with a text", func(hook.Stop) hook.StopAnswer { panic("no disk") }, "hook handler: panic: no disk"},
		{"panic with nil", func(hook.Stop) hook.StopAnswer { panic(nil) }, "panic called with nil"},
		{"an index out of range", func(e hook.Stop) hook.StopAnswer { _ = e.WorkspaceRoots[99]; return hook.StopAnswer{} }, "out of range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out log
			r := bytes.NewReader(sample(t, hook.EventStop))
			err := hook.Serve(r, &out, hook.Handlers{Stop: tt.handle})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v want %q in it", err, tt.want)
			}
			if len(out.writes) != 1 || out.writes[0] != "{}\n" {
				t.Errorf("got %q want {}", out.writes)
			}
			if r.Len() != 0 {
				t.Errorf("%d bytes left unread", r.Len())
			}
		})
	}
}

func TestServeAnswersForAHandlerThatEndsItsGoroutine(t *testing.T) {
	var out log
	raw := sample(t, hook.EventStop)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Nothing is returned from a goroutine that has ended.
		_ = hook.Serve(bytes.NewReader(raw), &out, hook.Handlers{
			Stop: func(hook.Stop) hook.StopAnswer { runtime.Goexit(); return hook.StopAnswer{} },
		})
	}()
	<-done
	if len(out.writes) != 1 || out.writes[0] != "{}\n" {
		t.Errorf("got %q want {}", out.writes)
	}
}
