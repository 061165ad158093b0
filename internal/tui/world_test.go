package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
)

// noon is the time of every screen.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// user sits before a panel, and is shown these loops.
type user struct {
	*testing.T
	model model
	loops []Loop
	ran   []string // commands, with their arguments
	says  string   // what a command prints
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
		Loops: func() ([]Loop, []error) { return u.loops, nil },
		Do: func(_ context.Context, command, id string, args ...string) (string, error) {
			u.ran = append(u.ran, strings.Join(append([]string{command, id}, args...), "|"))
			return u.says, u.fails
		},
		Now: noon, Home: "/home/u",
	}
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
	golden.Matches(u, "testdata/"+name+".txt", got)
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

// shown is a loop as the panel gets it. Its own id is that of the chat here.
func shown(id string, l loop.State, details ...view.Detail) Loop {
	l.ID, l.ConversationID = "", id
	v := view.Of(l, view.Facts{Now: noon()})
	v.ID = id
	return Of("key-"+id, v, func() []view.Detail {
		return append([]view.Detail{{Name: "task", Words: l.Prompt}, {Name: "status", Words: v.Describe()}}, details...)
	})
}

// live is a loop in the middle of its work.
func live(id, task string) Loop { return shown(id, works(task)) }

func works(task string) loop.State {
	l := loop.New()
	l.Prompt, l.Status, l.Workspace = task, loop.Running, "/home/u/code/repo"
	l.Iterations, l.SessionIterations, l.ToolCalls = 7, 2, 41
	l.StartedAt, l.EventAt = noon().Add(-42*time.Minute), noon().Add(-4*time.Second)
	return l
}

// busy is a loop of which there is much to show.
func busy() Loop {
	l := works("make the tests pass, and keep the API as it is")
	l.Status, l.Iterations = loop.Waiting, 12
	l.EventAt = noon().Add(-90 * time.Second)
	return shown("hb5s2", l, view.Detail{Name: "why", Words: "typing the continue line did not work (the window is gone); type it yourself"},
		view.Detail{Name: "to go on", Words: "/ralph-loop --continue hb5s2"}, view.Detail{Name: "iteration", Words: "13 of 20"}, view.Detail{Name: "stuck", Words: "3 iterations in a row have changed nothing"},
		view.Detail{Name: "said", Words: "The printer is next.\nIt needs a table.\nThen come the docs.\nAnd the rest."}, view.Detail{Name: "workspace", Words: "~/code/repo"})
}

func waitsForChat(id, task string) Loop {
	l := loop.New()
	l.Prompt, l.Status, l.Workspace, l.CreatedAt = task, "pending", "/home/u/code/other", noon().Add(-time.Minute)
	return shown(id, l)
}

func ended(id string, status loop.Status) Loop {
	l := works("an older task")
	l.Status, l.EndedAt = status, noon().Add(-20*time.Minute)
	return shown(id, l)
}

func stalled(id string) Loop {
	l := works("a task")
	l.EventAt = noon().Add(-time.Hour)
	return shown(id, l)
}
