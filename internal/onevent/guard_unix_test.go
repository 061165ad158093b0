//go:build unix

package onevent

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

func (w world) wantPart(text, part string) {
	w.Helper()
	if !strings.Contains(text, part) {
		w.Errorf("got %q, want %q in it", text, part)
	}
}

func TestThePlanGuardDeniesEverythingWhileTheStateCannotBeRead(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
