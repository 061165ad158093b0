package run

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// newTestView returns a view of a window; with a negative width it draws no status line.
func newTestView(out *bytes.Buffer, width int) *runView {
	now := time.Unix(0, 0)
	clock := func() time.Time { now = now.Add(time.Second); return now }
	return &runView{e: &cli.Env{Stdout: out, Now: clock}, began: now, stop: make(chan struct{}), line: width >= 0, width: func() int { return width }}
}

func piece(s string) outer.Seen { return outer.Seen{Text: s} }

func message(s string) outer.Seen {
	return outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: s}}
}

func TestWordsAreShownAsTheyArrive(t *testing.T) {
	for _, tt := range []struct {
		name string
		seen []outer.Seen
		want string
	}{
		{"a line that is whole", []outer.Seen{piece("I be"), piece("gin.\nAnd")}, "  I begin.\n"},
		{"the rest at the end of the message", []outer.Seen{piece("I begin.\nAnd"), piece(" end"), message("I begin.\nAnd end")}, "  I begin.\n  And end\n"},
		{"a message that came whole", []outer.Seen{message("one\n\ntwo\n")}, "  one\n\n  two\n"},
		{"two messages", []outer.Seen{piece("one"), message("one"), piece("two"), message("two")}, "  one\n  two\n"},
		{"empty lines around it", []outer.Seen{piece("\n\none\n\n\n"), message("one")}, "  one\n"},
		{"no end of a line", []outer.Seen{piece(strings.Repeat("ä", longestLine))}, "  " + strings.Repeat("ä", longestLine/2) + "\n"},
		{"what steers terminals", []outer.Seen{piece("\x1b[2Jx\u202ey\a\r\n")}, `  \u001b[2Jx\u202ey\u0007` + "\n"},
		{"thoughts are no message", []outer.Seen{{Thought: "hm\nhm\n"}}, ""},
	} {
		var out bytes.Buffer
		v := newTestView(&out, -1)
		for _, s := range tt.seen {
			v.see(s)
		}
		if got := out.String(); got != tt.want {
			t.Errorf("%s: got %.200q, want %.200q", tt.name, got, tt.want)
		}
	}
	var out bytes.Buffer
	v := newTestView(&out, -1)
	v.see(piece("cut off"))
	v.close()
	if got := out.String(); got != "  cut off\n" {
		t.Errorf("a turn that is cut off: got %q, want what it said", got)
	}
}

// The status line is one row of the window, whatever the agent says, and ends with
// its last words.
func TestTheStatusLineFits(t *testing.T) {
	said := "begin 汉字汉字汉字汉字 and 👩\u200d💻👍🏽 the\tlast words"
	for width := 1; width < 130; width++ {
		var out bytes.Buffer
		v := newTestView(&out, width)
		v.report(outer.Report{Kind: outer.ReportTurn, State: loop.State{Status: loop.Running, Contract: loop.Contract{MaxIterations: 20}}})
		for _, part := range strings.SplitAfter(said, " ") {
			v.see(piece(part))
		}
		for _, row := range strings.Split(out.String(), "\n") {
			for _, line := range strings.Split(row, "\r\x1b[K") {
				if got := ansi.StringWidth(line); got >= width && line != "iteration 1 of 20" {
					t.Errorf("width %d: got %q, %d columns", width, line, got)
				}
			}
		}
		if last := out.String()[strings.LastIndex(out.String(), "\r")+1:]; width >= 70 && !strings.HasSuffix(last, "the last words") {
			t.Errorf("width %d: got %q, want the last words", width, last)
		}
	}
}

func TestTheStatusLineIsNotDrawnForEveryPiece(t *testing.T) {
	var out bytes.Buffer
	v := newTestView(&out, 80)
	v.e.Now = func() time.Time { return time.Unix(1, 0) }
	for i := range 1000 {
		v.see(piece(fmt.Sprint(i, " ")))
	}
	if got := strings.Count(out.String(), "\r"); got > 1 {
		t.Errorf("got %d draws within no time, want one", got)
	}
}
