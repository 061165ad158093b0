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

// newTestView returns a view of a window; with a negative width it draws no rows.
func newTestView(out *bytes.Buffer, width int) *runView {
	now := time.Unix(0, 0)
	clock := func() time.Time { now = now.Add(time.Second); return now }
	e := &cli.Env{Stdout: out, Now: clock, Getenv: func(string) string { return "" }}
	s := &screen{out: out, size: func() (int, int) { return width, 24 }, live: width >= 0, reflows: true}
	return &runView{e: e, stop: make(chan struct{}), screen: s}
}

func piece(s string) outer.Seen { return outer.Seen{Text: s} }

func message(s string) outer.Seen {
	return outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: s}}
}

func running(done int) loop.State {
	return loop.State{ID: "k7f2m", Status: loop.Running, StartedAt: time.Unix(0, 0), Contract: loop.Contract{Iterations: done, MaxIterations: 20}}
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

// terminal is what a window shows of our output: it knows what screen writes.
type terminal struct {
	width int
	rows  []string
	at    int
}

func (m *terminal) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		if m.at == len(m.rows) {
			m.rows = append(m.rows, "")
		}
		row := &m.rows[m.at]
		switch {
		case strings.HasPrefix(text, "\r"):
			text = text[1:]
			var up int
			if n, _ := fmt.Sscanf(text, "\x1b[%dA", &up); n == 1 {
				_, text, _ = strings.Cut(text, "A")
			} else if strings.HasPrefix(text, "\x1b[A") {
				up, text = 1, text[3:]
			}
			m.at -= up
			text = strings.TrimPrefix(text, "\x1b[J")
			m.rows = append(m.rows[:m.at], "")
		case text[0] == '\n':
			m.at, text = m.at+1, text[1:]
		default:
			end := strings.IndexAny(text, "\r\n")
			if end < 0 {
				end = len(text)
			}
			for _, r := range ansi.Strip(text[:end]) {
				if ansi.StringWidthWc(*row+string(r)) > m.width { // it breaks the row
					m.at++
					m.rows = append(m.rows, "")
					row = &m.rows[m.at]
				}
				*row += string(r)
			}
			text = text[end:]
		}
	}
	return len(p), nil
}

// The status line is the last row, whatever the agent says and however wide the
// window is, and nothing that was said is lost or doubled.
func TestTheRowsStayBelowTheWords(t *testing.T) {
	said := "begin 汉字汉字汉字汉字 and 👩\u200d💻👍🏽 the\tlast שלום words of a line that is longer than a window\nand more\n\nunfinished"
	for width := 1; width < 130; width++ {
		window := &terminal{width: width}
		v := newTestView(nil, width)
		v.screen.out = window
		v.report(outer.Report{Kind: outer.ReportTurn, State: running(2)})
		for _, part := range strings.SplitAfter(said, " ") {
			v.see(piece(part))
		}
		shown := strings.Join(window.rows, "")
		last := window.rows[len(window.rows)-1]
		if width > 1 && (ansi.StringWidthWc(last) >= width || !strings.HasPrefix(last, "Loop • Running • Iter 3/20"[:min(width-2, 4)])) {
			t.Errorf("width %d: got the last row %q", width, last)
		}
		if width >= 70 && !strings.HasSuffix(last, " · 0 tool calls") {
			t.Errorf("width %d: got %q", width, last)
		}
		if width > leastWidth && !strings.Contains(shown, "unfinished") {
			t.Errorf("width %d: got %q, want the words that are not a line yet", width, shown)
		}
		v.close()
		flat := strings.ReplaceAll(strings.Join(window.rows, ""), " ", "")
		want := strings.ReplaceAll(strings.NewReplacer("\n", "", "\t", "").Replace(said), " ", "")
		if got := strings.ReplaceAll(flat, "\t", ""); !strings.HasSuffix(got, want) || strings.Contains(got, "Loop•") {
			t.Errorf("width %d: got %q at the end, want %q", width, got, want)
		}
	}
}

// A window that gets narrower breaks the rows that are drawn.
func TestTheRowsAreErasedAfterAResize(t *testing.T) {
	var out bytes.Buffer
	v := newTestView(&out, 100)
	v.report(outer.Report{Kind: outer.ReportTurn, State: running(2)})
	v.see(piece(strings.Repeat("words ", 25)))
	for _, tt := range []struct {
		width   int
		reflows bool
		want    string
	}{{100, true, "\r\x1b[2A\x1b[J"}, {50, true, "\r\x1b[4A\x1b[J"}, {50, false, "\r\x1b[2A\x1b[J"}} {
		v.screen.size = func() (int, int) { return tt.width, 24 }
		v.screen.reflows = tt.reflows
		if got := v.screen.erase(); got != tt.want {
			t.Errorf("%+v: got %q", tt, got)
		}
	}
}

func TestTheRowsAreNotDrawnForEveryPiece(t *testing.T) {
	var out bytes.Buffer
	v := newTestView(&out, 80)
	v.e.Now = func() time.Time { return time.Unix(1, 0) }
	for i := range 1000 {
		v.see(piece(fmt.Sprint(i, " ")))
	}
	if got := strings.Count(out.String(), "Loop •"); got != 1 {
		t.Errorf("got %d draws within no time, want one", got)
	}
}

// The status line shows the same iteration as the lines above it.
func TestTheStatusLineWithoutUTF8(t *testing.T) {
	var out bytes.Buffer
	v := newTestView(&out, 80)
	v.e.Getenv = func(name string) string { return map[string]string{"LANG": "C"}[name] }
	for _, width := range []int{80, 20} {
		v.screen.size = func() (int, int) { return width, 24 }
		v.report(outer.Report{Kind: outer.ReportTurn, State: running(0)})
		if got := v.screen.drawn[0]; !strings.HasPrefix(got, "Loop - Running") || strings.ContainsFunc(got, func(r rune) bool { return r > '~' }) || len(got) >= width {
			t.Errorf("got %q on %d columns, want plain signs", got, width)
		}
	}
}

func TestTheStatusLineCountsTheCurrentTurn(t *testing.T) {
	var out bytes.Buffer
	v := newTestView(&out, 80)
	for _, tt := range []struct {
		kind outer.ReportKind
		done int
		want string
	}{
		{outer.ReportTurn, 0, "Iter 1/20"},
		{outer.ReportVerify, 0, "Iter 1/20"},
		{outer.ReportDecided, 1, "Iter 2/20"},
		{outer.ReportTurn, 1, "Iter 2/20"},
	} {
		v.report(outer.Report{Kind: tt.kind, State: running(tt.done)})
		if got := v.screen.drawn[0]; !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q in it", tt.kind, got, tt.want)
		}
	}
}

func TestSpeechOfNoUTF8Ends(t *testing.T) {
	var w speech
	if lines := w.add(strings.Repeat("\x80", 2*longestLine) + "\n"); len(lines) == 0 {
		t.Error("got no line")
	}
}
