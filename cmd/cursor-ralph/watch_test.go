package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// looker is a panel's look at a machine of its own, with a clock that a test
// moves.
type looker struct {
	*testing.T
	*env
	out   *loopsToShow
	clock time.Time
}

func newLooker(t *testing.T) *looker {
	t.Helper()
	l := &looker{T: t, clock: time.Now()}
	dirs := map[string]string{"CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": t.TempDir(), "CURSOR_RALPH_STATE_DIR": filepath.Join(t.TempDir(), "state")}
	l.env = &env{&cli.Env{Getenv: func(name string) string { return dirs[name] }, Now: func() time.Time { return l.clock }}}
	must(l.T, l.Open())
	l.out = newLoopsToShow(l.env)
	return l
}

// puts asks for a loop in a chat, or in none.
func (l *looker) puts(id, task string) {
	l.Helper()
	s := loop.New()
	s.Prompt, s.ConversationID = task, id
	_, _, err := l.Loops.Box.Put(l.Context(), s, "")
	must(l.T, err)
}

// begins lets a chat take its loop.
func (l *looker) begins(id, task string) {
	l.Helper()
	s := loop.New()
	s.Prompt = task
	data, err := s.Encode()
	must(l.T, err)
	must(l.T, l.Store.Claim(l.Context(), id, func(live string) error { return os.WriteFile(live, data, 0o600) }))
}

// wantLook checks the tasks, in the order in which they are shown.
func (l *looker) wantLook(want ...string) {
	l.Helper()
	loops, problems := l.out.read()
	got := []string{}
	for _, x := range loops {
		word := x.State.Prompt + " " + string(x.State.Status)
		if x.Pending {
			word += " pending"
		}
		got = append(got, word)
	}
	if len(problems) > 0 || !slices.Equal(got, want) {
		l.Errorf("got %q and the problems %v, want %q", got, problems, want)
	}
}

func TestALookShowsLiveThenPendingThenEnded(t *testing.T) {
	l := newLooker(t)
	l.wantLook()
	l.begins("a", "one")
	l.clock = l.clock.Add(time.Second)
	l.begins("b", "two")
	l.puts("c", "three")
	l.wantLook("two running", "one running", "three pending pending")
	_, err := l.through(t.Context(), "cancel", "a")
	must(l.T, err)
	l.wantLook("two running", "three pending pending", "one CANCELLED")
	_, err = l.through(t.Context(), "cancel", "c")
	must(l.T, err)
	l.clock = l.clock.Add(time.Second)
	_, err = l.through(t.Context(), "cancel", "b")
	must(l.T, err)
	l.wantLook("two CANCELLED", "three CANCELLED", "one CANCELLED")
}

// A chat whose loop has ended may have another one: its row must not be there
// twice, for a key concerns the loop of a name.
func TestALookShowsAChatOnce(t *testing.T) {
	l := newLooker(t)
	l.begins("a", "one")
	_, err := l.through(t.Context(), "cancel", "a")
	must(l.T, err)
	l.puts("a", "two")
	l.wantLook("two pending pending")
	l.begins("a", "three")
	l.wantLook("three running")
}

func TestALookSeesWhatChangesInThePendingFolder(t *testing.T) {
	l := newLooker(t)
	l.puts("a", "one")
	l.wantLook("one pending pending")
	_, err := l.through(t.Context(), "pause", "a")
	must(l.T, err)
	l.wantLook("one paused pending")
	path := filepath.Join(l.Places.Pending(), "b.json")
	must(l.T, os.WriteFile(path, []byte(`{"prompt": "by hand"}`), 0o600))
	l.wantLook("one paused pending", "by hand pending pending")

	must(l.T, os.WriteFile(path, []byte(`{"prompt": "anew"}`), 0o600))
	l.wantLook("one paused pending", "anew pending pending")
}

func TestALookTellsWhatCannotBeRead(t *testing.T) {
	l := newLooker(t)
	l.puts("a", "one")
	must(l.T, os.WriteFile(filepath.Join(l.Places.Pending(), "b.json"), []byte("no loop"), 0o600))
	must(l.T, os.WriteFile(l.Places.Live("c"), []byte("no loop"), 0o600))
	if loops, problems := l.out.read(); len(loops) != 1 || len(problems) != 2 {
		t.Errorf("got %d loops and the problems %v, want 1 and 2", len(loops), problems)
	}
}

func TestThePanelsCommandsAreThoseOfTheCommandLine(t *testing.T) {
	l := newLooker(t)
	l.begins("a", "one")
	for _, tt := range []struct {
		args []string
		said string
	}{
		{[]string{"pause", "a"}, "takes effect at the next stop"},
		{[]string{"resume", "a"}, "goes on at the next stop"},
		{[]string{"context", "a", "--not a flag\n-x"}, "with the next continuation"},
		{[]string{"history", "a"}, "no iteration is over yet"},
		{[]string{"report", "a"}, "# Ralph loop"},
		{[]string{"cancel", "a"}, "cancelled the loop "},
	} {
		said, err := l.through(t.Context(), tt.args[0], tt.args[1:]...)
		if err != nil || !strings.Contains(said, tt.said) {
			t.Errorf("%q: got %q, %v, want %q in it", tt.args, said, err, tt.said)
		}
	}
	ended, err := l.Store.Archived("a")
	must(l.T, err)
	if !slices.Equal(ended.Context, []string{"--not a flag\n-x"}) {
		t.Errorf("got the context %q", ended.Context)
	}
	if _, err := l.through(t.Context(), "pause", "a"); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("got %v, want that it has ended", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.begins("b", "two")
	if _, err := l.through(ctx, "pause", "b"); err == nil {
		t.Error("got a command that ran after the end")
	}
}

func TestAReportTakesNoOtherFilesPlace(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	first, err := saveReport("chat-1", "one")
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "target")
	if err := os.Symlink(target, filepath.Join(dir, "ralph-report-chat-1-2.md")); err != nil {
		t.Log(err) // Windows allows links to few
	}
	second, err := saveReport("chat-1", "two")
	if err != nil || second == first {
		t.Fatalf("got %s after %s, %v", second, first, err)
	}
	for path, want := range map[string]string{first: "one", second: "two"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("got a report written through a link")
	}
}

// The panel's libraries are linked into every command, so what they do at the
// start costs each of them. Lipgloss runs `tmux info` inside tmux, the bubbles
// look for programs that know the clipboard, and go-runewidth before v0.0.28
// computes a table of all characters, for tens of milliseconds.
func TestThePanelCostsOtherCommandsNothing(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"charm.land/lipgloss/v2", "github.com/atotto/clipboard"} {
		if slices.Contains(strings.Fields(string(deps)), heavy) {
			t.Errorf("cursor-ralph links %s", heavy)
		}
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/mattn/go-runewidth").Output()
	if err != nil {
		t.Fatal(err)
	}
	patch, ok := strings.CutPrefix(strings.TrimSpace(string(version)), "v0.0.")
	if n, err := strconv.Atoi(patch); !ok || err != nil || n < 28 {
		t.Errorf("got go-runewidth %s, want v0.0.28 or later", version)
	}
}
