package loop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func text(words string) loop.Record { return loop.Record{Kind: loop.RecordText, Text: words} }
func tool(event, name string) loop.Record {
	return loop.Record{Kind: loop.RecordTool, At: time.UnixMilli(0), Event: event, Tool: name}
}
func own(r loop.Record) loop.Record  { r.Own = true; return r }
func line(r loop.Record) loop.Record { r.ByLine = true; return r }
func prompt() loop.Record            { return loop.Record{Kind: loop.RecordPrompt} }

// lines is a journal.
func lines(records ...loop.Record) []byte {
	var all []byte
	for _, r := range records {
		line, err := r.Line()
		if err != nil {
			panic(err) // a test's own record
		}
		all = append(all, line...)
	}
	return all
}

func TestFold(t *testing.T) {
	torn := func(n int, r loop.Record) []byte { return lines(r)[:n] }
	failed := tool("t1", "Shell")
	failed.Error = "exit 1\nmore"
	wrote := tool("t2", "Write")
	wrote.File = "a.go"
	for _, tt := range []struct {
		name    string
		journal [][]byte
		seen    []string
		want    loop.Turn
		left    int // bytes for the next time
	}{
		{"nothing", nil, nil, loop.Turn{}, 0},
		{"texts and tools", [][]byte{lines(text("a"), tool("t1", "Shell"), tool("t2", "Shell"), tool("", "Read"), text("b"))}, nil,
			loop.Turn{Texts: []string{"a", "b"}, Tools: map[string]int{"Shell": 2, "Read": 1}, ToolCalls: 3, Events: []string{"t1:0", "t2:0"}}, 0},
		{"files and errors, each once", [][]byte{lines(failed, wrote, tool("t3", "Shell"), loop.Record{Kind: "tool", At: time.UnixMilli(0), Event: "t4", Tool: "Write", File: "a.go", Error: "exit 1"})}, nil,
			loop.Turn{Tools: map[string]int{"Shell": 2, "Write": 2}, ToolCalls: 4, Files: []string{"a.go"}, Errors: []string{"exit 1"}, Events: []string{"t1:0", "t2:0", "t3:0", "t4:0"}}, 0},
		{"a call that was reported twice", [][]byte{lines(tool("t1", "Shell"), tool("t1", "Shell"), tool("t1", "Other"))}, nil,
			loop.Turn{Tools: map[string]int{"Shell": 1}, ToolCalls: 1, Events: []string{"t1:0"}}, 0},
		{"a call that was counted last time", [][]byte{lines(tool("t1", "Shell"), tool("t2", "Shell"))}, []string{"t0:0", "t1:0"},
			loop.Turn{Tools: map[string]int{"Shell": 1}, ToolCalls: 1, Events: []string{"t0:0", "t1:0", "t2:0"}}, 0},
		{"calls without an id", [][]byte{lines(tool("", "Shell"), tool("", "Shell"))}, nil,
			loop.Turn{Tools: map[string]int{"Shell": 2}, ToolCalls: 2}, 0},
		{"our own calls", [][]byte{lines(own(tool("t1", "Shell")), own(wrote))}, nil,
			loop.Turn{Events: []string{"t1:0", "t2:0"}}, 0},
		{"a text that was said twice", [][]byte{lines(text("a"), text("a"), text("b"))}, nil, loop.Turn{Texts: []string{"a", "a", "b"}}, 0},
		{"an empty text", [][]byte{lines(text(""), text("a"), text(""))}, nil, loop.Turn{Texts: []string{"a"}}, 0},
		{"messages and unknown kinds", [][]byte{lines(prompt(), loop.Record{Kind: "later"}, loop.Record{}, own(prompt()))}, nil, loop.Turn{Followed: true, Prompted: true}, 0},
		{"a torn last line", [][]byte{lines(text("a")), torn(9, text("b"))}, nil, loop.Turn{Texts: []string{"a"}}, 8},
		{"a last line that only lacks its end", [][]byte{lines(text("a")), bytes.TrimSuffix(lines(text("b")), []byte("\n"))}, nil,
			loop.Turn{Texts: []string{"a"}}, len(lines(text("b"))) - 2},
		{"a torn line, healed by the next one", [][]byte{torn(9, text("a")), lines(text("b"))}, nil, loop.Turn{Texts: []string{"b"}}, 0},
		{"a torn text with quotes, healed by the next one", [][]byte{torn(55, text(`"\"{ and more`)), lines(text("b"))}, nil, loop.Turn{Texts: []string{"b"}}, 0},
		{"lines that are no records", [][]byte{[]byte("null\n[]\n7\n\"x\"\n{}\nnonsense\n{\"e\":7}\n\x00\xff\n\n"), lines(text("b"))}, nil, loop.Turn{Texts: []string{"b"}}, 0},
		{"a record with a wrong type", [][]byte{[]byte(`{"e":"text","text":"a","own":"yes"}` + "\n"), lines(text("b"))}, nil, loop.Turn{Texts: []string{"b"}}, 0},
		{"nothing but a torn line", [][]byte{[]byte(`{"e":"te`)}, nil, loop.Turn{}, 8},
		{"unknown fields", [][]byte{[]byte(`{"e":"text","text":"a","new":{"x":1}}` + "\n")}, nil, loop.Turn{Texts: []string{"a"}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			journal := bytes.Join(tt.journal, nil)
			tt.want.Length = int64(len(journal) - tt.left)
			if tt.want.Tools == nil {
				tt.want.Tools = map[string]int{}
			}
			seen := slices.Clone(tt.seen)
			if diff := cmp.Diff(tt.want, loop.TurnIn(journal, seen), cmpopts.IgnoreUnexported(loop.Turn{}), cmpopts.IgnoreFields(loop.Turn{}, "Generations")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !slices.Equal(seen, tt.seen) {
				t.Errorf("seen has changed: got %q want %q", seen, tt.seen)
			}
		})
	}
}

func TestFoldBefore(t *testing.T) {
	asWhole := func(r ...loop.Record) []byte { return lines(r...) }
	for _, tt := range []struct {
		name    string
		journal []byte
		texts   []string
		upTo    int
	}{
		{"without a message all counts", asWhole(text("a"), text("b")), []string{"a", "b"}, len(asWhole(text("a"), text("b")))},
		{"our own follow-up is no message", asWhole(text("a"), own(prompt()), text("b")), []string{"a", "b"}, len(asWhole(text("a"), own(prompt()), text("b")))},
		{"what follows the user's message is of the turn that goes on", asWhole(text("a"), line(prompt()), text("b")), []string{"a"}, len(asWhole(text("a"), line(prompt())))},
		{"what was said before an earlier message promises nothing", asWhole(text("a"), prompt(), text("b"), line(prompt()), text("c")), []string{"b"}, len(asWhole(text("a"), prompt(), text("b"), line(prompt())))},
		{"a message at the beginning", asWhole(prompt(), text("b")), nil, len(asWhole(prompt()))},
		{"a message that is not finished is left", bytes.TrimSuffix(asWhole(text("a"), prompt()), []byte("\n")), []string{"a"}, len(asWhole(text("a"))) + 1},
		{"words like a message in a text", asWhole(text("a"), text(`{"e":"prompt"}`), text("b")), []string{"a", `{"e":"prompt"}`, "b"}, len(asWhole(text("a"), text(`{"e":"prompt"}`), text("b")))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := loop.TurnBefore(tt.journal, []string{"t0:0"})
			if !slices.Equal(got.Texts, tt.texts) || got.Length != int64(tt.upTo) || !slices.Equal(got.Events, []string{"t0:0"}) {
				t.Errorf("got %q up to %d, ids %q want %q up to %d", got.Texts, got.Length, got.Events, tt.texts, tt.upTo)
			}
		})
	}
}

func TestWhatIsKeptOfATurnIsBounded(t *testing.T) {
	var records []loop.Record
	for i := range 80 {
		r := tool("", "Shell")
		r.File, r.Error = fmt.Sprint("f", i), fmt.Sprint(strings.Repeat("é", 150), i)
		records = append(records, r)
	}
	turn := loop.TurnIn(lines(records...), nil)
	if len(turn.Files) != 50 || turn.Files[49] != "f49" || turn.ToolCalls != 80 {
		t.Errorf("got %d files, %d calls", len(turn.Files), turn.ToolCalls)
	}
	if want := strings.Repeat("é", 100) + "…"; len(turn.Errors) != 1 || turn.Errors[0] != want {
		t.Errorf("got %q want %q", turn.Errors, want)
	}
}

func TestARecordKeepsAllItsFields(t *testing.T) {
	want := loop.Record{Kind: "tool", At: began(), Generation: "g", Event: "i", Tool: "T", Own: true, File: "f", Error: "e", Text: "t"}
	var got loop.Record
	if err := json.Unmarshal(lines(want), &got); err != nil || got != want {
		t.Errorf("got %+v, %v want %+v", got, err, want)
	}
}

// Two hooks that get one event record it with nearly the same time, and the second may be late.
func TestAnEventOfTwoHooksCountsOnce(t *testing.T) {
	said := func(event string, after time.Duration) []byte {
		return lines(loop.Record{Kind: loop.RecordText, At: began().Add(after), Event: event, Generation: "g1", Text: marker})
	}
	first := loop.TurnIn(said("e1", 0), nil)
	if len(first.Texts) != 1 {
		t.Fatalf("got %q", first.Texts)
	}
	for name, tt := range map[string]struct {
		journal []byte
		texts   int
	}{
		"the second hook's, after the stop":  {said("e1", 299*time.Millisecond), 0},
		"which began first":                  {said("e1", -299*time.Millisecond), 0},
		"the same bytes, later":              {said("e1", loop.CopyWindow), 1},
		"and their copy":                     {bytes.Join([][]byte{said("e1", time.Second), said("e1", time.Second)}, nil), 1},
		"other bytes with the same words":    {said("e2", 0), 1},
		"what cursor-ralph run has recorded": {said("", 0), 1},
	} {
		if got := loop.TurnIn(tt.journal, first.Events); len(got.Texts) != tt.texts {
			t.Errorf("%s: got %q, want %d", name, got.Texts, tt.texts)
		}
	}
}

// Two entries record one event each, however late the second is on a busy machine; the next event counts again.
func TestTwoEntriesRecordACallOnce(t *testing.T) {
	var journal []byte
	for _, c := range []struct {
		entry string
		at    time.Duration
	}{{"user", 0}, {"project", 900 * time.Millisecond}, {"project", time.Second}, {"user", 2 * time.Second}, {"user", 3 * time.Second}, {"user", 9 * time.Second}, {"project", 20 * time.Second}} {
		journal = append(journal, lines(loop.Record{Kind: loop.RecordTool, Tool: "Shell", Event: "e", Entry: c.entry, At: began().Add(c.at)})...)
	}
	if got := loop.TurnIn(journal, nil).ToolCalls; got != 5 {
		t.Errorf("got %d calls, want 5: one, one, one, one and one that is too late for a copy", got)
	}
}
