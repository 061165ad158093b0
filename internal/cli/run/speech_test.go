package run

import (
	"bytes"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func piece(s string) outer.Seen { return outer.Seen{Text: s} }

func message(s string) outer.Seen {
	return outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: s}}
}

func TestWordsAreShownAsTheyArrive(t *testing.T) {
	tool := outer.Seen{Tool: "Edit a.go"}
	for _, tt := range []struct {
		name string
		seen []outer.Seen
		want string
	}{
		{"pieces", []outer.Seen{piece("one "), piece("two\nth"), piece("ree")}, "  one two\n  three"},
		{"a message after its pieces is not repeated", []outer.Seen{piece("one"), message("one"), piece("two")}, "  one\n  two"},
		{"one without pieces is shown", []outer.Seen{message("\none\n\ntwo\n")}, "  one\n\n  two\n"},
		{"what comes amid words has its own line", []outer.Seen{piece("one"), tool, piece(" more")}, "  one\n  > Edit a.go\n   more"},
		{"empty lines at the beginning are left out", []outer.Seen{piece("\n \n"), piece("\r\none\r\n\r\ntwo")}, "  one\n\n  two"},
		{"what would steer the terminal is shown as codes", []outer.Seen{piece("\x1b[2Ja\u202eb")}, "  \\u001b[2Ja\\u202eb"},
		{"thoughts are not shown", []outer.Seen{{Thought: "hm"}, piece("one")}, "  one"},
	} {
		var out bytes.Buffer
		v := newDisplay(&cli.Env{Terminal: cli.Terminal{Stdout: &out}, Options: cli.Options{Flags: cli.FlagSet("run", Flags)}, Now: time.Now}, loop.State{})
		for _, s := range tt.seen {
			v.see(s)
		}
		if got := out.String(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A line that comes while a question waits leaves the question below it.
func TestAQuestionStaysBelow(t *testing.T) {
	var out bytes.Buffer
	v := newDisplay(&cli.Env{Terminal: cli.Terminal{Stdout: &out}, Options: cli.Options{Flags: cli.FlagSet("run", Flags)}, Now: time.Now}, loop.State{})
	v.asks = "allow it? "
	v.words.prompt(v.asks)
	v.notice("stopping")
	if got, want := out.String(), "allow it? \nstopping\nallow it? "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
