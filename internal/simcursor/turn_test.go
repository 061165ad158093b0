//go:build unix

package simcursor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
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

func TestPayloadsOfFiles(t *testing.T) {
	w := newWorld(t).project(every())
	ch := w.chat(func(turn *simcursor.Turn) {
		turn.Edit("dir/f", "one")
		turn.Edit("dir/f", "two")
		if text, err := turn.Read("dir/f"); text != "two" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
		if _, err := turn.Read("missing"); err == nil {
			t.Error("read a missing file")
		}
	})
	path := filepath.Join(w.Workspace, "dir/f")
	edit := payload(t, ch.Runs("afterFileEdit")[1])
	change := edit["edits"].([]any)[0].(map[string]any)
	if edit["file_path"] != path || change["old_string"] != "one" || change["new_string"] != "two" {
		t.Errorf("got %v", edit)
	}
	if read := payload(t, ch.Runs("beforeReadFile")[0]); read["file_path"] != path || read["content"] != "two" {
		t.Errorf("got %v", read)
	}
	failure := payload(t, ch.Runs("postToolUseFailure")[0])
	if failure["tool_name"] != "Read" || !strings.Contains(failure["error_message"].(string), "missing") {
		t.Errorf("got %v", failure)
	}
}

func TestDeniedStepDoesNotHappen(t *testing.T) {
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

func TestDeniedEditAndRead(t *testing.T) {
	deny := []entry{{"command": says(`{"permission":"deny","user_message":"no"}`)}}
	w := newWorld(t).project(hooks{"preToolUse": {{"matcher": "Write", "command": deny[0]["command"]}}, "beforeReadFile": deny})
	w.file(w.Workspace, "secret", "s")
	ch := w.chat(func(turn *simcursor.Turn) {
		if err := turn.Edit("f", "x"); err == nil {
			t.Error("the edit was allowed")
		}
		if text, err := turn.Read("secret"); err == nil || text != "" {
			t.Errorf("read %q", text)
		}
	})
	if _, err := os.Stat(filepath.Join(w.Workspace, "f")); err == nil {
		t.Error("the file was written")
	}
	equal(t, "shown", ch.Shown(), []string{"no", "no"})
}

func TestAgentsShell(t *testing.T) {
	for _, seen := range []bool{false, true} {
		w := newWorld(t)
		w.Env = append(w.Env, "CURSOR_CONVERSATION_ID=from outside")
		w.Options.AgentSeesID = seen
		ch := w.chat(func(turn *simcursor.Turn) {
			out, _ := turn.Shell(`pwd -P; echo "$HOME $CURSOR_AGENT ${CURSOR_CONVERSATION_ID-none}"`)
			dir, _ := filepath.EvalSymlinks(w.Workspace)
			id := map[bool]string{false: "none", true: turn.Chat.ID}[seen]
			if want := dir + "\n" + w.Home + " 1 " + id + "\n"; out != want {
				t.Errorf("got %q, want %q", out, want)
			}
		})
		if len(ch.Messages()) != 1 {
			t.Error("the agent did not run")
		}
	}
}

func TestAddedContext(t *testing.T) {
	for ignored, want := range map[bool]int{false: 3, true: 0} {
		add := []entry{{"command": says(`{"additional_context":"c"}`)}}
		w := newWorld(t).project(hooks{"sessionStart": add, "beforeSubmitPrompt": add, "postToolUse": add})
		w.Options.IgnoreContext = ignored
		w.chat(func(turn *simcursor.Turn) {
			turn.Tool("Grep", nil, "")
			if got := len(turn.Added()); got != want {
				t.Errorf("got %d texts, want %d", got, want)
			}
		})
	}
}
