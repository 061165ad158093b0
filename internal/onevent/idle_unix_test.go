//go:build unix

package onevent

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// idleEvents are events of a chat without a loop, while other chats have some.
func (w world) idleEvents() map[string]string {
	w.Helper()
	w.write(w.places.Live("other-chat"), seven("a task"))
	w.write(w.pending("another-chat"), seven("a task"))
	w.write(w.places.Record("k7f2m"), seven("a task"))
	return map[string]string{
		"a stop":                    w.stopEvent(me),
		"a stop by the user":        w.event("stop", me, fields{"status": "aborted", "loop_count": 0}),
		"a failed turn":             w.event("stop", me, fields{"status": "error", "loop_count": 0}),
		"a message":                 w.sends(me, "hello"),
		"another slash command":     w.sends(me, "/review everything"),
		"a text with a promise":     w.says(me, "<promise>COMPLETE</promise>"),
		"a tool use":                w.uses(me, "1"),
		"a tool use that failed":    w.event("postToolUseFailure", me, fields{"tool_name": "Shell", "error_message": "no"}),
		"a control without a loop":  w.sends(me, "/cancel-ralph"),
		"a pause without a loop":    w.sends(me, "/ralph-pause"),
		"an event that is not ours": w.event(hook.EventSessionStart, me, nil),
	}
}

// everything returns all names, and when they changed.
func (w world) everything() map[string]string {
	w.Helper()
	found := map[string]string{}
	w.must(filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		found[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		return err
	}))
	return found
}

func TestEventWithoutALoopWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, event := range w.idleEvents() {
		before := w.everything()
		w.rests(event)
		if diff := cmp.Diff(before, w.everything()); diff != "" {
			t.Errorf("%s: got other files (-before +after):\n%s", name, diff)
		}
	}
}

// TestEventAfterTheLoopWritesNothing: a chat that once had a loop is one
// without.
func TestEventAfterTheLoopWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.pending(me), seven("the task"))
	w.rests(w.event("stop", me, fields{"status": "aborted", "loop_count": 0}))
	for name, event := range w.idleEvents() {
		w.rests(w.says(me, "hello")) // of the turn that ended
		before := w.everything()
		w.rests(event)
		if diff := cmp.Diff(before, w.everything()); diff != "" {
			t.Errorf("%s: got other files (-before +after):\n%s", name, diff)
		}
	}
}
