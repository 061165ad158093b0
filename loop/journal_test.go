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
func tool(id, name string) loop.Record {
	return loop.Record{Kind: loop.RecordTool, ID: id, Tool: name}
}
func own(r loop.Record) loop.Record { r.Own = true; return r }
func prompt() loop.Record           { return loop.Record{Kind: loop.RecordPrompt} }

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
			loop.Turn{Texts: []string{"a", "b"}, Tools: map[string]int{"Shell": 2, "Read": 1}, ToolCalls: 3, IDs: []string{"t1", "t2"}}, 0},
		{"files and errors, each once", [][]byte{lines(failed, wrote, tool("t3", "Shell"), loop.Record{Kind: "tool", ID: "t4", Tool: "Write", File: "a.go", Error: "exit 1"})}, nil,
			loop.Turn{Tools: map[string]int{"Shell": 2, "Write": 2}, ToolCalls: 4, Files: []string{"a.go"}, Errors: []string{"exit 1"}, IDs: []string{"t1", "t2", "t3", "t4"}}, 0},
		{"a call that was reported twice", [][]byte{lines(tool("t1", "Shell"), tool("t1", "Shell"), tool("t1", "Other"))}, nil,
			loop.Turn{Tools: map[string]int{"Shell": 1}, ToolCalls: 1, IDs: []string{"t1"}}, 0},
		{"a call that was counted last time", [][]byte{lines(tool("t1", "Shell"), tool("t2", "Shell"))}, []string{"t0", "t1"},
			loop.Turn{Tools: map[string]int{"Shell": 1}, ToolCalls: 1, IDs: []string{"t0", "t1", "t2"}}, 0},
		{"calls without an id", [][]byte{lines(tool("", "Shell"), tool("", "Shell"))}, nil,
			loop.Turn{Tools: map[string]int{"Shell": 2}, ToolCalls: 2}, 0},
		{"our own calls", [][]byte{lines(own(tool("t1", "Shell")), own(wrote))}, nil,
			loop.Turn{IDs: []string{"t1", "t2"}}, 0},
		{"a text that was reported twice", [][]byte{lines(text("a"), text("a"), text("b"), text("a"))}, nil,
			loop.Turn{Texts: []string{"a", "b", "a"}}, 0},
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
			if diff := cmp.Diff(tt.want, loop.Fold(journal, seen), cmpopts.IgnoreUnexported(loop.Turn{}), cmpopts.IgnoreFields(loop.Turn{}, "Generations")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !slices.Equal(seen, tt.seen) {
				t.Errorf("seen has changed: got %q want %q", seen, tt.seen)
			}
		})
	}
}

func TestFoldNamesTheTurns(t *testing.T) {
	of := func(generation string, r loop.Record) loop.Record { r.Generation = generation; return r }
	journal := lines(of("g1", text("a")), of("g2", own(tool("t1", "Shell"))), of("g2", prompt()), of("", text("b")))
	journal = append(journal, "{}\nnonsense\n"...)
	if got, want := loop.Fold(journal, nil).Generations, []string{"g1", "g2", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q want %q", got, want)
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
		{"what follows the user's message is of the turn that goes on", asWhole(text("a"), prompt(), text("b")), []string{"a"}, len(asWhole(text("a"), prompt())) - 0},
		{"the last message counts", asWhole(text("a"), prompt(), text("b"), prompt(), text("c")), []string{"a", "b"}, len(asWhole(text("a"), prompt(), text("b"), prompt()))},
		{"a message at the beginning", asWhole(prompt(), text("b")), nil, len(asWhole(prompt()))},
		{"a message that is not finished is left", bytes.TrimSuffix(asWhole(text("a"), prompt()), []byte("\n")), []string{"a"}, len(asWhole(text("a"))) + 1},
		{"words like a message in a text", asWhole(text("a"), text(`{"e":"prompt"}`), text("b")), []string{"a", `{"e":"prompt"}`, "b"}, len(asWhole(text("a"), text(`{"e":"prompt"}`), text("b")))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := loop.FoldBefore(tt.journal, []string{"t0"})
			if !slices.Equal(got.Texts, tt.texts) || got.Length != int64(tt.upTo) || !slices.Equal(got.IDs, []string{"t0"}) {
				t.Errorf("got %q up to %d, ids %q want %q up to %d", got.Texts, got.Length, got.IDs, tt.texts, tt.upTo)
			}
		})
	}
}

func TestTheNewestCallsAreRemembered(t *testing.T) {
	var records []loop.Record
	for i := range 100 {
		records = append(records, tool(fmt.Sprint("t", i), "Shell"))
	}
	turn := loop.Fold(lines(records...), nil)
	if n := len(turn.IDs); n != 64 || turn.IDs[0] != "t36" || turn.IDs[63] != "t99" || turn.ToolCalls != 100 {
		t.Errorf("got %d ids, %d calls", n, turn.ToolCalls)
	}
	again := loop.Fold(lines(records[36:]...), turn.IDs)
	if again.ToolCalls != 0 {
		t.Errorf("got %d calls counted twice", again.ToolCalls)
	}
	if old := loop.Fold(lines(records[35]), turn.IDs); old.ToolCalls != 1 {
		t.Errorf("got %d want a call that was forgotten to count", old.ToolCalls)
	}
}

func TestWhatIsKeptOfATurnIsBounded(t *testing.T) {
	var records []loop.Record
	for i := range 80 {
		r := tool("", "Shell")
		r.File, r.Error = fmt.Sprint("f", i), fmt.Sprint(strings.Repeat("é", 150), i)
		records = append(records, r)
	}
	turn := loop.Fold(lines(records...), nil)
	if len(turn.Files) != 50 || turn.Files[49] != "f49" || turn.ToolCalls != 80 {
		t.Errorf("got %d files, %d calls", len(turn.Files), turn.ToolCalls)
	}
	if want := strings.Repeat("é", 100) + "…"; len(turn.Errors) != 1 || turn.Errors[0] != want {
		t.Errorf("got %q want %q", turn.Errors, want)
	}
}

func TestAnErrorIsKeptByItsFirstLine(t *testing.T) {
	for _, tt := range []struct{ name, message, want string }{
		{"short", "exit 1", "exit 1"},
		{"several lines", "\n  exit 1  \nmore", "exit 1"},
		{"as long as is kept", strings.Repeat("x", 200), strings.Repeat("x", 200)},
		{"longer", strings.Repeat("x", 201), strings.Repeat("x", 200) + "…"},
		{"cut at a character's border", "x" + strings.Repeat("é", 100), "x" + strings.Repeat("é", 99) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := tool("", "Shell")
			r.Error = tt.message
			if got := loop.Fold(lines(r), nil).Errors[0]; got != tt.want {
				t.Errorf("got %q want %q", got, tt.want)
			}
		})
	}
}

func TestALineIsOneLine(t *testing.T) {
	for name, words := range tasks() {
		t.Run(name, func(t *testing.T) {
			line := lines(text(words))
			if bytes.Count(line, []byte("\n")) != 2 || line[0] != '\n' || line[len(line)-1] != '\n' {
				t.Errorf("got %.80q", line)
			}
			if got := loop.Fold(line, nil); len(got.Texts) != 1 || got.Texts[0] != words {
				t.Errorf("got %.80q want %.80q", got.Texts, words)
			}
		})
	}
	if line := lines(text(marker)); !bytes.Contains(line, []byte(marker)) {
		t.Errorf("got %s", line)
	}
}

func TestARecordKeepsAllItsFields(t *testing.T) {
	want := loop.Record{Kind: "tool", At: began(), Generation: "g", ID: "i", Tool: "T", Own: true, File: "f", Error: "e", Text: "t"}
	var got loop.Record
	if err := json.Unmarshal(lines(want), &got); err != nil || got != want {
		t.Errorf("got %+v, %v want %+v", got, err, want)
	}
}

func TestARecordThatCannotBeWritten(t *testing.T) {
	r := loop.Record{At: began().AddDate(10_000, 0, 0)}
	if line, err := r.Line(); err == nil || line != nil {
		t.Errorf("got %q, %v want an error", line, err)
	}
}

func TestATextOfATurnCountsOnce(t *testing.T) {
	said := loop.Record{Kind: loop.RecordText, Generation: "g1", Text: marker}
	again := loop.Record{Kind: loop.RecordText, Generation: "g2", Text: marker}
	line := func(r loop.Record) []byte {
		data, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first := loop.Fold(line(said), nil)
	if len(first.Texts) != 1 {
		t.Fatalf("got %q", first.Texts)
	}
	if late := loop.Fold(line(said), first.IDs); len(late.Texts) != 0 {
		t.Errorf("got %q of a second report after the stop", late.Texts)
	}
	other := said
	other.Text = working
	if more := loop.Fold(line(other), first.IDs); len(more.Texts) != 1 {
		t.Errorf("got %q of other words", more.Texts)
	}
	if next := loop.Fold(line(again), first.IDs); len(next.Texts) != 1 {
		t.Errorf("got %q of the same words in another turn", next.Texts)
	}
}

// Cursor's follow-ups may be of one generation: the same words, said again
// after a promise was refused, are a promise.
func TestTheSameWordsCountAgainLater(t *testing.T) {
	for _, tt := range []struct {
		name         string
		first, later time.Duration
		want         int
	}{
		{"at the same moment", 0, 0, 0},
		{"in the next moment", 1999 * time.Millisecond, 2001 * time.Millisecond, 0},
		{"in the moment before, where the clocks or the writers overtook each other", 2001 * time.Millisecond, 1999 * time.Millisecond, 0},
		{"two seconds later", 0, 2 * time.Second, 0},
		{"nine seconds later, which a busy machine may need", 0, 9 * time.Second, 0},
		{"eleven seconds later", 0, 11 * time.Second, 1},
		{"a minute later", 0, time.Minute, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said := loop.Record{Kind: loop.RecordText, Generation: "g", Text: marker, At: began().Add(tt.first)}
			turn := loop.Fold(lines(said), nil)
			said.At = began().Add(tt.later)
			if got := loop.Fold(lines(said), turn.IDs).Texts; len(turn.Texts) != 1 || len(got) != tt.want {
				t.Errorf("got %q want %d", got, tt.want)
			}
		})
	}
}

// The second copy of a hook may report a text so late that the next turn goes on.
func TestATextThatIsReportedAgainMuchLater(t *testing.T) {
	said := loop.Record{Kind: loop.RecordText, Generation: "g1", Text: marker, At: began()}
	first := loop.Fold(lines(said), nil)
	at := func(r loop.Record, d time.Duration) loop.Record { r.At = began().Add(d); return r }
	late := at(said, time.Minute)
	inNext := late
	inNext.Generation = "g2"
	call := tool("t1", "Shell")
	for _, tt := range []struct {
		name       string
		journal    []loop.Record
		generation string
		want       int
	}{
		{"of the turn before, as its generation tells", []loop.Record{own(prompt()), late}, "g2", 0},
		{"of the turn before, among what the next one did", []loop.Record{own(prompt()), call, late}, "g2", 0},
		{"before the next message, whatever the generation", []loop.Record{late, own(prompt())}, "g1", 0},
		{"the same words in the next turn", []loop.Record{own(prompt()), inNext}, "g2", 1},
		{"the same words a minute later, where all is of one generation", []loop.Record{own(prompt()), late}, "g1", 1},
		{"soon, where all is of one generation", []loop.Record{own(prompt()), at(said, 6*time.Second)}, "g1", 0},
		{"soon, after a call of that turn", []loop.Record{own(prompt()), call, at(said, 6*time.Second)}, "g1", 1},
		{"soon, after the agent ran cursor-ralph", []loop.Record{own(prompt()), own(call), at(said, 6*time.Second)}, "g1", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLoop(func(l *loop.State) { l.Journal.Tools = first.IDs })
			if got := l.Fold(lines(tt.journal...), &loop.Event{Kind: loop.EventStop, Generation: tt.generation}).Texts; len(got) != tt.want {
				t.Errorf("got %q want %d", got, tt.want)
			}
		})
	}
}
