//go:build unix

package onevent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// answered are the events that this hook does something about.
var answered = []string{
	hook.EventStop, hook.EventBeforeSubmitPrompt, hook.EventAfterAgentResponse,
	hook.EventPostToolUse, hook.EventPostToolUseFailure,
}

// TestHostileInput: whatever comes, the hook answers {}, changes no loop, and
// its log tells.
func TestHostileInput(t *testing.T) {
	t.Parallel()
	const valid = `"hook_event_name":"stop","status":"completed","loop_count":0,"workspace_roots":[]`
	for _, c := range short.Each([]struct {
		name, input string
		silent      bool // nothing is wrong with it
	}{
		{"nothing", "", false},
		{"truncated", `{"conversation_id":"` + me + `","hook_event_na`, false},
		{"text", "hello", false},
		{"two objects", `{"conversation_id":"` + me + `",` + valid + `}{}`, false},
		{"binary in an object", "{\"conversation_id\":\"\xff\xfe\x00\"," + valid + "}", false},
		{"deep lists", `{"a":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + "}", false},
		{"too large", `{"conversation_id":"` + me + `",` + valid + `,"text":"` + strings.Repeat("x", 70<<20) + `"}`, false},
		{"an empty object", "{}", true},
		{"an unknown event", `{"hook_event_name":"` + strings.Repeat("stop", 1000) + `","conversation_id":"../x"}`, true},
		{"no conversation", `{` + valid + `}`, false},
		{"a file as a conversation", `{"conversation_id":"/etc/passwd",` + valid + `}`, false},
	}, 4) {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.pending("1700000000000-7"), seven("the task"))
			before := w.files()
			w.rests(c.input)
			if !c.silent {
				w.logged("action=error")
			}
			w.onlyLogged(before)
		})
	}
}

// onlyLogged checks that nothing but the log is other than before, and that
// the log has only our own whole lines.
func (w world) onlyLogged(before map[string]string) {
	w.Helper()
	after := w.files()
	log, err := filepath.Rel(w.dir, w.logPath)
	w.must(err)
	if len(after[log]) > 64<<10 {
		w.Errorf("got %d bytes in the log", len(after[log]))
	}
	for line := range strings.Lines(after[log]) {
		if len(line) < 25 || line[4] != '-' || !strings.Contains(line, " action=") || strings.ContainsFunc(line[:len(line)-1], func(c rune) bool { return c < ' ' }) {
			w.Errorf("got the line %.200q in the log", line)
		}
	}
	delete(after, log)
	if diff := cmp.Diff(before, after); diff != "" {
		w.Errorf("got other files (-before +after):\n%.2000s", diff)
	}
}

func TestHostileConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.pending("1700000000000-7"), seven("the task"))
	w.write(filepath.Join(w.dir, "x.json"), seven("outside"))
	before := w.files()
	ids := []string{
		"", ".", "..", "../x", "../../x", "a/../../x", "/etc/passwd", `..\x`, ".lock", ".new", "a/b", "a b", "a\nb", "a\r\nb", "a\x00b", "a\tb",
		`a"b`, "a'b", "a`b", "$(touch x)", "a;b", "a|b", "a>b", "*", "?", "~", "a~1", "ä", "а", "a\u202eb", "\ufeffa", "a\x1b[31mb",
		strings.Repeat("a", 129), strings.Repeat("/", 4096), strings.Repeat("é", 1<<19), strings.Repeat("\n", 1<<20),
	}
	for i, id := range ids {
		name := answered[i%len(answered)]
		w.rests(w.event(name, id, fields{
			"status": "completed", "loop_count": 0, "text": "<promise>COMPLETE</promise>", "prompt": `/ralph-loop "x"`, "command": "cursor-ralph slash",
		}))
	}
	if got := w.log("action=error"); len(got) != len(ids) {
		t.Errorf("got %d errors in the log, want %d", len(got), len(ids))
	}
	after := w.files()
	log, err := filepath.Rel(w.dir, w.logPath)
	w.must(err)
	delete(after, log)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

// TestStatusThatIsUnknownIsNoCompletedTurn: a newer Cursor may have others.
func TestStatusThatIsUnknownIsNoCompletedTurn(t *testing.T) {
	t.Parallel()
	for _, status := range []any{"", "COMPLETED", "cancelled", nil, 7, []any{"completed"}} {
		w := newWorld(t)
		w.write(w.pending(me), seven("the task"))
		w.rests(w.event("stop", me, fields{"status": status, "loop_count": 0}))
		w.once("the task")
		if got := w.live(me).Iterations; got != 0 {
			t.Errorf("%v: got iteration %d, want none counted", status, got)
		}
	}
}

// What a user writes behind our program has no effect, and the log says so.
func TestArgumentsInHooksJSON(t *testing.T) {
	t.Parallel()
	for _, args := range short.Each([][]string{
		{"--session-limit", "1"}, {"--no-such-flag"}, {"-h"}, {"--"}, {"stop"}, {""}, {"\x1b[31m\n"}, slices.Repeat([]string{"x"}, 1000),
	}, 4) {
		w := newWorld(t)
		w.write(w.pending(me), seven("the task"))
		if got := w.followup(w.stopEvent(me), args...); !strings.Contains(got, "the task") {
			t.Errorf("%.40q: got %q, want the loop to go on", args, got)
		}
		w.logged("has no effect in hooks.json: settings are in config.toml")
		for _, line := range w.log("") {
			if strings.ContainsRune(line, '\x1b') {
				t.Errorf("got the line %q in the log", line)
			}
		}
	}
}

// TestFoldersThatCannotBeUsed: there is no loop, but an answer.
func TestFoldersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	type places struct{ base, archive string }
	for _, c := range []struct {
		name string
		put  func(w world) places
		log  string // what the log tells, if there can be one
	}{
		{"a relative folder", func(w world) places { return places{"tmp", filepath.Join(w.dir, "state")} }, ""},
		{"a folder above", func(w world) places { return places{"../tmp", filepath.Join(w.dir, "state")} }, ""},
		{"a missing folder", func(w world) places { return places{filepath.Join(w.dir, "missing"), filepath.Join(w.dir, "state")} }, ""},
		{"a file as folder", func(w world) places {
			w.write(filepath.Join(w.dir, "file"), "")
			return places{filepath.Join(w.dir, "file"), filepath.Join(w.dir, "state")}
		}, ""},
		{"a device as folder", func(w world) places { return places{os.DevNull, filepath.Join(w.dir, "state")} }, ""},
		{"a name too long", func(w world) places {
			return places{filepath.Join(w.dir, strings.Repeat("x", 5000)), filepath.Join(w.dir, "state")}
		}, ""},
		{"a line in the name", func(w world) places { return places{"x\ny", filepath.Join(w.dir, "state")} }, ""},
		{"a relative archive", func(w world) places { return places{filepath.Join(w.dir, "tmp"), "state"} }, "CURSOR_RALPH_STATE_DIR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			p := c.put(w)
			log := w.logPath
			before := w.files()
			w = w.in(p.base, p.archive)
			for _, event := range []string{
				w.stopEvent(me), w.uses(me, "1"), w.says(me, "x"), w.sends(me, "hello"), w.event("stop", me, fields{"status": "aborted"}),
			} {
				w.rests(event)
			}
			after := w.files()
			if c.log != "" {
				if got, _ := os.ReadFile(log); !strings.Contains(string(got), c.log) {
					t.Errorf("got the log %q, want %s in it", got, c.log)
				}
				name, err := filepath.Rel(w.dir, log)
				w.must(err)
				delete(after, name)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("got other files (-before +after):\n%s", diff)
			}
		})
	}
}
