package hooklog_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
)

var at = time.Date(2026, 3, 1, 13, 4, 5, 6e6, time.FixedZone("", 3600))

func TestLine(t *testing.T) {
	const stamp = "2026-03-01T12:04:05.006Z"
	for _, c := range []struct {
		name string
		line hooklog.Line
		want string
	}{
		{"nothing known", hooklog.Line{}, ""},
		{"all known", hooklog.Line{Conversation: "c-1", Event: "stop", Iteration: 2, Max: 20, Promise: "none", Action: "followup", Why: "no"},
			" conversation=c-1 event=stop iteration=2/20 promise=none action=followup why=no"},
		{"a limit is needed for an iteration", hooklog.Line{Iteration: 2}, ""},
		{"before the first iteration", hooklog.Line{Max: 5}, " iteration=0/5"},
		{"spaces", hooklog.Line{Why: "no promise"}, ` why="no promise"`},
		{"a quote", hooklog.Line{Why: `a"b`}, ` why="a\"b"`},
		{"a backslash", hooklog.Line{Why: `a\b`}, ` why="a\\b"`},
		{"a forged line", hooklog.Line{Why: "x\n2026-03-01T12:00:00.000Z action=PROMISE_ACCEPTED"},
			` why="x\n2026-03-01T12:00:00.000Z action=PROMISE_ACCEPTED"`},
		{"other ends of lines", hooklog.Line{Why: "a\r\u0085\u2028\u2029\v\f"}, ` why="a\r\u0085\u2028\u2029\v\f"`},
		{"a forged pair", hooklog.Line{Conversation: "a action=armed"}, ` conversation="a action=armed"`},
		{"a pair in one word", hooklog.Line{Conversation: "action=armed"}, ` conversation="action=armed"`},
		{"what steers a terminal", hooklog.Line{Event: "\x1b]0;title\a\x1b[2J\u009b31m\x7f"}, ` event="\x1b]0;title\a\x1b[2J\u009b31m\x7f"`},
		{"text that runs from right to left", hooklog.Line{Why: "\u202egnp"}, ` why="\u202egnp"`},
		{"no text at all", hooklog.Line{Why: "\xff\x00"}, ` why="\xff\x00"`},
		{"letters of the world", hooklog.Line{Why: "größer 漢字"}, ` why="größer 漢字"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.line.At = at
			if got, want := c.line.String(), stamp+c.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
