//go:build unix

package simcursor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// every returns one well-behaved hook on each event.
func every() hooks {
	h := hooks{}
	for _, event := range simcursor.AllEvents() {
		h[event] = []entry{{"command": says("{}")}}
	}
	return h
}

// events returns the names of the hook runs in order, and what else happened.
func events(ch *simcursor.Chat) []string {
	var all []string
	for _, e := range ch.Transcript() {
		switch e.Kind {
		case simcursor.HookRun:
			all = append(all, e.Name)
		case simcursor.ToolCall, simcursor.AssistantText, simcursor.ModelMessage, simcursor.TurnEnd:
			all = append(all, string(e.Kind))
		}
	}
	return all
}

func TestOrderOfEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t).project(every())
	ch := w.chat(func(turn *simcursor.Turn) {
		turn.Say("hello")
		turn.Shell("exit 3")
		turn.Edit("f", "x")
		turn.Read("f")
		turn.Tool("Grep", nil, "")
		turn.FailTool("Grep", nil, "no")
	})
	equal(t, "events", events(ch), strings.Fields(`sessionStart beforeSubmitPrompt model
		assistant afterAgentResponse
		preToolUse beforeShellExecution tool afterShellExecution postToolUse
		preToolUse tool afterFileEdit postToolUse
		preToolUse beforeReadFile tool postToolUse
		preToolUse tool postToolUse
		preToolUse tool postToolUseFailure
		end stop`))
}

func TestPayloadsOfAShellCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t).project(every())
	ch := w.chat(func(turn *simcursor.Turn) {
		if out, exit := turn.Shell("echo out; echo err >&2; exit 3"); out != "out\nerr\n" || exit != 3 {
			t.Errorf("got %q, %d", out, exit)
		}
	})
	pre, post := payload(t, ch.Runs("preToolUse")[0]), payload(t, ch.Runs("postToolUse")[0])
	if pre["tool_use_id"] == "" || pre["tool_use_id"] != post["tool_use_id"] || post["tool_name"] != "Shell" {
		t.Errorf("got %v and %v", pre, post)
	}
	input := post["tool_input"].(map[string]any)
	if input["command"] != "echo out; echo err >&2; exit 3" || input["cwd"] != w.Workspace {
		t.Errorf("got input %v", input)
	}
	var output map[string]any
	w.must(json.Unmarshal([]byte(post["tool_output"].(string)), &output))
	if output["output"] != "out\nerr\n" || output["exitCode"] != 3.0 || post["duration"].(float64) <= 0 {
		t.Errorf("got %v", post)
	}
	after := payload(t, ch.Runs("afterShellExecution")[0])
	if after["command"] != input["command"] || after["output"] != "out\nerr\n" {
		t.Errorf("got %v", after)
	}
}

func TestDeniedStepDoesNotHappen(t *testing.T) {
	t.Parallel()
	const deny = `{"permission":"deny","user_message":"for the user","agent_message":"for the agent"}`
	for name, tt := range map[string]struct {
		event  string
		answer entry
		denied bool
	}{
		"preToolUse":                {"preToolUse", entry{"command": says(deny)}, true},
		"beforeShellExecution":      {"beforeShellExecution", entry{"command": says(deny)}, true},
		"exit 2":                    {"beforeShellExecution", entry{"command": says("") + "; exit 2"}, true},
		"failed and failClosed":     {"beforeShellExecution", entry{"command": says("") + "; exit 1", "failClosed": true}, true},
		"failed":                    {"beforeShellExecution", entry{"command": says(deny) + "; exit 1"}, false},
		"silent and failClosed":     {"beforeShellExecution", entry{"command": says(""), "failClosed": true}, false},
		"ask is not enforced":       {"preToolUse", entry{"command": says(`{"permission":"ask"}`)}, false},
		"afterwards it is too late": {"postToolUse", entry{"command": says(deny)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := every()
			h[tt.event] = []entry{tt.answer, {"command": says(`{"permission":"allow"}`)}}
			w := newWorld(t).project(h)
			ch := w.chat(func(turn *simcursor.Turn) {
				out, exit := turn.Shell("touch done")
				if told := exit == -1 && strings.Contains(out, "blocked"); told != tt.denied {
					t.Errorf("the agent got %q, %d", out, exit)
				}
			})
			_, err := os.Stat(filepath.Join(w.Workspace, "done"))
			if (err != nil) != tt.denied || (len(ch.Runs("postToolUseFailure")) == 1) != tt.denied {
				t.Errorf("got %v, %v", err, events(ch))
			}
		})
	}
}
