package tui

import (
	"bytes"
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
		{"context", func(u *user) { u.types("a"); u.letters("use port 5433") }},
		{"said", func(u *user) { u.types("p") }},
		{"refused", func(u *user) { u.fails = hint.New("the loop is not paused", "pause it first"); u.types("r") }},
		{"small", func(u *user) { u.resizes(40, 10) }},
		{"wide", func(u *user) { u.resizes(120, 30) }},
		{"none", func(u *user) { u.loops = nil; u.looks() }},
		{"narrow", func(u *user) { u.resizes(60, 15) }},
		{"large", func(u *user) { u.resizes(200, 60) }},
		{"signs", func(u *user) { u.loops = slices.Insert(u.loops, 1, stalled("k7f2m")); u.looks() }},
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
		{[]string{"G", "p"}, "pause|k0d9z"},
		{[]string{"end", "home", "p"}, "pause|hb5s2"},
		{[]string{"down", "up", "up", "p"}, "pause|hb5s2"},
		{[]string{"pgdown", "pgdown", "pgup", "pgup", "g", "p"}, "pause|hb5s2"},
		{[]string{"c", "y"}, "cancel|hb5s2"},
		{[]string{"a", "-", "x", "space", "y", "enter"}, "context|hb5s2|-x y"},
		{[]string{"+"}, "set|hb5s2|--max-iterations|21"},
		{[]string{"-"}, "set|hb5s2|--max-iterations|19"},
	} {
		t.Run(strings.Join(tt.keys, " "), func(t *testing.T) {
			u := four(t)
			u.types(tt.keys...)
			u.wantRan(tt.want)
		})
	}
}

func TestQuit(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"esc", "q"}, {"ctrl+c"}, {"c", "ctrl+c"}, {"a", "ctrl+c"}, {"?", "q"}} {
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

// A terminal that does not mark what is pasted sends keys, one right after the other.
func TestAPasteOfManyLinesSteersNothing(t *testing.T) {
	u := four(t)
	u.types("a")
	u.gets(tea.PasteMsg{Content: "first\r\nc\ny\nq"})
	u.types("enter")
	u.wantRan("context|hb5s2|first c y q")

	u = four(t)
	u.types("a", "f")
	u.gets(press("enter"))
	sending := u.cmd
	for _, key := range []string{"c", "enter", "y", "enter", "q", "enter"} {
		u.gets(press(key))
	}
	u.gets(sending())
	u.wantRan("context|hb5s2|f")
	u.wantUnseen("cancel the loop")
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
		for _, key := range []string{"down", "up", "c", "n", "a", "x", "esc", "p", "pgdown", "G", "?", "?", "y"} {
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

// The whole program, with a terminal that does not describe itself.
func TestTheProgramShowsAndEnds(t *testing.T) {
	u := &user{T: t, loops: []Loop{live("n1x4v", "make it green")}, says: "so be it"}
	tm := teatest.NewTestModel(t, u.panel().model(t.Context()), teatest.WithInitialTermSize(80, 24))
	teatest.WaitFor(t, tm.Output(), func(out []byte) bool { return bytes.Contains(out, []byte("make it green")) }, teatest.WithDuration(2*time.Minute))
	tm.Type("p")
	teatest.WaitFor(t, tm.Output(), func(out []byte) bool { return bytes.Contains(out, []byte("so be it")) }, teatest.WithDuration(2*time.Minute))
	tm.Type("q")
	tm.WaitFinished(t, teatest.WithFinalTimeout(2*time.Minute))
	u.wantRan("pause|n1x4v")
}
