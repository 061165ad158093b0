package tui

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest/v2"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func four(t *testing.T) *user {
	t.Helper()
	return sits(t, busy(), live("chat-1", "make it green"), waitsForChat("1790000000000-1", "write the docs"), ended("chat-0", loop.PromiseAccepted))
}

func TestScreens(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*user)
	}{
		{"list", func(*user) {}},
		{"pending", func(u *user) { u.types("down", "down") }},
		{"ended", func(u *user) { u.types("G") }},
		{"help", func(u *user) { u.types("?") }},
		{"cancel", func(u *user) { u.types("c") }},
		{"context", func(u *user) { u.types("a"); u.letters("use port 5433"); u.types("enter"); u.letters("not 5432") }},
		{"said", func(u *user) { u.types("p") }},
		{"refused", func(u *user) { u.fails = hint.New("the loop is not paused", "pause it first"); u.types("r") }},
		{"report", func(u *user) { u.says = "# Ralph loop\n\nall is well\n"; u.types("o") }},
		{"small", func(u *user) { u.resizes(40, 10) }},
		{"wide", func(u *user) { u.resizes(120, 30) }},
		{"none", func(u *user) { u.loops = nil; u.looks() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := four(t)
			u.resizes(80, 24)
			tt.do(u)
			u.wantScreen(tt.name)
		})
	}
}

func TestKeysRunTheCommandForTheChosenLoop(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"p"}, "pause|chat-busy"},
		{[]string{"r"}, "resume|chat-busy"},
		{[]string{"down", "p"}, "pause|chat-1"},
		{[]string{"j", "j", "r"}, "resume|1790000000000-1"},
		{[]string{"G", "h"}, "history|chat-0"},
		{[]string{"G", "k", "o"}, "report|1790000000000-1"},
		{[]string{"end", "home", "enter"}, "report|chat-busy"},
		{[]string{"down", "up", "up", "p"}, "pause|chat-busy"},
		{[]string{"pgdown", "pgdown", "pgup", "pgup", "g", "p"}, "pause|chat-busy"},
		{[]string{"c", "y"}, "cancel|chat-busy"},
		{[]string{"a", "x", "enter", "y", "ctrl+d"}, "context|chat-busy|x\ny"},
		{[]string{"a", "-", "x", "ctrl+s"}, "context|chat-busy|-x"},
	} {
		t.Run(strings.Join(tt.keys, " "), func(t *testing.T) {
			u := four(t)
			u.types(tt.keys...)
			u.wantRan(tt.want)
		})
	}
}

func TestKeysThatRunNothing(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"c", "n"}, "not cancelled"},
		{[]string{"c", "enter"}, "not cancelled"},
		{[]string{"c", "esc", "y"}, "to the clipboard"},
		{[]string{"a", "x", "esc"}, "no context added"},
		{[]string{"a", "space", "enter", "ctrl+d"}, "the text is empty"},
		{[]string{"?", "p"}, "4 loops"},
		{[]string{"z", "ctrl+x"}, "4 loops"},
		{[]string{"G", "a"}, "the loop has ended (done)"},
		{[]string{"G", "c"}, "the loop has ended (done)"},
	} {
		t.Run(strings.Join(tt.keys, " "), func(t *testing.T) {
			u := four(t)
			u.types(tt.keys...)
			u.wantRan()
			if tt.want == "4 loops" {
				tt.want = "2 live, 1 pending, 1 ended"
			}
			u.wantSeen(tt.want)
		})
	}
}

func TestKeysWithoutALoopDoNothing(t *testing.T) {
	u := sits(t)
	u.types("p", "r", "c", "y", "a", "h", "o", "y", "up", "down", "G")
	u.wantRan()
	u.wantSeen("no loops yet")
}

func TestQuit(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"esc"}, {"ctrl+c"}, {"c", "ctrl+c"}, {"a", "ctrl+c"}, {"o", "ctrl+c"}, {"h", "q", "q"}} {
		u := four(t)
		u.types(keys...)
		if u.cmd == nil {
			t.Fatalf("%q: got no end", keys)
		}
		if _, ok := u.cmd().(tea.QuitMsg); !ok {
			t.Errorf("%q: got %v, want the end", keys, u.cmd())
		}
	}
	u := four(t)
	u.types("a", "q")
	u.wantSeen("ctrl+d send")
}

// The list may change between the question and the answer.
func TestCancelEndsTheLoopThatWasAskedAbout(t *testing.T) {
	u := four(t)
	u.types("down", "c")
	u.wantSeen("cancel the loop of chat-1 (make it green)?")
	u.loops = []Loop{live("chat-new", "new"), busy()}
	u.looks()
	u.wantSeen("cancel the loop of chat-1")
	u.types("y")
	u.wantRan("cancel|chat-1")
}

func TestTheChoiceStaysWithItsLoop(t *testing.T) {
	u := four(t)
	u.types("down")
	u.loops = []Loop{live("chat-new", "new"), busy(), ended("chat-1", loop.Cancelled)}
	u.looks()
	u.types("p")
	u.wantRan("pause|chat-1")
	u.loops = []Loop{live("chat-new", "new")}
	u.looks()
	u.types("p")
	u.wantRan("pause|chat-1", "pause|chat-new")
}

func TestTheChoiceGoesWithAPendingLoopToItsChat(t *testing.T) {
	u := four(t)
	u.types("down", "down")
	taken := waitsForChat("chat-7", "write the docs")
	taken.Pending = false
	u.loops = []Loop{live("chat-new", "new"), busy(), live("chat-1", "make it green"), taken}
	u.looks()
	u.types("p")
	u.wantRan("pause|chat-7")
}

func TestTheFirstChoiceIsTheOneAskedFor(t *testing.T) {
	u := &user{T: t, loops: []Loop{live("a", "one"), live("b", "two")}}
	p := u.panel()
	p.Chosen = "b"
	u.model = p.model(t.Context())
	u.looks()
	u.types("p")
	u.wantRan("pause|b")
}

// A terminal that does not mark what is pasted sends keys.
func TestAPasteOfManyLinesIsOneText(t *testing.T) {
	const pasted = "first\nc\ny\nq\n"
	for _, marked := range []bool{true, false} {
		u := four(t)
		u.types("a")
		if marked {
			u.gets(tea.PasteMsg{Content: strings.ReplaceAll(pasted, "\n", "\r\n")})
		} else {
			u.letters("first")
			u.types("enter", "c", "enter", "y", "enter", "q", "enter")
		}
		u.wantRan()
		u.types("ctrl+d")
		u.wantRan("context|chat-busy|" + pasted)
	}
}

func TestAPasteElsewhereIsNoKey(t *testing.T) {
	u := four(t)
	u.gets(tea.PasteMsg{Content: "cy"})
	u.types("c")
	u.gets(tea.PasteMsg{Content: "y"})
	u.wantRan()
	u.wantSeen("any other key")
}

func TestAPasteIsOfBoundedLengthAndHasNoControlCharacters(t *testing.T) {
	u := four(t)
	u.types("a")
	u.gets(tea.PasteMsg{Content: "\x1b[2J\x00" + strings.Repeat("ä", 20_000)})
	u.wantFit()
	u.types("ctrl+d")
	_, text, _ := strings.Cut(strings.Join(u.ran, ""), "chat-busy|")
	if n := len([]rune(text)); n != mostWritten || strings.ContainsAny(text, "\x1b\x00") {
		t.Errorf("got %d characters that begin with %.20q, want %d without control characters", n, text, mostWritten)
	}
}

func TestEditing(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"a", "b", "backspace", "c"}, "ac"},
		{[]string{"backspace", "delete", "a"}, "a"},
		{[]string{"a", "b", "left", "left", "delete"}, "b"},
		{[]string{"a", "b", "left", "x", "right", "right", "y"}, "axby"},
		{[]string{"a", "b", "home", "x", "end", "y"}, "xaby"},
		{[]string{"a", "b", "space", "c", "d", "ctrl+w", "x"}, "ab x"},
		{[]string{"a", "enter", "b", "c", "ctrl+u", "x"}, "a\nx"},
		{[]string{"a", "b", "enter", "c", "up", "x", "down", "y"}, "axb\ncy"},
		{[]string{"a", "enter", "b", "c", "d", "up", "x"}, "ax\nbcd"},
		{[]string{"a", "b", "c", "enter", "d", "e", "up", "ctrl+k", "x"}, "abx\nde"},
		{[]string{"a", "up", "x", "down", "y"}, "xay"},
		{[]string{"ü", "tab", "漢"}, "ü\t漢"},
	} {
		t.Run(strings.Join(tt.keys, " "), func(t *testing.T) {
			u := four(t)
			u.types("a")
			u.types(tt.keys...)
			if got := string(u.model.text.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheCursorStandsWhereTheTextGoesOn(t *testing.T) {
	u := four(t)
	u.resizes(20, 12)
	u.types("a")
	for _, tt := range []struct {
		text string
		x, y int // y from the first line of the text
	}{
		{"", 0, 0}, {"ab", 2, 0}, {"漢字", 4, 0}, {"a\nb", 1, 1}, {strings.Repeat("x", 20), 0, 1}, {strings.Repeat("x", 25), 5, 1},
		{strings.Repeat("x\n", 30), 0, 5},
	} {
		u.model.text = editor{}.insert(tt.text)
		cursor := u.model.View().Cursor
		if cursor == nil {
			t.Fatal("got no cursor")
		}
		heading := strings.Split(u.sees(), "\n")
		first := 0
		for i, line := range heading {
			if strings.HasPrefix(line, "the agent of") {
				first = i + 1
			}
		}
		if cursor.X != tt.x || cursor.Y-first != tt.y {
			t.Errorf("%q: got the cursor at %d, %d, want %d, %d in\n%s", tt.text, cursor.X, cursor.Y-first, tt.x, tt.y, u.sees())
		}
		u.wantFit()
	}
}

func TestCopy(t *testing.T) {
	for _, tt := range []struct {
		loop Loop
		want string
	}{
		{live("chat-1", "x"), "to the clipboard, if the terminal allows it: /ralph-loop --continue chat-1"},
		{ofRun("run-1"), "to the clipboard, if the terminal allows it: cursor-ralph run --resume w83p2"},
		{atLimit("chat-2"), "to the clipboard, if the terminal allows it: /ralph-loop --continue chat-2 --max-iterations 27"},
		{ended("chat-5", loop.UserStopped), "to the clipboard, if the terminal allows it: /ralph-loop --continue chat-5"},
		{ended("chat-3", loop.PromiseAccepted), "cannot be continued"},
		{ended("chat-4", loop.Cancelled), "cannot be continued"},
		{waitsForChat("17-1", "x"), "begins by itself"},
	} {
		u := sits(t, tt.loop)
		u.resizes(120, 24)
		u.types("y")
		u.wantSeen(tt.want)
		_, line, copied := strings.Cut(tt.want, ": ")
		if got := u.cmd != nil; got != copied {
			t.Errorf("%s: got copied %v", tt.loop.ID, got)
		}
		if u.cmd != nil && fmt.Sprint(u.cmd()) != line {
			t.Errorf("%s: got %q in the clipboard", tt.loop.ID, u.cmd())
		}
	}
}

// atLimit is a loop that has done all its iterations.
func atLimit(id string) Loop {
	l := ended(id, loop.MaxIterations)
	l.State.MaxIterations = l.State.Iterations
	return l
}

// ofRun is a loop of cursor-ralph run.
func ofRun(id string) Loop {
	l := live(id, "x")
	l.State.Run = loop.Run{Agent: "opencode", Driver: "acp"}
	return l
}

func TestALoopOfARunNamesItsAgent(t *testing.T) {
	u := sits(t, ofRun("run-1"))
	u.wantSeen("by the Agent Client Protocol: opencode")
}

func TestPagesScroll(t *testing.T) {
	u := four(t)
	u.resizes(80, 10)
	var lines []string
	for n := range 100 {
		lines = append(lines, fmt.Sprintf("line %d.", n))
	}
	u.says = strings.Join(lines, "\n")
	u.types("h")
	u.wantSeen("history of chat-busy", "line 0.", "q back")
	for _, tt := range []struct{ key, seen, unseen string }{
		{"down", "line 1.", "line 0."}, {"up", "line 0.", "line 20."}, {"pgdown", "line 8.", "line 0."}, {"pgup", "line 0.", "line 20."},
		{"G", "line 99.", "line 0."}, {"down", "line 99.", "line 0."}, {"g", "line 0.", "line 99."}, {"up", "line 0.", "line 99."},
		{"space", "line 8.", "line 0."}, {"b", "line 0.", "line 99."}, {"j", "line 1.", "line 0."}, {"k", "line 0.", "line 99."},
	} {
		u.types(tt.key)
		u.wantSeen(tt.seen)
		u.wantUnseen(tt.unseen)
		u.wantFit()
	}
	u.types("end", "q")
	u.wantSeen("2 live")
	u.wantRan("history|chat-busy")
}

func TestAPageIsLaidOutAnewForAnotherSize(t *testing.T) {
	u := four(t)
	u.resizes(80, 10)
	u.says = strings.Repeat("word ", 300) + "end"
	u.types("o", "G")
	u.wantSeen("end")
	u.resizes(40, 8)
	u.wantFit()
	u.types("G")
	u.wantSeen("end")
	u.resizes(200, 50)
	u.wantSeen("word", "end")
	u.wantFit()
}

func TestSaveWritesTheReport(t *testing.T) {
	u := four(t)
	u.says = "# Ralph loop\n"
	u.types("o", "s")
	if u.saved != u.says {
		t.Errorf("got %q saved, want %q", u.saved, u.says)
	}
	u.wantSeen("written: /home/u/ralph-report-chat-busy.md", "# Ralph loop")
	u.fails = errors.New("the disk is full")
	u.types("s")
	u.wantSeen("the disk is full")

	u = four(t)
	u.types("h", "s")
	if u.saved != "" {
		t.Error("got a history saved as a report")
	}
}

// What is read must not take the place of what the user does by then.
func TestALatePageDoesNotDisturb(t *testing.T) {
	u := four(t)
	u.types("a", "x")
	u.gets(done{command: "report", id: "chat-busy", said: "# Ralph loop"})
	u.wantUnseen("# Ralph loop")
	u.types("ctrl+d")
	u.wantRan("context|chat-busy|x")
}

// hostile is text as a task, an answer or a file name may be.
const hostile = "\x1b]0;owned\x07\x1b[2J\x9b31m a\rb\nc\td \u202egnp.exe e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301 👩‍👩‍👧‍👦🏽 ❤️ 🇩🇪 漢字 שלום مرحبا \u200b\u2066x\u00ad \u2028 "

func TestHostileTextNeitherMovesTheCursorNorBreaksTheLayout(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 60}, {21, 7}, {1, 1}, {3, 2}, {10, 4}, {300, 5}} {
		l := loop.New()
		text := strings.Repeat(hostile, 5)
		l.Prompt, l.Workspace, l.Reason, l.LastOutput, l.Struggle, l.Verify = text, "/"+hostile, text, text, text, text
		l.Status, l.PauseReason, l.Context = loop.Status(text), loop.PauseReason(text), []string{text, text}
		l.StartedAt, l.EventAt = noon(), noon()
		l.Verifying = loop.Verifying{ID: "v", Since: noon()}
		l.Injection = loop.Injection{ID: "i", Outcome: loop.LineOutcome(text), Method: text, OpenedAt: noon(), Tries: []string{text}}
		l.History = []loop.Iteration{{Promise: "refused", Refused: text, Answer: text, Files: []string{text, text}}}
		u := sits(t, Of("chat-"+hostile, l), live("chat-1", hostile))
		u.resizes(size[0], size[1])
		u.says = text
		for _, key := range []string{"down", "up", "c", "n", "a", "x", "esc", "p", "h", "pgdown", "q", "o", "G", "q", "?", "x", "y"} {
			u.types(key)
			if key == "x" && u.model.mode == writing {
				u.gets(tea.PasteMsg{Content: text})
			}
			u.wantFit()
			u.wantHarmless()
		}
	}
}

// wantHarmless checks that of all control sequences there are only those of the
// panel's own styles.
func (u *user) wantHarmless() {
	u.Helper()
	content := u.model.View().Content
	var state byte
	for len(content) > 0 {
		seq, width, n, next := ansi.DecodeSequence(content, state, nil)
		style := strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m")
		mark := strings.Trim(seq, "\u0301") == "" // parted from its letter by the end of a line
		if width == 0 && seq != "\n" && seq != "\u200c" && !style && !mark {
			u.Errorf("got %q on the screen", seq)
		}
		content, state = content[n:], next
	}
	if strings.Contains(u.sees(), strings.Repeat("\u0301", 4)) {
		u.Errorf("got marks piled up: %q", u.sees())
	}
	if strings.ContainsAny(u.sees(), "\u202e\u2066\u200b\u200d\ufe0f") {
		u.Errorf("got characters that hide or turn text: %q", u.sees())
	}
}

func TestWhatIsKeptOfALoopIsBounded(t *testing.T) {
	large := strings.Repeat("ä", 1<<20)
	l := loop.New()
	l.Prompt, l.Reason, l.LastOutput, l.Struggle, l.Verify, l.Workspace = large, large, large, large, large, large
	for range 1000 {
		l.Context = append(l.Context, large)
		l.History = append(l.History, loop.Iteration{Promise: "refused", Refused: large, Answer: large, Files: []string{large}})
	}
	kept := Of("x", l)
	if kept.Refused != 1000 {
		t.Errorf("got %d refused promises, want 1000", kept.Refused)
	}
	if n := len(fmt.Sprintf("%+v", kept)); n > 100_000 {
		t.Errorf("got %d bytes kept", n)
	}
}

func TestWordsOfTheList(t *testing.T) {
	stale, verifies, paused, pausedBefore := live("a", "x"), live("b", "x"), live("c", "x"), waitsForChat("1-1", "x")
	stale.State.EventAt = noon().Add(-25 * time.Hour)
	verifies.State.Verify, verifies.State.Verifying = "make", loop.Verifying{ID: "v", Since: noon()}
	paused.State.Status, pausedBefore.State.Status = loop.Paused, loop.Paused
	for _, tt := range []struct {
		loop Loop
		want string
	}{
		{live("x", "x"), "running"}, {stale, "stale"}, {verifies, "verifying"}, {paused, "paused"}, {waitsForChat("1-1", "x"), "pending"},
		{pausedBefore, "paused"}, {ended("x", loop.PromiseAccepted), "done"}, {ended("x", loop.MaxIterations), "at limit"},
		{ended("x", loop.MaxDuration), "time is up"}, {ended("x", loop.UserStopped), "stopped"}, {ended("x", loop.Cancelled), "cancelled"},
		{ended("x", loop.Blocked), "blocked"}, {ended("x", loop.Replaced), "replaced"},
	} {
		u := sits(t, tt.loop)
		u.wantSeen("> " + tt.want + " ")
	}
}

func TestTheBarIsAsLongAsTheLoopHasCome(t *testing.T) {
	for _, tt := range []struct {
		n, of int
		want  string
	}{{0, 20, "░░░░░░░░░░"}, {10, 20, "█████░░░░░"}, {20, 20, "██████████"}, {30, 20, "██████████"}, {-30, 20, "░░░░░░░░░░"}, {5, 0, "██████████"}} {
		if got := bar(tt.n, tt.of, 10); got != tt.want {
			t.Errorf("%d of %d: got %s, want %s", tt.n, tt.of, got, tt.want)
		}
	}
}

func TestManyLoopsScroll(t *testing.T) {
	var loops []Loop
	for n := range 200 {
		loops = append(loops, live(fmt.Sprintf("chat-%d", n), fmt.Sprintf("task %d.", n)))
	}
	u := sits(t, loops...)
	u.wantSeen("200 live", "task 0.")
	u.types("G")
	u.wantSeen("task 199.", "chat-199")
	for range 100 {
		u.types("up")
	}
	u.wantSeen("task 99.", "chat-99")
	u.wantUnseen("task 199.")
	u.types("pgup", "p")
	u.wantRan(fmt.Sprintf("pause|chat-%d", 99-u.model.listRoom()))
}

func TestWhatCannotBeReadIsTold(t *testing.T) {
	u := four(t)
	u.gets(looked{loops: u.loops, problems: 2})
	u.wantSeen("2 not readable")
}

func TestEveryKeyOfTheHelpIsInTheLastLine(t *testing.T) {
	u := four(t)
	u.wantSeen("? help  q quit  p pause  r resume  c cancel  a tell  h history  o report  y copy")
	u.wantFit()
}

// The whole program, with a terminal that does not describe itself.
func TestTheProgramShowsAndEnds(t *testing.T) {
	u := &user{T: t, loops: []Loop{live("chat-1", "make it green")}, says: "so be it"}
	tm := teatest.NewTestModel(t, u.panel().model(t.Context()), teatest.WithInitialTermSize(80, 24))
	teatest.WaitFor(t, tm.Output(), func(out []byte) bool { return bytes.Contains(out, []byte("make it green")) }, teatest.WithDuration(20*time.Second))
	tm.Type("p")
	teatest.WaitFor(t, tm.Output(), func(out []byte) bool { return bytes.Contains(out, []byte("so be it")) }, teatest.WithDuration(20*time.Second))
	tm.Type("q")
	tm.WaitFinished(t, teatest.WithFinalTimeout(20*time.Second))
	u.wantRan("pause|chat-1")
}

// The terminal's background decides about colors, and no color is needed.
func TestColorsFollowTheBackground(t *testing.T) {
	u := four(t)
	var screens []string
	for _, dark := range []bool{true, false} {
		u.model.colors = colorsOn(dark)
		screens = append(screens, u.model.View().Content)
	}
	if screens[0] == screens[1] {
		t.Error("got the same colors on dark and on light")
	}
	if ansi.Strip(screens[0]) != ansi.Strip(screens[1]) {
		t.Error("got other words on dark than on light")
	}
}

func TestWithoutATerminalThereIsNoPanel(t *testing.T) {
	if err := (Panel{}).Run(t.Context(), strings.NewReader("q"), new(bytes.Buffer)); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("got %v, want %v", err, ErrNoTerminal)
	}
}

func TestAContextThatIsNotTakenStaysWritten(t *testing.T) {
	u := sits(t, busy())
	u.fails = errors.New("the disk is full")
	u.types("a")
	u.letters("use port 5433")
	u.types("ctrl+d")
	u.wantSeen("the disk is full", "use port 5433", "ctrl+d")
	u.fails = nil
	u.types("!", "ctrl+d")
	u.wantUnseen("the disk is full")
	u.wantRan("context|chat-busy|use port 5433", "context|chat-busy|use port 5433!")
}

func TestWhatIsWrittenGoesToTheChatThatTookThePendingLoop(t *testing.T) {
	u := sits(t, waitsForChat("1772366340000-77", "paint it"))
	u.types("a", "x")
	taken := waitsForChat("chat-1", "paint it")
	taken.Pending = false
	u.loops = []Loop{taken}
	u.looks()
	u.types("ctrl+d")
	u.wantRan("context|chat-1|x")
}

func TestAContextThatIsTooLongSaysSo(t *testing.T) {
	u := sits(t, busy())
	u.types("a")
	u.gets(tea.PasteMsg{Content: strings.Repeat("x", mostWritten-1)})
	u.wantUnseen("no more than")
	u.gets(tea.PasteMsg{Content: "yz"})
	u.wantSeen("no more than 10000 characters")
}

// Without reports about tools, no tool calls are counted.
func TestToolCallsThatAreNotSeenAreNotCounted(t *testing.T) {
	m := model{width: 80}
	if got := m.progress(Of("1", loop.State{Contract: loop.Contract{Iterations: 1, MaxIterations: 9}}).State); !strings.Contains(got, "0 tool calls") {
		t.Errorf("got %q, want the tool calls in it", got)
	}
	if got := m.progress(Of("1", loop.State{Contract: loop.Contract{Iterations: 1, MaxIterations: 9}, OuterRun: loop.OuterRun{Run: loop.Run{Driver: "print", NoTools: true}}}).State); strings.Contains(got, "tool calls") {
		t.Errorf("got %q, want no tool calls in it", got)
	}
}
