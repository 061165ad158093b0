//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// about is the event before a tool call, in a turn of its own.
func (w world) about(id, tool string, input any) string {
	w.Helper()
	return w.event("preToolUse", id, fields{"tool_name": tool, "tool_input": input, "tool_use_id": "call-1", "cwd": ""})
}

func (w world) shell(id, command string) string {
	return w.about(id, "Shell", fields{"command": command, "cwd": w.workspace})
}

// denied runs a hook that must deny, and returns its message to the agent.
func (w world) denied(event string) string {
	w.Helper()
	answer := w.hook(event)
	agent, _ := answer["agent_message"].(string)
	user, _ := answer["user_message"].(string)
	if answer["permission"] != "deny" || agent == "" || user == "" {
		w.Errorf("got %v, want deny with messages to the user and the agent", answer)
	}
	return agent
}

// plans begins a plan loop in a conversation.
func (w world) plans(more fields) {
	w.Helper()
	all := fields{"plan": true, "conversation_id": me, "max_iterations": 9}
	maps.Copy(all, more)
	w.write(w.places.Live(me), with("the task", all))
}

func TestThePlanGuardDeniesWhatIsNotOnTheList(t *testing.T) {
	for name, state := range map[string]fields{
		"asked for": {}, "the composer's": {"plan": false, "plan_mode": true},
		"waiting": {"status": "waiting"}, "paused": {"status": "paused", "pause_reason": "user"}, "stopped": {"stop": true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.plans(state)
			before := w.files()
			for _, event := range []string{
				w.shell(me, "touch x"), w.shell(me, "cat x"), w.about(me, "Write", fields{"file_path": filepath.Join(w.workspace, "x.go")}),
				w.about(me, "MCP:read_file", fields{"path": "x"}), w.about(me, "", nil), w.about(me, "Task", "do it"),
				w.event("preToolUse", me, fields{"tool_name": 7}), w.event("preToolUse", me, nil),
			} {
				w.wantPart(w.denied(event), "This Ralph loop only plans")
			}
			plan := filepath.Join(w.workspace, ".cursor", "plans", "x.plan.md")
			for _, event := range []string{
				w.about(me, "Read", fields{"file_path": "/etc/hosts"}), w.about(me, "Grep", nil), w.about(me, "Write", fields{"file_path": plan}),
				w.about(me, "Write", `{"path": ".cursor/plans/x.md"}`),
				w.about(me, "Write", fields{"path": filepath.Join(w.dir, "home/.cursor/plans/x.md")}),
			} {
				w.rests(event)
			}
			w.logged(`event=preToolUse iteration=1/9 action=denied why=Shell`)
			if len(w.log("touch")) > 0 {
				t.Errorf("got %q in the log, want nothing of what a tool was to do", w.log("touch"))
			}
			after := w.files()
			maps.DeleteFunc(after, func(path, _ string) bool { return strings.HasSuffix(path, ".log") })
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("got other files (-before +after):\n%s", diff)
			}
		})
	}
}

func (w world) wantPart(text, part string) {
	w.Helper()
	if !strings.Contains(text, part) {
		w.Errorf("got %q, want %q in it", text, part)
	}
}

func TestThePlanGuardDeniesEverythingWhileTheStateCannotBeRead(t *testing.T) {
	reads := func(w world) string { return w.about(me, "Read", fields{"file_path": "x"}) }
	for name, content := range map[string]string{
		"nothing": "", "half a file": `{"prompt": "the ta`, "not JSON": "\x00", "a list": "[]", "no task": `{"prompt": ""}`,
		"a newer version": `{"version": 99, "prompt": ["x"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.places.Live(me), content)
			for range 2 { // nobody moves it aside
				text := w.denied(reads(w))
				w.wantPart(text, w.places.Live(me))
				w.wantPart(text, "cursor-ralph doctor")
			}
			w.denied(w.shell(me, "ls"))
			w.rests(w.about("another", "Read", nil))
		})
	}
	for name, place := range map[string]func(w world) string{
		"a link": func(w world) string { return w.places.Live(me) }, "a pending link": func(w world) string { return w.pending(me) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.must(os.MkdirAll(w.places.Pending(), 0o700))
			w.must(os.Symlink(w.secret(), place(w)))
			w.wantPart(w.denied(reads(w)), place(w))
		})
	}
	for name, path := range map[string]func(w world) string{
		"a file without permission":   func(w world) string { return w.places.Live(me) },
		"a folder without permission": func(w world) string { return w.places.Base },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).ordinary()
			w.plans(nil)
			w.give()
			w.must(os.Chmod(path(w), 0))
			t.Cleanup(func() { w.must(os.Chmod(path(w), 0o700)) })
			w.denied(reads(w))
		})
	}
}

// The clock stands for whatever may panic.
func TestThePlanGuardDeniesAfterAPanic(t *testing.T) {
	for _, tt := range []struct {
		name string
		plan bool
		want string
	}{{"a plan loop", true, "deny"}, {"no loop", false, ""}} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			event := w.shell(me, "ls")
			if tt.plan {
				w.plans(nil)
			} else { // it cannot be claimed, and is gone when it is looked for
				w.write(w.pending(me), seven("the task"))
			}
			asked := false
			clock := func() time.Time {
				if !asked {
					asked = true
					if !tt.plan {
						w.must(os.Remove(w.pending(me)))
					}
					panic("what time is it?")
				}
				return time.Now()
			}
			var out bytes.Buffer
			run(nil, strings.NewReader(event), &out, w.getenv, clock)
			var answer map[string]any
			w.must(json.Unmarshal(out.Bytes(), &answer))
			if got, _ := answer["permission"].(string); got != tt.want || !asked {
				t.Errorf("got %v, want %q (asked: %v)", answer, tt.want, asked)
			}
			w.logged("panic: what time is it?")
		})
	}
}

// A symbolic link would lead the plan to where it must not be written.
func TestThePlanGuardFollowsNoLink(t *testing.T) {
	for name, prepare := range map[string]func(w world, cursor string){
		"the folder of Cursor": func(w world, cursor string) { w.must(os.Symlink(w.dir, cursor)) },
		"the folder of plans": func(w world, cursor string) {
			w.must(os.Mkdir(cursor, 0o755))
			w.must(os.Symlink(w.dir, filepath.Join(cursor, "plans")))
		},
		"the file": func(w world, cursor string) {
			w.must(os.MkdirAll(filepath.Join(cursor, "plans"), 0o755))
			w.must(os.Symlink(filepath.Join(w.workspace, "main.go"), filepath.Join(cursor, "plans", "x.md")))
		},
		"a folder for the file": func(w world, cursor string) { w.must(os.MkdirAll(filepath.Join(cursor, "plans", "x.md"), 0o755)) },
		"a file for the folder": func(w world, cursor string) { w.write(filepath.Join(cursor, "plans"), "x") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.plans(nil)
			prepare(w, filepath.Join(w.workspace, ".cursor"))
			w.denied(w.about(me, "Write", fields{"path": filepath.Join(w.workspace, ".cursor", "plans", "x.md")}))
			w.denied(w.about(me, "Write", fields{"path": ".cursor/plans/x.md"}))
			w.rests(w.about(me, "Write", fields{"path": filepath.Join(w.dir, "home", ".cursor", "plans", "x.md")}))
		})
	}
}

const handed = "cursor-ralph slash ralph-loop <<'END'\n%\nEND"

func hand(text string) string { return strings.Replace(handed, "%", text, 1) }

// What a slash command has the agent run is done without a shell, as far as it
// begins or continues the loop of this chat.
func TestThePlanGuardBeginsTheLoopItself(t *testing.T) {
	for _, command := range []string{
		hand(`"the task" --plan`), hand(`/ralph-loop "the   task" --plan`), hand("the\ntask"), "cursor-ralph slash ralph-loop < /tmp/task",
		"'/opt/a b/cursor-ralph' slash ulw-loop <<-EOF\nthe task\nEOF\n", "cd /x && " + hand("the task") + "\necho done",
		"$OutputEncoding = New-Object System.Text.UTF8Encoding $false\r\n@'\r\nthe task --plan\r\n'@ | & 'C:\\a b\\cursor-ralph.exe' slash ralph-loop",
	} {
		w := newWorld(t)
		w.plans(nil)
		text := w.denied(w.shell(me, command))
		w.wantPart(text, "Done without the shell")
		l := w.live(me)
		w.wantPart(text, "The loop is armed already.\n\n"+l.StartText())
		if !l.Confirmed {
			t.Errorf("%s: the loop was not confirmed", command)
		}
	}
	w := newWorld(t)
	w.plans(nil)
	w.wantPart(w.denied(w.shell(me, hand("another task"))), "Nothing was started")
	if l := w.live(me); l.Confirmed || l.Prompt != "the task" {
		t.Errorf("got %+v, want the loop as it was", l)
	}
}

// waits is a plan loop at the session limit, with something for the agent.
func (w world) waits() {
	w.Helper()
	w.plans(fields{
		"id": "k7f2m", "status": "waiting", "rested": true, "iterations": 1, "session_iterations": 5, "context": []string{"mind the gap"},
		"started_at": time.Now(), "history": []fields{{"iteration": 1, "action": "hand-over"}},
	})
}

func TestThePlanGuardContinuesTheLoopItself(t *testing.T) {
	for _, command := range []string{
		hand("--continue " + me), hand("/ralph-loop --continue=" + me), hand("--continue " + me + " --max-iterations 99"),
		"cursor-ralph continue k7f2m", hand("--continue k7f2m"),
		"cursor-ralph continue " + me, "cursor-ralph continue --max-iterations 99 " + me, "cursor-ralph note x; cursor-ralph continue " + me,
		"@'\r\n--continue " + me + "\r\n'@ | cursor-ralph slash ralph-loop", strings.ReplaceAll(hand("--continue "+me), "\n", "\r\n"),
		"cursor-ralph slash ralph-loop <<\"END\" | cat\n--continue " + me + "\nEND\ncursor-ralph note x",
	} {
		w := newWorld(t)
		w.waits()
		text := w.denied(w.shell(me, command))
		w.wantPart(text, "[Ralph loop 2/9]")
		w.wantPart(text, "- mind the gap\n")
		l := w.live(me)
		if l.Status != loop.Running || l.SessionIterations != 0 || l.MaxIterations != 9 || l.LastOutput != "" || len(l.Context) > 0 {
			t.Errorf("%s: got %+v, want it running in a new session", command, l)
		}
	}
	for _, command := range []string{
		"cursor-ralph continue other", "cursor-ralph continue", hand("--continue other"), "cursor-ralph note x", "cursor-ralph blocked x",
		"cursor-ralph cancel " + me, "cursor-ralph pause " + me, "cursor-ralph slash cancel-ralph", "cursor-ralph context " + me + " x",
		"echo cursor-ralph continue " + me, hand("'fix --continue " + me + " in the docs'"), "cursor-ralph",
	} {
		w := newWorld(t)
		w.waits()
		before := w.parse(w.places.Live(me))
		w.denied(w.shell(me, command))
		after := w.live(me)
		if after.Status != before.Status || after.LastOutput != "" || after.SessionIterations != 5 {
			t.Errorf("%s: got %+v, want nothing done", command, after)
		}
	}
	w := newWorld(t)
	w.waits()
	w.denied(w.about(me, "MCP:run", fields{"command": "cursor-ralph continue " + me}))
	if l := w.live(me); l.Status != loop.Waiting {
		t.Errorf("got %s, want a tool that is no shell to do nothing", l.Status)
	}
}

// Our hook may be installed twice, and an agent may repeat itself: whichever
// answer it gets has everything in it, and a later pause holds.
func TestThePlanGuardContinuesOnceATurn(t *testing.T) {
	w := newWorld(t)
	w.waits()
	added, _ := w.hook(w.sends(me, "/ralph-loop --continue "+me))["additional_context"].(string)
	w.wantPart(added, "- mind the gap\n")
	event := w.shell(me, "cursor-ralph continue "+me)
	for _, answer := range w.together(event, event) {
		text, _ := answer["agent_message"].(string)
		w.wantPart(text, "[Ralph loop 2/9]")
		w.wantPart(text, "- mind the gap\n")
	}
	if n := len(w.log("why=continued")); n != 1 {
		t.Errorf("got %d continues in the log, want one", n)
	}
	w.hook(w.sends(me, "/ralph-pause"))
	w.wantPart(w.denied(event), "- mind the gap\n")
	if l := w.live(me); l.Status != loop.Paused {
		t.Errorf("got %s, want the pause to hold", l.Status)
	}
	w.rests(w.sends(me, "hello"))
	w.denied(w.shell(me, "cursor-ralph continue "+me)) // a later turn
	if l := w.live(me); l.Status != loop.Running {
		t.Errorf("got %s, want it to run", l.Status)
	}
	w.followup(w.stopEvent(me))
	if l := w.live(me); l.ToolCalls != 0 || len(l.History) != 2 {
		t.Errorf("got %d tool calls and %d iterations, want our marks not to count", l.ToolCalls, len(l.History))
	}
}

// An event that cannot be read does not say what it is; the guard's entry does.
func TestWhatCannotBeReadIsDeniedByTheGuardsEntryAlone(t *testing.T) {
	w := newWorld(t)
	w.plans(nil)
	for name, event := range map[string]string{
		"no JSON": "{", "nothing": "", "not an object": "[]", "endless nesting": strings.Repeat("[", 1<<20),
	} {
		if got := w.hook(event, "--guard"); got["permission"] != "deny" {
			t.Errorf("%s: got %v, want deny", name, got)
		}
		w.rests(event)
	}
	w.env = append(w.env, "CURSOR_RALPH_STATE_DIR=not-absolute")
	if got := w.hook(w.shell(me, "touch x"), "--guard"); got["permission"] != "deny" {
		t.Errorf("not a folder: got %v, want deny", got)
	}
	w.rests(w.shell("another-chat", "touch x"), "--guard")
}
