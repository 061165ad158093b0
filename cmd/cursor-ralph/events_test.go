package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/schema"
)

// listener reads the lines of a cursor-ralph events, in a process of its own.
type listener struct {
	*looker
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	lines  chan string
	cursor string

	checked int // lines, against the schema
}

// event is what a reader takes from a line.
type said struct {
	Type, Cursor, ID string
	Resumed          *bool
	Loop             struct {
		ID, Status, Prompt string
		Iteration          int
		Here               *bool
	}
	History []struct{ Iteration int }
}

func (e said) String() string {
	switch {
	case e.Type == "ready":
		return fmt.Sprint("ready ", *e.Resumed)
	case e.Type == "loop":
		return fmt.Sprintf("%s %s %d", e.Loop.Prompt, e.Loop.Status, e.Loop.Iteration)
	}
	return e.Type
}

// hears starts cursor-ralph events.
func (l *looker) hears(args ...string) *listener {
	l.Helper()
	cmd := exec.CommandContext(l.Context(), "cursor-ralph", append([]string{"events", "--json"}, args...)...)
	cmd.Env = append(os.Environ(), "CURSOR_RALPH_NO_WATCHER=1", "CURSOR_RALPH_DIR="+l.Places.Base, "CURSOR_RALPH_STATE_DIR="+l.Places.Archive)
	cmd.Stderr = os.Stderr
	read, write, err := os.Pipe()
	must(l.T, err)
	cmd.Stdout = write
	in, err := cmd.StdinPipe()
	must(l.T, err)
	must(l.T, cmd.Start())
	must(l.T, write.Close())
	h := &listener{looker: l, cmd: cmd, stdin: in, stdout: read, lines: make(chan string, 100)}
	go h.read()
	l.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	return h
}

func (h *listener) read() {
	defer close(h.lines)
	lines := bufio.NewReader(h.stdout)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if h.checked++; h.checked < 20 {
			schema.Check(h.T, "event", line)
		}
		h.lines <- line
	}
}

// next returns the next line.
func (h *listener) next() (e said) {
	h.Helper()
	select {
	case line, more := <-h.lines:
		if !more {
			h.Fatal("got the end, want a line")
		}
		must(h.T, json.Unmarshal([]byte(line), &e))
	case <-time.After(2 * time.Minute):
		h.Fatal("got no line")
	}
	h.cursor = e.Cursor
	return e
}

// wants checks the next lines.
func (h *listener) wants(want ...string) {
	h.Helper()
	for _, w := range want {
		if got := h.next().String(); got != w {
			h.Errorf("got %q, want %q", got, w)
		}
	}
}

// wantEnd waits until the process has ended well.
func (h *listener) wantEnd() {
	h.Helper()
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- h.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			h.Errorf("got %v", err)
		}
		h.Logf("ended after %v", time.Since(began))
	case <-time.After(2 * time.Minute):
		h.Error("got no end")
	}
}

func (l *looker) applies(id string, kind loop.EventKind) {
	l.Helper()
	_, _, err := l.Loops.Apply(l.Context(), id, loop.Event{Kind: kind})
	must(l.T, err)
}

func TestEventsFollowALoop(t *testing.T) {
	l := newLooker(t)
	h := l.hears()
	h.wants("ready false")
	l.puts("a", "build it")
	h.wants("build it pending 0")
	l.applies("a", loop.EventPause)
	h.wants("build it paused 1")
	l.begins("b", "test it")
	h.wants("test it running 1")
	l.applies("b", loop.EventCancel)
	h.wants("test it CANCELLED 1")
	must(t, os.Remove(l.Loops.Box.Path("a")))
	if e := h.next(); e.Type != "removed" || !loop.IsShortID(e.ID) {
		t.Errorf("got %+v, want the id of what was removed", e)
	}
}

func TestEventsSayWhichLoopsBelongToAFolder(t *testing.T) {
	l := newLooker(t)
	root := t.TempDir()
	for id, workspace := range map[string]string{"a": "repo", "b": "repo/part", "c": "", "d": "repository"} {
		s := loop.New()
		s.Prompt, s.Workspace = id, filepath.Join(root, workspace)
		data, err := s.Encode()
		must(t, err)
		must(t, l.Store.Claim(t.Context(), id, func(live string) error { return os.WriteFile(live, data, 0o600) }))
	}
	h := l.hears("--folder", filepath.Join(root, "repo"), "--folder", filepath.Join(root, "other"))
	got := map[string]bool{}
	for e := h.next(); e.Type != "ready"; e = h.next() {
		got[e.Loop.Prompt] = e.Loop.Here != nil && *e.Loop.Here
	}
	if want := map[string]bool{"a": true, "b": true, "c": true, "d": false}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEventsBeginWithWhatThereIs(t *testing.T) {
	l := newLooker(t)
	for _, id := range []string{"lost", "live", "over", "old"} {
		l.begins(id, id)
	}
	l.puts("later", "later")
	l.applies("over", loop.EventCancel)
	l.clock = l.clock.Add(-25 * time.Hour)
	l.applies("old", loop.EventCancel)
	must(t, os.Remove(l.Places.Live("lost")))
	want := []string{"later pending 0", "live running 1", "lost interrupted 1", "over CANCELLED 1"}
	for _, tt := range []struct {
		args []string
		want []string
	}{{nil, want}, {[]string{"--ended", "48h"}, append([]string{"old CANCELLED 1"}, want...)}, {[]string{"--ended", "0s"}, want[:3]}} {
		h := l.hears(tt.args...)
		var got []string
		for e := h.next(); e.Type != "ready"; e = h.next() {
			got = append(got, e.String())
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestEventsResume(t *testing.T) {
	l := newLooker(t)
	for _, id := range []string{"a", "b", "c"} {
		l.begins(id, id)
		l.ages(id)
	}
	h := l.hears()
	for range 4 {
		h.next()
	}
	after := h.cursor
	h = l.hears("--after", after)
	h.wants("ready true")

	l.applies("b", loop.EventPause)
	l.applies("c", loop.EventCancel)
	h = l.hears("--after", after)
	h.wants("b paused 1", "c CANCELLED 1", "ready true")

	for _, unknown := range []string{"", "x", "AAAA", strings.Repeat("A", 34)} {
		h = l.hears("--after", unknown)
		h.wants("a running 1", "b paused 1", "c CANCELLED 1", "ready false")
	}
	gone, err := l.Store.Recorded("a")
	must(t, err)
	for _, path := range []string{l.Places.Live("a"), l.Places.Record(gone.ID), l.Places.Chat("a")} {
		must(t, os.Remove(path))
	}
	h = l.hears("--after", after)
	h.wants("b paused 1", "c CANCELLED 1", "ready false")
}

// ages makes the files of a loop older than what a cursor may be behind.
func (l *looker) ages(id string) {
	l.Helper()
	then := time.Now().Add(-time.Minute)
	must(l.T, os.Chtimes(l.Places.Live(id), then, then))
}

func TestEventsEndWithTheirReader(t *testing.T) {
	l := newLooker(t)
	h := l.hears()
	h.wants("ready false")
	must(t, h.stdout.Close())
	h.wantEnd()

	h = l.hears("--until-eof")
	h.wants("ready false")
	must(t, h.stdin.Close())
	h.wantEnd()
}
