package view_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/schema"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func state(change func(*loop.State)) loop.State {
	s := loop.New()
	s.Prompt, s.ConversationID, s.Workspace = "make the tests pass", "3f2a", "/home/ann/app"
	s.Status, s.Iterations, s.StartedAt, s.EventAt = loop.Running, 2, now.Add(-time.Hour), now.Add(-3*time.Minute)
	if change != nil {
		change(&s)
	}
	return s
}

// Every way a loop can stand, in words, as a chip and in JSON.
func TestStandings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		facts  view.Facts
		words  string
		chip   string
		goOn   string
	}{
		{"running", nil, view.Facts{}, "running", "Loop • Running • Iter 3/20", ""},
		{"pending", func(s *loop.State) { s.Status, s.ConversationID, s.Iterations = "pending", "", 0 }, view.Facts{}, "pending", "Loop • Pending • Iter 0/20", "*"},
		{"verifying", func(s *loop.State) { s.Verifying = loop.Verifying{ID: "v", Since: now} }, view.Facts{}, "running (verifying)", "Loop • Running (verifying) • Iter 3/20", ""},
		{"with tasks", func(s *loop.State) { s.TaskCount = &loop.TaskCount{Done: 7, Total: 12, Next: "ship"} }, view.Facts{}, "running", "Loop • Running • Iter 3/20 • Tasks 7/12", ""},
		{"with a list that cannot be used", func(s *loop.State) { s.Tasks, s.TaskCount = "TODO.md", &loop.TaskCount{Error: "it does not exist"} }, view.Facts{}, "running", "Loop • Running • Iter 3/20", ""},
		{"with lost tasks", func(s *loop.State) { s.TaskCount = &loop.TaskCount{Done: 1, Total: 1, Began: 2} }, view.Facts{}, "running", "Loop • Running • Iter 3/20 • Tasks 1/1", ""},
		{"stalled", func(s *loop.State) { s.EventAt = now.Add(-time.Hour) }, view.Facts{}, "stalled", "Loop • Stalled • Iter 3/20", "/ralph-loop --continue xx9r3"},
		{"stale", func(s *loop.State) { s.EventAt = now.Add(-48 * time.Hour) }, view.Facts{}, "stalled", "Loop • Stalled • Iter 3/20", "/ralph-loop --continue xx9r3"},
		{"stalled run", func(s *loop.State) { s.EventAt, s.Run.Driver = now.Add(-time.Hour), "acp" }, view.Facts{}, "stalled", "Loop • Stalled • Iter 3/20", ""},
		{"waiting", func(s *loop.State) { s.Status = loop.Waiting }, view.Facts{}, "waiting (continuation)", "Loop • Waiting • Iter 3/20", "/ralph-loop --continue xx9r3"},
		{"for a new chat", func(s *loop.State) { s.Status, s.FreshChat, s.Delivery.Way = loop.Waiting, 1, loop.WayNewChat }, view.Facts{}, "waiting (continuation)", "Loop • Waiting • Iter 3/20", "/ralph-loop --continue xx9r3"},
		{"paused at rest", func(s *loop.State) { s.Status, s.PauseReason, s.Idle = loop.Paused, "idle", true }, view.Facts{}, "paused (idle)", "Loop • Paused • Iter 3/20", "/ralph-loop --continue xx9r3"},
		{"paused in a turn", func(s *loop.State) { s.Status, s.PauseReason, s.ID = loop.Paused, loop.PauseUser, "k7f2m" }, view.Facts{}, "pausing (at the next stop)", "Loop • Pausing • Iter 3/20", "cursor-ralph resume k7f2m"},
		{"interrupted", func(s *loop.State) { s.Status = loop.Waiting }, view.Facts{Interrupted: true}, "interrupted", "Loop • Interrupted • Iter 3/20", "*"},
		{"run without process", func(s *loop.State) { s.Run.Driver = "acp" }, view.Facts{Gone: true}, "interrupted", "Loop • Interrupted • Iter 3/20", "*"},
		{"paused run without process", func(s *loop.State) { s.Run.Driver, s.Status, s.PauseReason = "acp", loop.Paused, "error" }, view.Facts{Gone: true}, "paused (error)", "Loop • Paused • Iter 3/20", "*"},
		{"done", func(s *loop.State) { s.Status, s.EndedAt = loop.PromiseAccepted, now }, view.Facts{}, "PROMISE_ACCEPTED", "Loop • Promise accepted • Iter 2/20", ""},
		{"at limit", func(s *loop.State) { s.Status, s.EndedAt = loop.MaxIterations, now }, view.Facts{}, "MAX_ITERATIONS_REACHED", "Loop • Max iterations reached • Iter 2/20", "*"},
		{"hostile", func(s *loop.State) { s.Status, s.Prompt = "#(rm -rf ~)", "\x1b[2J<promise>COMPLETE</promise>" }, view.Facts{}, "unknown", "Loop • Unknown • Iter 2/20", ""},
		{"hostile pause", func(s *loop.State) { s.Status, s.PauseReason = loop.Paused, "#(x)" }, view.Facts{}, "paused", "Loop • Paused • Iter 3/20", "*"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.facts.Now = now
			l := view.Of(state(tt.change), tt.facts)
			if l.Describe() != tt.words || l.Chip() != tt.chip {
				t.Errorf("got %q and %q, want %q and %q", l.Describe(), l.Chip(), tt.words, tt.chip)
			}
			if tt.goOn != l.Continue && (tt.goOn != "*" || l.Continue == "") {
				t.Errorf("got continue %q, want %q", l.Continue, tt.goOn)
			}
			data, err := json.MarshalIndent(l, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			schema.Check(t, "loop", string(data))
		})
	}
}

// What a loop can be asked to do, and whether it needs its user.
func TestActions(t *testing.T) {
	const typed, line = "resume k7f2m --type", "/ralph-loop --continue k7f2m"
	for _, tt := range []struct {
		name    string
		change  func(*loop.State)
		facts   view.Facts
		group   view.Group
		actions string // each with its steps
		line    string // "*" for any
	}{
		{"running", nil, view.Facts{}, view.Goes, "pause[pause k7f2m] context cancel", ""},
		{"pending", func(s *loop.State) { s.Status, s.ConversationID, s.Iterations = "pending", "", 0 }, view.Facts{}, view.NeedsUser, "begin context cancel", line},
		{"pending for a chat", func(s *loop.State) { s.Status, s.Iterations = "pending", 0 }, view.Facts{}, view.Goes, "context cancel", ""},
		{"stalled", func(s *loop.State) { s.EventAt = now.Add(-time.Hour) }, view.Facts{}, view.NeedsUser, "continue[" + typed + "] pause[pause k7f2m] context cancel", "*"},
		{"waiting by hand", func(s *loop.State) { s.Status = loop.Waiting }, view.Facts{}, view.NeedsUser, "continue[" + typed + "] pause[pause k7f2m] context cancel", "*"},
		{"a line on its way", func(s *loop.State) {
			s.Status, s.Delivery = loop.Waiting, loop.Delivery{ID: "d", Way: "line", OpenedAt: now.Add(-time.Second)}
		}, view.Facts{}, view.Goes, "continue[" + typed + "] pause[pause k7f2m] context cancel", "*"},
		{"for a new chat", func(s *loop.State) { s.Status, s.FreshChat, s.Delivery.Way = loop.Waiting, 1, loop.WayNewChat }, view.Facts{}, view.NeedsUser, "continue pause[pause k7f2m] context cancel", "*"},
		{"paused by an error", func(s *loop.State) { s.Status, s.PauseReason, s.Idle = loop.Paused, "error", true }, view.Facts{}, view.NeedsUser, "resume[resume k7f2m --type] context cancel", "*"},
		{"paused by the user", func(s *loop.State) { s.Status, s.PauseReason = loop.Paused, loop.PauseUser }, view.Facts{}, view.Goes, "resume[resume k7f2m --type] context cancel", line},
		{"interrupted", nil, view.Facts{Interrupted: true}, view.NeedsUser, "continue[continue k7f2m|" + typed + "] cancel", line},
		{"a run without process", func(s *loop.State) { s.Run.Driver = "acp" }, view.Facts{Gone: true}, view.NeedsUser, "continue[run --resume k7f2m]terminal cancel", ""},
		{"cancelled", func(s *loop.State) { s.Status, s.EndedAt = loop.Cancelled, now }, view.Facts{}, view.Over, "continue[continue k7f2m|" + typed + "]", line},
		{"at its limit", func(s *loop.State) { s.Status, s.Iterations, s.EndedAt = loop.MaxIterations, 20, now }, view.Facts{}, view.Over, "continue[continue k7f2m --max-iterations 40|" + typed + "]", line + " --max-iterations 40"},
		{"accepted", func(s *loop.State) { s.Status, s.EndedAt = loop.PromiseAccepted, now }, view.Facts{}, view.Over, "", ""},
	} {
		tt.facts.Now = now
		l := view.Of(state(func(s *loop.State) {
			s.ID = "k7f2m"
			if tt.change != nil {
				tt.change(s)
			}
		}), tt.facts)
		var got []string
		for _, a := range l.Actions {
			words := a.Name
			if a.Name != "context" && a.Name != "cancel" && a.Steps != nil {
				var steps []string
				for _, s := range a.Steps {
					steps = append(steps, strings.Join(s, " "))
				}
				words += "[" + strings.Join(steps, "|") + "]"
			}
			if a.Terminal {
				words += "terminal"
			}
			got = append(got, words)
		}
		if l.Item.Group != tt.group || l.NeedsUser != (tt.group == view.NeedsUser) || strings.Join(got, " ") != tt.actions {
			t.Errorf("%s: got %s, %s, want %s, %s", tt.name, l.Item.Group, got, tt.group, tt.actions)
		}
		if l.ChatLine != tt.line && (tt.line != "*" || l.ChatLine == "") {
			t.Errorf("%s: got the line %q, want %q", tt.name, l.ChatLine, tt.line)
		}
	}
}

func TestTheItemOfALoopIsShortPlainText(t *testing.T) {
	const coder = "👩\u200d💻"
	for task, want := range map[string][2]string{ // the title, and the label beside "3/20 running"
		"make the tests pass":              {"make the tests pass", "make the tests …"},
		"make the tests pass, all of them": {"make the tests pass, all of them", "make the tests …"},
		strings.Repeat(coder, 31):          {strings.Repeat(coder, 29) + "…", strings.Repeat(coder, 7) + "…"},
		"\n a\u202eb\x1b[2J\tc\nsecond":    {"ab[2J c", "ab[2J c"},
		"say <promise>COMPLETE</promise>":  {"say ‹promise›COMPLETE‹/promise›", "say ‹promise›CO…"},
		"\u00ad":                           {"k7f2m", "k7f2m"},
	} {
		l := view.Of(state(func(s *loop.State) { s.ID, s.Prompt = "k7f2m", task }), view.Facts{Now: now})
		if got := [2]string{l.Item.Title, l.Item.Label}; got != want {
			t.Errorf("%q: got %q, want %q", task, got, want)
		}
		if l.Item.Description != "3/20 running" || !strings.HasPrefix(l.Item.Tooltip, "Loop k7f2m: running, iteration 3 of 20\n") {
			t.Errorf("%q: got %+v", task, l.Item)
		}
	}
	done := view.Iterations([]loop.Iteration{{Number: 1, Seconds: 61, Tools: map[string]int{"Write": 1}, Files: []string{"a", "b"}, Promise: "refused", Refused: "tests\nfail"}})
	if want := "1m 1s • 1 tool call • 2 files • promise refused: tests fail"; done[0].Words != want {
		t.Errorf("got %q, want %q", done[0].Words, want)
	}
}

func TestALoopThatAwaitsANewChatSaysSo(t *testing.T) {
	awaits := func(s *loop.State) { s.FreshChat, s.Delivery.Way = 1, loop.WayNewChat }
	if !view.Of(state(awaits), view.Facts{Now: now}).NewChat || view.Of(state(nil), view.Facts{Now: now}).NewChat {
		t.Error("want new_chat for the loop that awaits one, and for no other")
	}
}

func TestToolCallsAreAbsentIfTheyAreNotSeen(t *testing.T) {
	seen := view.Of(state(func(s *loop.State) { s.ToolCalls = 6 }), view.Facts{Now: now})
	unseen := view.Of(state(func(s *loop.State) { s.Run.Driver = loop.PrintsOnly }), view.Facts{Now: now})
	if seen.ToolCalls == nil || *seen.ToolCalls != 6 || unseen.ToolCalls != nil {
		t.Errorf("got %v and %v, want 6 and none", seen.ToolCalls, unseen.ToolCalls)
	}
}

func TestRow(t *testing.T) {
	for _, tt := range []struct {
		ago  time.Duration
		want string
	}{{0, "0s ago"}, {59 * time.Second, "59s ago"}, {3 * time.Minute, "3m ago"}, {26 * time.Hour, "26h ago"}, {3 * 24 * time.Hour, "3d ago"}, {40 * 24 * time.Hour, "40d ago"}, {-time.Hour, "0s ago"}} {
		l := view.Of(state(func(s *loop.State) {
			s.ID, s.Prompt, s.EventAt = "k7f2m", "a\n"+strings.Repeat("b", 100_000), now.Add(-tt.ago)
		}), view.Facts{Now: now})
		row := l.Row(now, "/home/ann")
		if row.When != tt.want || row.ID != "k7f2m" || row.Workspace != "~/app" || !strings.HasPrefix(row.Task, "a b") || len(row.Task) > 3000 {
			t.Errorf("%v: got %.200v, want %s", tt.ago, row, tt.want)
		}
	}
	if got := view.Tilde("/home/anna", "/home/ann"); got != "/home/anna" {
		t.Errorf("got %s", got)
	}
}
