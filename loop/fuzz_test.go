package loop_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// FuzzParse asserts that no file makes the package panic, that what was read
// and written is read the same, with every field.
func FuzzParse(f *testing.F) {
	for _, file := range []string{
		`{"prompt":"x"}`,
		`{"prompt":"Build it.","max_iterations":7,"completion_promise":"DONE","iterations":2,"session_iterations":1,"stop":true,"last_output":"half"}`,
		bom + `{"Prompt":"x","mine":{"a":[1e5,"<b>"]},"ſtop":true,"":null}`,
		`{"prompt":"x","version":2}`,
		`{"prompt":"x","max_duration":"1h","created_at":"2026-09-01T12:00:00.000000001+02:00","journal":{"of":"c","offset":-1,"tools":["t"]},
			"history":[{"iteration":1,"duration_seconds":1e-7,"tools":{"Shell":2}}],"last_stop":{"at":"0001-01-01T00:00:00Z"},"context":[],"status":"odd"}`,
		`{"prompt":"x\ny","repeat":"first","task_next":true,"max_tokens":1,"tokens":{"input":-5,"output":9223372036854775807},"tokens_unknown_turns":-1,
			"last_stop":{"at":"2026-09-01T12:00:00Z","tokens":{"input":1,"output":2}},"history":[{"iteration":3,"tokens":{"input":4,"output":0}}]}`,
		`[]`, `{"prompt":`,
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		l, err := loop.Parse(file)
		if err != nil {
			return
		}
		if l.MaxIterations < 1 || l.MaxIterations > loop.MaxMaxIterations || l.Iterations < 0 || l.SessionIterations < 0 ||
			l.MinIterations < 1 || l.MinToolCalls < 0 || l.CompletionPromise == "" || l.Status == "" || l.Version != loop.Version {
			t.Errorf("got %+v", l)
		}
		again := saved(t, l)
		if diff := cmp.Diff(l, again, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(loop.State{}, "Unknown")); diff != "" {
			t.Errorf("-read +read again:\n%s", diff)
		}
		sameFields(t, l.Unknown, again.Unknown)
		decideAnything(l)
	})
}

func sameFields(t *testing.T, was, is map[string]json.RawMessage) {
	t.Helper()
	if len(was) != len(is) {
		t.Errorf("got %d unknown fields want %d", len(is), len(was))
	}
	for name, value := range was {
		if got, want := compact(t, is[name]), compact(t, value); got != want {
			t.Errorf("%q: got %s want %s", name, got, want)
		}
	}
}

// decideAnything lets everything happen to a loop that may be hand-made. It
// must not panic or hang.
func decideAnything(l loop.State) {
	for _, kind := range kinds() {
		for _, status := range []loop.StopStatus{loop.Completed, loop.Errored} {
			e := loop.Event{Kind: kind, Text: l.LastOutput, Turn: worked(l.LastOutput), Stop: loop.Stop{Status: status, Waited: true}}
			next, _ := loop.Decide(l, e, began())
			loop.Decide(next, e, began().Add(time.Hour))
		}
	}
	_ = l.StartText()
}

// FuzzFold asserts that no journal makes the package panic, that only whole
// lines are taken, and that it does not matter where a stop cut the journal.
func FuzzFold(f *testing.F) {
	whole := lines(text("a"), tool("t1", "Shell"), own(tool("t2", "Shell")), prompt(), own(prompt()), tool("t1", "Shell"), text("b"))
	f.Add(whole, 30)
	f.Add(whole[:len(whole)-5], 90)
	f.Add(append(bytes.Clone(whole[:100]), whole...), 100)
	f.Add([]byte("{\"e\":\"tool\",\"ev\":7}\nnull\n\n\xff\x00\n"), 3)
	f.Add(lines(driverTook(-7, 5), driverTook(3, 5), loop.Record{Kind: loop.RecordText, Text: "a", Generation: "g", Tokens: took(9, 1)}), 60)
	f.Fuzz(func(t *testing.T, journal []byte, cut int) {
		turn, before := loop.TurnIn(journal, nil), loop.TurnBefore(journal, nil)
		for _, got := range []loop.Turn{turn, before} {
			n := got.Length
			if n < 0 || n > int64(len(journal)) || n > 0 && journal[n-1] != '\n' {
				t.Fatalf("got a journal of %d bytes read up to %d", len(journal), n)
			}
			calls := 0
			for _, n := range got.Tools {
				calls += n
			}
			if n := got.Tokens; n != nil && (n.Input < 0 || n.Output < 0 || n.CacheRead < 0 || n.CacheWrite < 0 || n.Sum() == 0) {
				t.Errorf("got %+v", n)
			}
			if calls != got.ToolCalls || len(got.Events) > 64 || len(got.Files) > 50 || len(got.Errors) > 50 {
				t.Errorf("got %+v", got)
			}
		}
		if before.Length > turn.Length || before.ToolCalls > turn.ToolCalls {
			t.Errorf("got more before a message than in all: %+v %+v", before, turn)
		}
		if cut < 0 || cut > len(journal) {
			return
		}
		first := loop.TurnIn(journal[:cut], nil)
		second := loop.TurnIn(journal[first.Length:], first.Events)
		if got := first.ToolCalls + second.ToolCalls; got != turn.ToolCalls || first.Length+second.Length != turn.Length {
			t.Errorf("cut at %d: got %d calls, %d bytes want %d, %d", cut, got, first.Length+second.Length, turn.ToolCalls, turn.Length)
		}
	})
}
