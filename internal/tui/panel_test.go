package tui

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest/v2"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func four(t *testing.T) *user {
	t.Helper()
	return sits(t, busy(), live("n1x4v", "make it green"), waitsForChat("pw1t7", "write the docs"), ended("k0d9z", loop.PromiseAccepted))
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
		{"context", func(u *user) { u.types("a"); u.letters("use port 5433"); u.types("alt+enter"); u.letters("not 5432") }},
		{"said", func(u *user) { u.types("p") }},
		{"refused", func(u *user) { u.fails = hint.New("the loop is not paused", "pause it first"); u.types("r") }},
		{"report", func(u *user) { u.says = "# Ralph loop\n\nall is well\n"; u.types("o") }},
		{"small", func(u *user) { u.resizes(40, 10) }},
		{"wide", func(u *user) { u.resizes(120, 30) }},
		{"none", func(u *user) { u.loops = nil; u.looks() }},
		{"start", func(u *user) { u.types("s"); u.letters("paint it") }},
		{"narrow", func(u *user) { u.resizes(60, 15) }},
		{"large", func(u *user) { u.resizes(200, 60) }},
		{"signs", func(u *user) { u.loops = slices.Insert(u.loops, 1, stalled("k7f2m")); u.looks(); u.types("e") }},
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
		{[]string{"p"}, "pause|hb5s2"},
		{[]string{"r"}, "resume|hb5s2"},
		{[]string{"down", "p"}, "pause|n1x4v"},
		{[]string{"j", "j", "r"}, "resume|pw1t7"},
		{[]string{"G", "h"}, "history|k0d9z"},
		{[]string{"G", "k", "o"}, "report|pw1t7"},
		{[]string{"end", "home", "enter"}, "report|hb5s2"},
		{[]string{"down", "up", "up", "p"}, "pause|hb5s2"},
		{[]string{"pgdown", "pgdown", "pgup", "pgup", "g", "p"}, "pause|hb5s2"},
		{[]string{"c", "y"}, "cancel|hb5s2"},
		{[]string{"a", "x", "alt+enter", "y", "enter"}, "context|hb5s2|x\ny"},
		{[]string{"a", "-", "x", "ctrl+j", "y", "enter"}, "context|hb5s2|-x\ny"},
		{[]string{"down", "s", "x", "enter"}, "start|n1x4v|x"},
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
		{[]string{"a", "x", "esc"}, "nothing sent"},
		{[]string{"a", "space", "alt+enter", "enter"}, "the text is empty"},
		{[]string{"?", "p", "esc"}, "4 loops"},
		{[]string{"z", "ctrl+x", "esc"}, "4 loops"},
		{[]string{"G", "a"}, "the loop has ended (PROMISE_ACCEPTED)"},
		{[]string{"G", "c"}, "the loop has ended (PROMISE_ACCEPTED)"},
	} {
		t.Run(strings.Join(tt.keys, " "), func(t *testing.T) {
			u := four(t)
			u.types(tt.keys...)
			u.wantRan()
			if tt.want == "4 loops" {
				tt.want = "1 waiting, 1 running, 1 pending, 1 ended"
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
	u.types("s", "x", "enter")
	u.wantRan("start||x")
}

func TestQuit(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"esc", "q"}, {"ctrl+c"}, {"c", "ctrl+c"}, {"a", "ctrl+c"}, {"o", "ctrl+c"}, {"h", "q", "q"}} {
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
	u.types("esc")
	if u.cmd != nil {
		t.Error("got an end by Esc")
	}
	u.types("a", "q")
	u.wantSeen("enter send")
}

// The list may change between the question and the answer.
func TestCancelEndsTheLoopThatWasAskedAbout(t *testing.T) {
	u := four(t)
	u.types("down", "c")
	u.wantSeen("cancel the loop n1x4v (make it green)?")
	u.loops = []Loop{live("chat-new", "new"), busy()}
	u.looks()
	u.wantSeen("cancel the loop n1x4v")
	u.types("y")
	u.wantRan("cancel|n1x4v")
}

func TestTheChoiceStaysWithItsLoop(t *testing.T) {
	u := four(t)
	u.types("down")
	u.loops = []Loop{live("chat-new", "new"), busy(), ended("n1x4v", loop.Cancelled)}
	u.looks()
	u.types("p")
	u.wantRan("pause|n1x4v")
	u.loops = []Loop{live("chat-new", "new")}
	u.looks()
	u.types("p")
	u.wantRan("pause|n1x4v", "pause|chat-new")
}

func TestTheChoiceAndWhatIsWrittenGoWithAPendingLoopToItsChat(t *testing.T) {
	u := four(t)
	u.types("down", "down", "a", "x")
	taken := live("chat-7", "write the docs")
	taken.Key = u.loops[2].Key
	u.loops = []Loop{live("chat-new", "new"), busy(), taken}
	u.looks()
	u.types("enter", "p")
	u.wantRan("context|pw1t7|x", "pause|chat-7")
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

// A terminal that does not mark what is pasted sends keys, one right after the other.
func TestAPasteOfManyLinesIsOneText(t *testing.T) {
	const pasted = "first\nc\ny\nq"
	for _, marked := range []bool{true, false} {
		u := four(t)
		u.types("a")
		if marked {
			u.gets(tea.PasteMsg{Content: strings.ReplaceAll(pasted, "\n", "\r\n")})
		} else {
			for _, key := range []string{"f", "i", "r", "s", "t", "enter", "c", "enter", "y", "enter", "q"} {
				u.gets(press(key))
			}
			u.gets(sent{2}) // of an Enter that was pasted
		}
		u.wantRan()
		u.types("enter")
		u.wantRan("context|hb5s2|" + pasted)
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
	u.types("enter")
	_, text, _ := strings.Cut(strings.Join(u.ran, ""), "hb5s2|")
	if n := len(text); n > mostWritten || n < mostWritten-4 || strings.ContainsAny(text, "\x1b\x00") {
		t.Errorf("got %d bytes that begin with %.20q, want %d without control characters", n, text, mostWritten)
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
		{[]string{"a", "\u3000", "c", "d", "ctrl+w", "x"}, "a\u3000x"},
		{[]string{"a", "alt+enter", "b", "c", "ctrl+u", "x"}, "a\nx"},
		{[]string{"a", "b", "alt+enter", "c", "up", "x", "down", "y"}, "axb\ncy"},
		{[]string{"a", "alt+enter", "b", "c", "d", "up", "x"}, "ax\nbcd"},
		{[]string{"a", "b", "c", "alt+enter", "d", "e", "up", "ctrl+k", "x"}, "abx\nde"},
		{[]string{"a", "up", "x", "down", "y"}, "xay"},
		{[]string{"ü", "tab", "漢"}, "ü\t漢"},
	} {
		t.Run(strings.Join(tt.keys, " "), func(t *testing.T) {
			u := four(t)
			u.types("a")
			u.types(tt.keys...)
			if got := u.model.text.text(); got != tt.want {
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
		{live("n1x4v", "x"), "goes on by itself (running)"},
		{busy(), "to the clipboard, if the terminal allows it: /ralph-loop --continue hb5s2"},
		{ended("chat-3", loop.PromiseAccepted), "cannot be continued"},
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

func TestPagesScroll(t *testing.T) {
	u := four(t)
	u.resizes(80, 10)
	var lines []string
	for n := range 100 {
		lines = append(lines, fmt.Sprintf("line %d.", n))
	}
	u.says = strings.Join(lines, "\n")
	u.types("h")
	u.wantSeen("history of hb5s2", "line 0.", "q back")
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
	u.wantSeen("1 running")
	u.wantRan("history|hb5s2")
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
	u.wantSeen("written: /home/u/code/repo/ralph-report-hb5s2.md", "# Ralph loop")
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
	u.gets(done{command: "report", about: u.loops[0], said: "# Ralph loop"})
	u.wantUnseen("# Ralph loop")
	u.types("enter")
	u.wantRan("context|hb5s2|x")
}

// hostile is text as a task, an answer or a file name may be.
const hostile = "\x1b]0;owned\x07\x1b[2J\x9b31m a\rb\nc\td \u202egnp.exe e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301 👩‍👩‍👧‍👦🏽 ❤️ 🇩🇪 漢字 שלום مرحبا \u200b\u2066x\u00ad \u2028 "

func TestHostileTextNeitherMovesTheCursorNorBreaksTheLayout(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 15}, {40, 10}, {200, 60}, {21, 7}, {1, 1}, {3, 2}, {10, 4}, {300, 5}} {
		l := works("x")
		text := strings.Repeat(hostile, 5)
		l.Prompt, l.Workspace, l.Reason, l.LastOutput, l.Verify = text, "/"+hostile, text, text, text
		l.Status, l.PauseReason = loop.Status(text), loop.PauseReason(text)
		u := sits(t, shown("k7f2m", l, view.Detail{Name: "said", Words: text}, view.Detail{Name: "to go on", Words: text}), live("n1x4v", hostile))
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
	kept := Of("x", view.Loop{Contract: loop.Contract{Prompt: large, LastOutput: large, CompletionPromise: large}, Reason: large, Verify: large, Workspace: large}, nil)
	if n := len(fmt.Sprintf("%+v", kept)); n > 20_000 {
		t.Errorf("got %d bytes kept", n)
	}
}

func TestSignsStandBeforeLoops(t *testing.T) {
	for _, tt := range []struct {
		loop Loop
		want string
	}{
		{live("x", "x"), ">  x"}, {stalled("x"), ">! x"}, {busy(), ">? hb5s2"}, {waitsForChat("1-1", "x"), ">  1-1"},
		{ended("x", loop.PromiseAccepted), ">  x"},
	} {
		sits(t, tt.loop).wantSeen(tt.want)
	}
}

func TestEndedLoopsCanBeHidden(t *testing.T) {
	u := four(t)
	u.types("G")
	u.wantSeen("PROMISE_ACCEPTED")
	u.types("e", "p")
	u.wantUnseen("PROMISE_ACCEPTED")
	u.wantSeen("1 ended")
	u.wantRan("pause|pw1t7")
	u.loops = u.loops[3:]
	u.looks()
	u.wantSeen("e shows the others")
	u.types("e")
	u.wantSeen("PROMISE_ACCEPTED")
}

func TestHelpScrolls(t *testing.T) {
	u := four(t)
	u.resizes(60, 8)
	u.types("?")
	u.wantUnseen("Before a loop")
	u.types("G")
	u.wantSeen("or is paused")
	u.wantFit()
	u.types("esc")
	u.wantSeen("1 running")
}

func TestTheRuleIsAsLongAsTheLoopHasCome(t *testing.T) {
	for _, tt := range []struct {
		n, of int
		want  string
	}{{0, 20, "──────────"}, {10, 20, "━━━━━─────"}, {20, 20, "━━━━━━━━━━"}, {30, 20, "━━━━━━━━━━"}, {-30, 20, "──────────"}, {5, 0, "━━━━━━━━━━"}} {
		if got := ansi.Strip(model{width: 10}.rule(tt.n, tt.of)); got != tt.want {
			t.Errorf("%d of %d: got %s, want %s", tt.n, tt.of, got, tt.want)
		}
	}
}

func TestWithoutUTF8OnlyASCIIIsDrawn(t *testing.T) {
	u := sits(t, busy())
	u.model.ASCII = true
	u.resizes(30, 24)
	for _, key := range []string{"p", "c", "n", "?"} {
		u.types(key)
		if strings.ContainsFunc(u.sees(), func(r rune) bool { return r > 127 }) {
			t.Errorf("got the screen\n%s", u.sees())
		}
	}
}

func TestManyLoopsScroll(t *testing.T) {
	var loops []Loop
	for n := range 200 {
		loops = append(loops, live(fmt.Sprintf("chat-%d", n), fmt.Sprintf("task %d.", n)))
	}
	u := sits(t, loops...)
	u.wantSeen("200 running", "task 0.")
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
	u.wantSeen("? help  q quit  p pause  r resume  c cancel  a tell  s new  h history  o report")
	u.wantFit()
}

// The whole program, with a terminal that does not describe itself.
func TestTheProgramShowsAndEnds(t *testing.T) {
	u := &user{T: t, loops: []Loop{live("n1x4v", "make it green")}, says: "so be it"}
	tm := teatest.NewTestModel(t, u.panel().model(t.Context()), teatest.WithInitialTermSize(80, 24))
	teatest.WaitFor(t, tm.Output(), func(out []byte) bool { return bytes.Contains(out, []byte("make it green")) }, teatest.WithDuration(20*time.Second))
	tm.Type("p")
	teatest.WaitFor(t, tm.Output(), func(out []byte) bool { return bytes.Contains(out, []byte("so be it")) }, teatest.WithDuration(20*time.Second))
	tm.Type("q")
	tm.WaitFinished(t, teatest.WithFinalTimeout(20*time.Second))
	u.wantRan("pause|n1x4v")
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
	u.types("enter")
	u.wantSeen("the disk is full", "use port 5433", "enter send")
	u.fails = nil
	u.types("!", "enter")
	u.wantUnseen("the disk is full")
	u.wantRan("context|hb5s2|use port 5433", "context|hb5s2|use port 5433!")
}

func TestAContextThatIsTooLongSaysSo(t *testing.T) {
	u := sits(t, busy())
	u.types("a")
	u.gets(tea.PasteMsg{Content: strings.Repeat("x", mostWritten-10)})
	u.wantUnseen("no more fits")
	u.gets(tea.PasteMsg{Content: strings.Repeat("y", 20)})
	u.wantSeen("no more fits in")
}
