//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// cursor is one version of the editor, with a loop in a chat of its own.
type cursor struct {
	world
	version any // null and other types are tried, too
	id      string
	flags   []string // of the stop entry
}

// cursor begins a loop in which n stops were answered, at loop_count 0 and on.
func (w world) cursor(version any, id string, answered int, flags ...string) cursor {
	w.Helper()
	w.write(w.pending(id), seven("the task"))
	c := cursor{w, version, id, flags}
	for n := range answered {
		c.wantFollowup(n)
	}
	return c
}

func (c cursor) send(name string, more fields) string {
	all := fields{"cursor_version": c.version}
	maps.Copy(all, more)
	return c.event(name, c.id, all)
}

// stops ends a turn and returns the follow-up.
func (c cursor) stops(count int) string {
	c.Helper()
	return c.followup(c.send("stop", fields{"status": "completed", "loop_count": count}), c.flags...)
}

func (c cursor) wantFollowup(count int) string {
	c.Helper()
	text := c.stops(count)
	if !strings.Contains(text, "the task") || strings.Contains(text, "/ralph-loop --continue") {
		c.Errorf("%v at loop_count %d: got %q, want an ordinary follow-up", c.version, count, text)
	}
	return text
}

func (c cursor) wantHandOver(count int) string {
	c.Helper()
	text := c.stops(count)
	if !strings.Contains(text, "/ralph-loop --continue "+c.id) {
		c.Errorf("%v at loop_count %d: got %q, want a hand-over", c.version, count, text)
	}
	return text
}

// hears is a message to the agent. Its entry in hooks.json has no flags.
func (c cursor) hears(text string) {
	c.Helper()
	answer := c.hook(c.send("beforeSubmitPrompt", fields{"prompt": text, "attachments": []any{}}))
	if _, ok := answer["additional_context"].(string); ok != strings.HasPrefix(text, "/ralph-loop --continue") || len(answer) > 1 {
		c.Errorf("%s: got %v, want the continuation for the continue line alone", text, answer)
	}
}

func (c cursor) works() {
	c.Helper()
	c.rests(c.send("postToolUse", fields{
		"tool_name": "Write", "tool_input": fields{"path": "x"}, "tool_output": "ok", "tool_use_id": fmt.Sprint("call-", c.turn.number),
	}))
}

// wantSeen checks what is remembered, and how often the log told of news.
func (w world) wantSeen(want map[string]int, news int) {
	w.Helper()
	found, err := state.New(w.places, time.Now).SeenLimits()
	w.must(err)
	limits := map[string]int{}
	for version, l := range found {
		limits[version] = l.Limit
	}
	if diff := cmp.Diff(want, limits); diff != "" {
		w.Errorf("limits that were seen (-want +got):\n%s", diff)
	}
	if got := len(w.log("session-limit-seen")); got != news {
		w.Errorf("got %d lines of news in the log, want %d", got, news)
	}
}

var automatic = []string{"--session-limit", "auto"}

// TestAutoGoesByTheVersion: where nothing was seen yet.
func TestAutoGoesByTheVersion(t *testing.T) {
	for _, c := range short.Each([]struct {
		version any
		limited bool
	}{
		{"3.6.21", false}, {"2.5.0", false}, {"2026.09.18-9a7762b", false},
		{"2.4.1", true}, {"1.7.38", true}, {"2026.08.31-x", true}, {"dev", true}, {"", true}, {nil, true}, {7, true}, {"3.6.21\n", false},
	}, 3) {
		w := newWorld(t)
		chat := w.cursor(c.version, me, 4, automatic...)
		if c.limited {
			chat.wantHandOver(4)
		} else {
			chat.wantFollowup(4)
		}
		w.wantSeen(map[string]int{}, 0)
		if text := w.log("action=error"); len(text) > 0 && c.version != 7 {
			t.Errorf("%v: got %q", c.version, text)
		}
	}
}

// TestMinimalTrustsNoVersion: without a prompt hook nothing would show that the
// limit is real, and the loop would stop without a word.
func TestMinimalTrustsNoVersion(t *testing.T) {
	w := newWorld(t)
	chat := w.cursor("3.6.21", me, 4, "--session-limit", "auto", "--minimal")
	chat.wantHandOver(4)
	seen := w.cursor("3.6.21", "another", 4, "--session-limit", "none", "--minimal")
	seen.wantFollowup(4)
	seen.wantFollowup(5) // which shows that there is none
	chat = w.cursor("3.6.21", "a-third", 4, "--session-limit", "auto", "--minimal")
	chat.wantFollowup(4)
}

// TestStopAtTheLimitShowsThatThereIsNone: whatever was known before.
func TestStopAtTheLimitShowsThatThereIsNone(t *testing.T) {
	for _, c := range short.Each([]struct {
		name  string
		flags []string
		event fields
		seen  bool
	}{
		{"auto", automatic, nil, true},
		{"auto, a failed turn", automatic, fields{"status": "error"}, true},
		{"auto, a turn that the user stopped", automatic, fields{"status": "aborted"}, true},
		{"auto, far beyond", automatic, fields{"loop_count": 31}, true},
		{"auto, the last that a limited one runs", automatic, fields{"loop_count": 4}, false},
		{"none", []string{"--session-limit", "none"}, nil, true},
		{"a higher limit, which proves nothing about no limit", []string{"--session-limit", "9"}, nil, false},
		{"no flags", nil, nil, false},
	}, 4) {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			chat := w.cursor("dev", me, 2, c.flags...)
			event := fields{"status": "completed", "loop_count": 5}
			maps.Copy(event, c.event)
			w.hook(chat.send("stop", event), c.flags...)
			want, news := map[string]int{}, 0
			if c.seen {
				want, news = map[string]int{"dev": 0}, 1
			}
			w.wantSeen(want, news)
			w.hook(chat.send("stop", event), c.flags...)
			w.wantSeen(want, news)
			if next := w.cursor("dev", "other", 4, automatic...); c.seen {
				next.wantFollowup(4)
			} else {
				next.wantHandOver(4)
			}
			w.cursor("2.4.1", "third", 4, automatic...).wantHandOver(4) // another version
		})
	}
}

// TestMessageAfterTheFifthFollowUp suggests the limit where the follow-up's turn
// was there, and no stop came after it, in two sessions. Package loop has the rule; here is
// which messages are looked at.
func TestMessageAfterTheFifthFollowUp(t *testing.T) {
	for _, c := range short.Each([]struct {
		name string
		then func(c cursor, last string)
		seen bool
	}{
		{"the follow-up was seen", func(c cursor, last string) { c.hears(last); c.hears("Why?") }, true},
		{"the user's message in its place", func(c cursor, _ string) { c.hears("Use tabs.") }, false},
		{"the follow-up alone, reported by two installations", func(c cursor, last string) { c.hears(last); c.hears(last) }, false},
		{"a control of the loop", func(c cursor, last string) {
			c.hears(last)
			c.hook(c.send("beforeSubmitPrompt", fields{"prompt": "/ralph-status"}))
		}, false},
		{"continued in another chat, while the turn may run", func(c cursor, last string) {
			c.hears(last)
			c.works()
			elsewhere := c
			elsewhere.id = "other"
			elsewhere.hears("/ralph-loop --continue " + c.id)
		}, false},
	}, 5) {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			first := w.cursor("3.6.21", "first", 4, automatic...)
			c.then(first, first.wantFollowup(4))
			w.wantSeen(map[string]int{}, 0) // once proves nothing
			chat := w.cursor("3.6.21", me, 4, automatic...)
			c.then(chat, chat.wantFollowup(4))
			want, news := map[string]int{}, 0
			if c.seen {
				want, news = map[string]int{"3.6.21": 5}, 1
			}
			w.wantSeen(want, news)
			if c.seen {
				chat.hears("And now?")
				w.wantSeen(want, news)
			}
			if next := w.cursor("3.6.21", "next", 4, automatic...); c.seen {
				next.wantHandOver(4)
			} else {
				next.wantFollowup(4)
			}
			w.cursor("3.7.0", "third", 4, automatic...).wantFollowup(4) // another version
		})
	}
}

// TestAProofReplacesAnInference: two windows were reloaded before it came.
func TestAProofReplacesAnInference(t *testing.T) {
	w := newWorld(t)
	chat := w.cursor("3.6.21", me, 4, automatic...)
	chat.hears(chat.wantFollowup(4))
	chat.hears("Why?")
	w.wantSeen(map[string]int{}, 0)
	for n := range 4 {
		chat.wantFollowup(n)
	}
	chat.hears(chat.wantFollowup(4))
	chat.hears("Why?")
	w.wantSeen(map[string]int{"3.6.21": 5}, 1)
	for n := range 4 {
		chat.wantFollowup(n)
	}
	chat.wantHandOver(4)
	chat.wantFollowup(5)
	w.wantSeen(map[string]int{"3.6.21": 0}, 2)
	for n := range 3 {
		chat.wantFollowup(n)
	}
}

// TestLimitsFileOfNoUse: the hook goes by the version, and the log shows where
// the file is not ours.
func TestLimitsFileOfNoUse(t *testing.T) {
	for _, c := range []struct {
		name    string
		put     func(w world, path string)
		refused bool
	}{
		{"corrupt", func(w world, path string) { w.write(path, "{half") }, false},
		{"a link", func(w world, path string) {
			w.write(filepath.Join(w.dir, "secret"), `{"3.6.21": {"limit": 5}, "dev": {"limit": 0}}`)
			w.must(os.Symlink(filepath.Join(w.dir, "secret"), path))
		}, true},
		{"a folder", func(w world, path string) { w.must(os.Mkdir(path, 0o700)) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.put(w, w.record(".session-limits"))
			w.cursor("3.6.21", me, 4, automatic...).wantFollowup(4)
			chat := w.cursor("dev", "other", 4, automatic...)
			chat.wantHandOver(4)
			if got := len(w.log("action=error")); got > 0 != c.refused {
				t.Errorf("got %d errors in the log, want some: %v", got, c.refused)
			}
			before := w.files()["secret"]
			chat.wantFollowup(5)
			if got := w.files()["secret"]; got != before {
				t.Errorf("got %q at the end of the link, want %q", got, before)
			}
			if !c.refused {
				w.wantSeen(map[string]int{"dev": 0}, 1)
			}
		})
	}
}

// TestFlags reads each flag in the two ways of writing it.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args   string
		limit  int
		typing handoff.Typing
	}{
		{"", 5, handoff.Typing{}},
		{"--session-limit auto --timeout 660", auto, handoff.Typing{}},
		{"--session-limit=auto", auto, handoff.Typing{}},
		{"--session-limit none --timeout 660 --minimal", 0, handoff.Typing{}},
		{"--session-limit 7", 7, handoff.Typing{}},
		{"--session-limit auto --injectors wl-copy,robotgo --focus-keys ctrl+i --type-unchecked", auto, handoff.Typing{Injectors: "wl-copy,robotgo", FocusKeys: "ctrl+i", Unchecked: true}},
		{"--injectors=none --focus-keys=f6", 5, handoff.Typing{Injectors: "none", FocusKeys: "f6"}},
		{"--submit-key ctrl+enter", 5, handoff.Typing{SubmitKey: "ctrl+enter"}},
		{"--session-limit automatic --type-unchecked", 5, handoff.Typing{}},
		{"--session-limit auto --no-such-flag", 5, handoff.Typing{}},
	} {
		f, err := parseFlags(strings.Fields(c.args))
		if bad := strings.Contains(c.args, "automatic") || strings.Contains(c.args, "no-such"); (err != nil) != bad {
			t.Errorf("%s: got error %v", c.args, err)
		}
		if f.sessionLimit != c.limit || f.typing != c.typing {
			t.Errorf("%s: got %d and %+v, want %d and %+v", c.args, f.sessionLimit, f.typing, c.limit, c.typing)
		}
		if want := strings.Contains(c.args, "--minimal"); f.minimal != want {
			t.Errorf("%s: got minimal %v", c.args, f.minimal)
		}
	}
}
