package hooklog_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
)

func TestParse(t *testing.T) {
	utc := time.Date(2026, 3, 1, 12, 4, 5, 6e6, time.UTC)
	const stamp = "2026-03-01T12:04:05.006Z"
	for _, c := range []struct {
		name, line string
		want       hooklog.Line
	}{
		{"nothing known", stamp, hooklog.Line{}},
		{"all known", stamp + ` conversation=c-1 loop=k7f2m event=stop iteration=2/20 promise=none action=followup why="a \"b\" c"` + "\n",
			hooklog.Line{Conversation: "c-1", Loop: "k7f2m", Event: "stop", Iteration: 2, Max: 20, Promise: "none", Action: "followup", Why: `a "b" c`}},
		{"the end of a line of Windows", stamp + " event=stop\r\n", hooklog.Line{Event: "stop"}},
		{"a pair of a newer version", stamp + ` mood="very good" event=stop`, hooklog.Line{Event: "stop"}},
		{"a forged pair", stamp + ` conversation="a action=armed"`, hooklog.Line{Conversation: "a action=armed"}},
		{"no number", stamp + " iteration=x", hooklog.Line{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.At = utc
			got, err := hooklog.Parse(c.line)
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

// FuzzRoundTrip: what was written is what is read. A value is not longer than
// what the log keeps.
func FuzzRoundTrip(f *testing.F) {
	f.Add(int64(0), "c-1", "stop", 3, 20, "none", "followup", "no promise")
	f.Add(int64(1<<40), "", "a=b", -1, 1, `"`, "\\", "x\n2026-03-01T12:00:00.000Z action=armed")
	f.Add(int64(-1), " ", "\xff\x00", 0, 0, "\u202e", "…", "größer 漢字")
	f.Fuzz(func(t *testing.T, ms int64, conversation, event string, iteration, limit int, promise, action, why string) {
		want := hooklog.Line{
			At: time.UnixMilli(ms % (1 << 45)).UTC(), Conversation: conversation, Event: event,
			Iteration: iteration, Max: limit, Promise: promise, Action: action, Why: why,
		}
		if want.At.Year() < 1 || want.At.Year() > 9999 || len(conversation+event+promise+action+why) > 4096 {
			return // it is not kept whole
		}
		line := want.String()
		if limit <= 0 {
			want.Iteration, want.Max = 0, 0
		}
		got, err := hooklog.Parse(line)
		if err != nil || got != want {
			t.Errorf("%s\ngot  %+v, %v\nwant %+v", line, got, err, want)
		}
		if strings.ContainsAny(line, "\n\r") || !utf8.ValidString(line) {
			t.Errorf("got %q, want one line of text", line)
		}
	})
}

// FuzzParse: a log may hold anything.
func FuzzParse(f *testing.F) {
	f.Add("2026-03-01T12:04:05.006Z event=stop why=\"a b\"")
	f.Add("2026-03-01T12:04:05.006Z =\"\" =")
	f.Fuzz(func(t *testing.T, line string) {
		got, err := hooklog.Parse(line)
		if err != nil && got != (hooklog.Line{}) {
			t.Errorf("got %+v and an error", got)
		}
	})
}
