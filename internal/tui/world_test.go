package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// noon is the time of every screen.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// user sits before a panel, and is shown these loops.
type user struct {
	*testing.T
	model model
	loops []Loop
	ran   []string // commands, with their arguments
	saved string
	says  string // what a command prints
	fails error
	cmd   tea.Cmd // of the last key
}

func sits(t *testing.T, loops ...Loop) *user {
	t.Helper()
	u := &user{T: t, loops: loops, says: "so be it"}
	u.model = u.panel().model(t.Context())
	u.looks()
	return u
}

func (u *user) panel() Panel {
	return Panel{
		Look: func() ([]Loop, []error) { return u.loops, nil },
		Do: func(_ context.Context, command string, args ...string) (string, error) {
			u.ran = append(u.ran, strings.Join(append([]string{command}, args...), "|"))
			return u.says, u.fails
		},
		Save: func(id, report string) (string, error) {
			u.saved = report
			return "/home/u/ralph-report-" + id + ".md", u.fails
		},
		Plain: plain, Now: noon,
	}
}

// plain stands for what cursor-ralph makes text safe with.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// looks is a look at what there is.
func (u *user) looks() { u.gets(looked{loops: u.loops}) }

func (u *user) gets(msg tea.Msg) {
	next, cmd := u.model.Update(msg)
	u.model, u.cmd = next.(model), cmd
}

// types presses keys, by their names or their letters, and lets what they start
// happen.
func (u *user) types(keys ...string) {
	u.Helper()
	for _, name := range keys {
		u.gets(press(name))
		if u.cmd == nil {
			continue
		}
		if msg, ok := u.cmd().(done); ok {
			u.gets(msg)
		}
	}
}

func press(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
		"tab": {Code: tea.KeyTab}, "space": {Code: tea.KeySpace, Text: " "},
	}
	if key, ok := special[name]; ok {
		return tea.KeyPressMsg(key)
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// letters types a text.
func (u *user) letters(text string) {
	u.Helper()
	for _, r := range text {
		u.types(string(r))
	}
}

func (u *user) resizes(width, height int) { u.gets(tea.WindowSizeMsg{Width: width, Height: height}) }

// sees returns the screen without colors.
func (u *user) sees() string { return ansi.Strip(u.model.View().Content) }

func (u *user) wantSeen(parts ...string) {
	u.Helper()
	for _, part := range parts {
		if !strings.Contains(u.sees(), part) {
			u.Errorf("got the screen\n%s\nwant %q in it", u.sees(), part)
		}
	}
}

func (u *user) wantUnseen(part string) {
	u.Helper()
	if strings.Contains(u.sees(), part) {
		u.Errorf("got the screen\n%s\nwant no %q in it", u.sees(), part)
	}
}

func (u *user) wantRan(want ...string) {
	u.Helper()
	if diff := cmp.Diff(want, u.ran); diff != "" {
		u.Errorf("commands (-want +got):\n%s", diff)
	}
}

// wantScreen compares with a file of testdata, which UPDATE=1 writes.
func (u *user) wantScreen(name string) {
	u.Helper()
	got := ""
	for line := range strings.SplitSeq(u.sees(), "\n") {
		got += strings.TrimRight(line, " ") + "\n"
	}
	path := filepath.Join("testdata", name+".txt")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			u.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		u.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		u.Errorf("%s (-want +got):\n%s", path, diff)
	}
	u.wantFit()
}

// wantFit checks that no line is wider than the terminal, and that there are not
// more of them.
func (u *user) wantFit() {
	u.Helper()
	lines := strings.Split(u.model.View().Content, "\n")
	if len(lines) > max(1, u.model.height) {
		u.Errorf("got %d lines in a terminal of %d", len(lines), u.model.height)
	}
	for _, line := range lines {
		if n := max(ansi.StringWidth(line), ansi.StringWidthWc(line)); n > u.model.width {
			u.Errorf("got a line of %d cells in a terminal of %d: %q", n, u.model.width, line)
		}
	}
}

// live is a loop in the middle of its work.
func live(id, task string) Loop {
	l := loop.New()
	l.Prompt, l.Status, l.Workspace = task, loop.Running, "/home/u/code/repo"
	l.Iterations, l.SessionIterations, l.ToolCalls = 7, 2, 41
	l.StartedAt, l.EventAt = noon().Add(-42*time.Minute), noon().Add(-4*time.Second)
	return Of(id, l)
}

// busy is a loop of which there is much to tell.
func busy() Loop {
	l := loop.New()
	l.Prompt, l.Status, l.Workspace = "make the tests pass, and keep the API as it is", loop.Waiting, "/home/u/code/repo"
	l.Reason = "typing the continue line did not work (the window is gone); type it yourself"
	l.Iterations, l.MaxIterations, l.SessionIterations, l.ToolCalls = 12, 20, 5, 97
	l.StartedAt, l.EventAt = noon().Add(-3*time.Hour), noon().Add(-90*time.Second)
	l.Verify, l.Verifying = "make test", loop.Verifying{ID: "v", Since: noon().Add(-12 * time.Second)}
	l.Struggle = "3 iterations in a row have changed nothing"
	l.Context = []string{"the database is on port 5433", "do not touch vendor/"}
	l.Injection = loop.Injection{ID: "i", OpenedAt: noon().Add(-80 * time.Second), ClosedAt: noon(), Outcome: "the window is gone", Method: "xtest", Milliseconds: 120}
	l.History = []loop.Iteration{
		{Number: 10, Promise: "refused", Refused: "0 of the 1 tool calls"},
		{Number: 11, Promise: "refused", Refused: "`make test` failed with exit 2", Answer: "I have repaired the parser."},
		{Number: 12, Promise: "none", Answer: "The printer is next.\nIt needs a table.", Files: []string{"/home/u/code/repo/parse.go", "/home/u/code/repo/print.go"}},
	}
	return Of("chat-busy", l)
}

func waitsForChat(name, task string) Loop {
	l := loop.New()
	l.Prompt, l.Status, l.Workspace, l.CreatedAt = task, "pending", "/home/u/code/other", noon().Add(-time.Minute)
	kept := Of(name, l)
	kept.Pending = true
	return kept
}

func ended(id string, status loop.Status) Loop {
	l := live(id, "an older task")
	l.State.Status, l.State.EndedAt = status, noon().Add(-20*time.Minute)
	return l
}
