package hooklog_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

var at = time.Date(2026, 3, 1, 13, 4, 5, 6e6, time.FixedZone("", 3600))

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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

func TestLongValuesAreCut(t *testing.T) {
	for name, long := range map[string]string{
		"a word":      strings.Repeat("x", 10<<20),
		"characters":  strings.Repeat("ä", 5<<20),
		"what is not": strings.Repeat("\xff", 10<<20),
		"newlines":    strings.Repeat("\n", 10<<20),
	} {
		got := hooklog.Line{At: at, Conversation: long, Event: long, Why: long}.String()
		if len(got) > 64<<10 {
			t.Errorf("%s: got a line of %d bytes, want one that leaves room for others", name, len(got))
		}
		if !strings.Contains(got, "…") {
			t.Errorf("%s: got %.80s, want a sign that something is missing", name, got)
		}
	}
	whole := strings.Repeat("x", 1000)
	if got := (hooklog.Line{At: at, Why: whole}).String(); !strings.HasSuffix(got, "why="+whole) {
		t.Errorf("got %.80s, want an ordinary value whole", got)
	}
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for i := range 3 {
		must(t, hooklog.Append(path, hooklog.Line{At: at, Event: fmt.Sprint(i)}))
	}
	got, err := os.ReadFile(path)
	must(t, err)
	const stamp = "2026-03-01T12:04:05.006Z"
	if want := stamp + " event=0\n" + stamp + " event=1\n" + stamp + " event=2\n"; string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestFullLogIsRotated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(path+".1", []byte("oldest\n"), 0o600))
	must(t, os.WriteFile(path, bytes.Repeat([]byte("older.\n"), hooklog.MaxSize/7), 0o600))
	must(t, hooklog.Append(path, hooklog.Line{At: at, Event: "last-one"}))
	if info, err := os.Stat(path); err == nil {
		t.Errorf("got a log of %d bytes, want none until the next line", info.Size())
	}
	old, err := os.ReadFile(path + ".1")
	must(t, err)
	if !bytes.HasPrefix(old, []byte("older.\n")) || !bytes.HasSuffix(old, []byte("event=last-one\n")) {
		t.Errorf("got %.20q ... %.40q, want the full log", old, old[len(old)-40:])
	}
	must(t, hooklog.Append(path, hooklog.Line{At: at, Event: "first-one"}))
	if got, err := os.ReadFile(path); err != nil || !bytes.HasSuffix(got, []byte("event=first-one\n")) || len(got) > 100 {
		t.Errorf("got %.100q, %v, want a new log", got, err)
	}
}

func TestLogThatCannotBeRotatedIsStillWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(path, bytes.Repeat([]byte("older.\n"), hooklog.MaxSize/7), 0o600))
	must(t, os.Mkdir(path+".1", 0o700))
	for _, event := range []string{"one", "two"} {
		if err := hooklog.Append(path, hooklog.Line{At: at, Event: event}); !errors.Is(err, ownfile.ErrNotOurs) {
			t.Errorf("got %v, want that the older log is refused", err)
		}
	}
	got, err := os.ReadFile(path)
	must(t, err)
	for _, want := range []string{"older.\n", "event=one\n", "event=two\n"} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("missing: %q", want)
		}
	}
}
