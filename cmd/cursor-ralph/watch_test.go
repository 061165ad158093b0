package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/tui"
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
		got = append(got, x.Prompt+" "+x.Words())
	}
	if len(problems) > 0 || !slices.Equal(got, want) {
		l.Errorf("got %q and the problems %v, want %q", got, problems, want)
	}
}

// does runs a command as a key does.
func (l *looker) does(args ...string) (string, error) {
	return l.forPanel(l.Context(), args[0], named(args[1]), args[2:]...)
}

func named(id string) (l tui.Loop) {
	l.ID = id
	return l
}

func TestALookShowsLiveThenPendingThenEnded(t *testing.T) {
	l := newLooker(t)
	l.wantLook()
	l.begins("a", "one")
	l.clock = l.clock.Add(time.Second)
	l.begins("b", "two")
	l.puts("c", "three")
	l.wantLook("two running", "one running", "three pending")
	_, err := l.does("cancel", "a")
	must(l.T, err)
	l.wantLook("two running", "three pending", "one CANCELLED")
	l.clock = l.clock.Add(time.Second)
	_, err = l.does("cancel", "c")
	must(l.T, err)
	l.clock = l.clock.Add(time.Second)
	_, err = l.does("cancel", "b")
	must(l.T, err)
	l.wantLook("two CANCELLED", "three CANCELLED", "one CANCELLED")
}

// A chat whose loop has ended may have another one: they are two.
func TestALookShowsAllLoopsOfAChat(t *testing.T) {
	l := newLooker(t)
	l.begins("a", "one")
	_, err := l.does("cancel", "a")
	must(l.T, err)
	l.puts("a", "two")
	l.wantLook("two pending", "one CANCELLED")
	l.begins("a", "three")
	l.wantLook("three running", "two pending", "one CANCELLED")
}

func TestALookSeesWhatChangesInThePendingFolder(t *testing.T) {
	l := newLooker(t)
	l.puts("a", "one")
	l.wantLook("one pending")
	_, err := l.does("pause", "a")
	must(l.T, err)
	l.wantLook("one paused (user)")
	path := filepath.Join(l.Places.Pending(), "b.json")
	must(l.T, os.WriteFile(path, []byte(`{"prompt": "by hand"}`), 0o600))
	l.wantLook("one paused (user)", "by hand pending")

	must(l.T, os.WriteFile(path, []byte(`{"prompt": "anew"}`), 0o600))
	l.wantLook("one paused (user)", "anew pending")
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
		said, err := l.does(tt.args...)
		if err != nil || !strings.Contains(said, tt.said) {
			t.Errorf("%q: got %q, %v, want %q in it", tt.args, said, err, tt.said)
		}
	}
	ended, err := l.Store.Archived("a")
	must(l.T, err)
	if !slices.Equal(ended.Context, []string{"--not a flag\n-x"}) {
		t.Errorf("got the context %q", ended.Context)
	}
	if _, err := l.does("pause", "a"); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("got %v, want that it has ended", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.begins("b", "two")
	if _, err := l.forPanel(ctx, "pause", named("b")); err == nil {
		t.Error("got a command that ran after the end")
	}
}

func TestEndedLoopsAreBounded(t *testing.T) {
	l := newLooker(t)
	ended := loop.New()
	ended.Prompt, ended.Status = "x", loop.Cancelled
	must(t, os.MkdirAll(l.Places.Archive, 0o700))
	for n := range 5 * mostEnded {
		ended.EndedAt = l.clock.Add(-time.Duration(n*7%(5*mostEnded)) * time.Minute)
		ended.CreatedAt = ended.EndedAt
		data, err := ended.Encode()
		must(t, err)
		must(t, os.WriteFile(l.Places.Record(fmt.Sprint("chat-", n)), data, 0o600))
	}
	all, _ := l.out.read()
	if len(all) != mostEnded || !all[0].EndedAt.Equal(l.clock.UTC()) || l.clock.Sub(all[mostEnded-1].EndedAt) != (mostEnded-1)*time.Minute {
		t.Errorf("got %d loops, from %v to %v, want the newest %d", len(all), all[0].EndedAt, all[len(all)-1].EndedAt, mostEnded)
	}
}

func TestDetailsComeFromTheHistoryToo(t *testing.T) {
	l := newLooker(t)
	l.begins("a", "one")
	must(t, l.Store.AddToJournal("a", loop.Record{Kind: loop.RecordText, Text: "<promise>COMPLETE</promise>"}))
	_, _, err := l.Loops.Apply(t.Context(), "a", loop.Event{Kind: loop.EventStop, Generation: "g", Stop: loop.Stop{Status: loop.Completed}})
	must(t, err)
	all, _ := l.out.read()
	var words string
	for _, d := range all[0].Details() {
		words += d.Name + ": " + d.Words + "\n"
	}
	for _, want := range []string{"refused: 1 promise, the last: ", "said: <promise>"} {
		if !strings.Contains(words, want) {
			t.Errorf("got %s, want %q in it", words, want)
		}
	}
}

func TestANewLoopBelongsIntoTheWorkspaceOfTheChosenOne(t *testing.T) {
	l := newLooker(t)
	chosen := tui.Loop{}
	chosen.Workspace = t.TempDir()
	_, err := l.forPanel(t.Context(), "start", chosen, "paint it")
	must(t, err)
	all, _ := l.out.read()
	if len(all) != 1 || all[0].Workspace != chosen.Workspace {
		t.Errorf("got %+v, want a loop in %s", all, chosen.Workspace)
	}
}

func TestAReportTakesNoOtherFilesPlace(t *testing.T) {
	l := named("hb5s2")
	l.Workspace = t.TempDir()
	first, err := saveReport(l, "one")
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(l.Workspace, "target")
	if err := os.Symlink(target, filepath.Join(l.Workspace, "ralph-report-hb5s2-2.md")); err != nil {
		t.Log(err) // Windows allows links to few
	}
	second, err := saveReport(l, "two")
	if err != nil || second == first || filepath.Dir(second) != l.Workspace {
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
