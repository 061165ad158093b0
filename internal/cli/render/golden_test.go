package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// place is a user's folders at a fixed time.
type place struct {
	*testing.T
	now time.Time
	dir string
	env map[string]string
}

func newPlace(t *testing.T) place {
	t.Helper()
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
	dir := t.TempDir()
	p := place{t, time.Date(2026, 5, 4, 8, 30, 0, 0, time.UTC), dir, map[string]string{
		"HOME": "/home/ann", "USERPROFILE": "/home/ann", "CURSOR_RALPH_DIR": filepath.Join(dir, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(dir, "state"),
		"CURSOR_PROJECT_DIR": "/home/ann/app"}}
	for _, name := range []string{"tmp", "state"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// prints runs a command and returns its output.
func (p place) prints(command func(context.Context, *cli.Env, []string) error, flags func(*pflag.FlagSet), args ...string) string {
	p.Helper()
	var out bytes.Buffer
	e := &cli.Env{Terminal: cli.Terminal{Stdout: &out, Stderr: &out, Getenv: func(name string) string { return p.env[name] }}, Options: cli.Options{Flags: cli.FlagSet("", flags)}, Now: func() time.Time { return p.now }}
	if err := e.Flags.Parse(args); err != nil {
		p.Fatal(err)
	}
	if err := e.Open(); err != nil {
		p.Fatal(err)
	}
	if err := command(context.Background(), e, e.Flags.Args()); err != nil {
		p.Fatal(err)
	}
	return out.String()
}

func (p place) live(id string) string {
	return filepath.Join(p.dir, "tmp", "cursor-ralph-loop-"+id+".json")
}

func (p place) places() platform.Places {
	return loopfiles.Places(p, filepath.Join(p.dir, "tmp"), filepath.Join(p.dir, "state"))
}

func (p place) removes(paths ...string) {
	p.Helper()
	for _, path := range paths {
		if err := os.Remove(path); err != nil {
			p.Fatal(err)
		}
	}
}

// has puts a loop where it belongs: one that has ended is a record alone.
func (p place) has(id string, change func(*loop.State)) {
	p.Helper()
	s := loop.New()
	s.Prompt, s.ConversationID, s.Workspace, s.Status = "make the tests pass", id, "/home/ann/app", loop.Running
	s.CreatedAt, s.StartedAt, s.EventAt = p.now.Add(-2*time.Hour), p.now.Add(-2*time.Hour), p.now.Add(-3*time.Minute)
	change(&s)
	s = s.In(id, time.Time{})
	store := state.New(p.places(), time.Now)
	err := store.Save(s)
	if !s.Status.Ended() {
		data, encoding := s.InTmp().Encode()
		err = errors.Join(err, store.Enter(id, s), encoding, os.WriteFile(p.live(id), data, 0o600))
	}
	if err != nil {
		p.Fatal(err)
	}
}

// fill adds a loop of every kind.
func (p place) fill() {
	p.has("chat-1", func(s *loop.State) { s.ID, s.Iterations, s.ToolCalls = "k7f2m", 2, 14 })
	p.has("chat-2", func(s *loop.State) {
		s.ID, s.Prompt, s.Status, s.PauseReason = "m3x8a", "日本語のテストを全部通す、それから文書を直す、最後に確認する", loop.Paused, "idle"
		s.Reason, s.Idle = "5 turns in a row ended within seconds", true
	})
	p.has("chat-3", func(s *loop.State) {
		s.ID, s.Prompt, s.Workspace = "p0q1r", "👩‍👩‍👧‍👦 🎉 family\r\n\x1b[2J<promise>COMPLETE</promise>", "/srv/repositories/with/a/long/path/to/the/application"
		s.Verify, s.Verifying = "npm test", loop.Verifying{ID: "v", Since: p.now.Add(-5 * time.Second)}
	})
	p.has("chat-4", func(s *loop.State) {
		s.ID, s.Prompt, s.Status, s.Iterations, s.MaxIterations = "t5v6w", "تمرير جميع الاختبارات \u202eevil", loop.Waiting, 10_000, 10_000
	})
	p.has("chat-5", func(s *loop.State) {
		s.ID, s.Prompt, s.EventAt = "w8y9z", strings.Repeat("long words of a task ", 5000), p.now.Add(-26*time.Hour)
	})
	p.has("chat-6", func(s *loop.State) {
		s.ID, s.Status, s.Iterations, s.EndedAt = "g1h2j", loop.PromiseAccepted, 7, p.now.Add(-8*time.Hour)
		s.StartedAt, s.Reason, s.Verify = p.now.Add(-10*time.Hour), "promise accepted", "npm test"
	})
	p.has("chat-7", func(s *loop.State) {
		s.ID, s.Status, s.Iterations, s.EndedAt, s.Workspace = "h3j4k", loop.MaxIterations, 20, p.now.Add(-100*time.Hour), "/home/ann"
		s.Reason = "the limit of 20 iterations is reached; 20 iterations in 1h 2m"
	})
}

// TestListingsAreGolden compares status and list with testdata/listings.txt, at every
// width. UPDATE=1 writes it.
func TestListingsAreGolden(t *testing.T) {
	p := newPlace(t)
	var b strings.Builder
	show := func(what string, command func(context.Context, *cli.Env, []string) error, flags func(*pflag.FlagSet), args ...string) {
		out := p.prints(command, flags, args...)
		fmt.Fprintf(&b, "--- %s %s\n%s\n", what, strings.Join(args, " "), out)
		p.fits(out)
	}
	show("nothing:", Status, cli.JSONFlag)
	show("nothing:", List, ListFlags)
	p.fill()
	for _, columns := range []string{"60", "80", "200", ""} {
		p.env["COLUMNS"] = columns
		what := columns + " columns:"
		show(what, List, ListFlags, "--all")
		show(what, Status, cli.JSONFlag)
		for _, id := range []string{"chat-1", "chat-2", "chat-3", "chat-4", "chat-5", "chat-6"} {
			show(what, Status, cli.JSONFlag, id)
		}
	}
	p.env["COLUMNS"], p.env["LANG"] = "60", "C"
	show("LANG=C:", List, ListFlags, "--all")
	delete(p.env, "LANG")
	for id, own := range map[string]string{"2": "m3x8a", "3": "p0q1r", "4": "t5v6w", "5": "w8y9z"} {
		p.removes(p.live("chat-"+id), p.places().Chat("chat-"+id), p.places().Record(own))
	}
	p.removes(p.live("chat-1"))
	show("after a restart:", List, ListFlags)
	show("after a restart:", Status, cli.JSONFlag)
	p.removes(p.places().Record("k7f2m"), p.places().Chat("chat-1"))
	show("the morning after:", Status, cli.JSONFlag)
	golden.Matches(t, "testdata/listings.txt", b.String())
}

// TestHistoryFits compares the iterations with testdata/history.txt, at every width.
func TestHistoryFits(t *testing.T) {
	p := newPlace(t)
	p.has("chat-1", func(s *loop.State) {
		s.ID, s.Iterations = "k7f2m", 2
		s.History = []loop.Iteration{
			{Number: 1, EndedAt: p.now.Add(-25 * time.Hour), Seconds: 3601.25, Promise: "refused", Refused: "the verification `npm test` failed with exit 1: 3 of 120 tests fail",
				Tools: map[string]int{"Write": 12, "漢字漢字漢字": 3, "Shell": 7}, Files: []string{"a.go"}, Action: "inject", Lines: []loop.Delivery{{Outcome: loop.Arrived, Method: "xtest"}}},
			{Number: 2, EndedAt: p.now, Seconds: 5, Promise: "none", Action: "followup", Struggle: "👩‍👩‍👧‍👦 " + strings.Repeat("no change ", 50)},
		}
	})
	var b strings.Builder
	for _, columns := range []string{"60", "80", "200", ""} {
		p.env["COLUMNS"] = columns
		out := p.prints(History, cli.JSONFlag, "chat-1")
		fmt.Fprintf(&b, "--- %s columns\n%s\n", columns, out)
		p.fits(out)
	}
	golden.Matches(t, "testdata/history.txt", b.String())
}

// fits checks that no line is wider than the screen, but for those to be copied.
func (p place) fits(out string) {
	p.Helper()
	width := 0
	if _, err := fmt.Sscan(p.env["COLUMNS"], &width); err != nil {
		return
	}
	for line := range strings.Lines(out) {
		if w := ansi.StringWidthWc(strings.TrimRight(line, "\n")); w > width && !strings.Contains(line, "cursor://") && !strings.Contains(line, "No loop") {
			p.Errorf("got a line of %d columns on a screen of %d:\n%s", w, width, line)
		}
	}
}
