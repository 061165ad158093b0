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
		{"pending", func(s *loop.State) { s.Status, s.ConversationID, s.Iterations = "pending", "", 0 }, view.Facts{}, "pending", "Loop • Pending • Iter 0/20", ""},
		{"verifying", func(s *loop.State) { s.Verifying = loop.Verifying{ID: "v", Since: now} }, view.Facts{}, "running (verifying)", "Loop • Running (verifying) • Iter 3/20", ""},
		{"with tasks", func(s *loop.State) { s.TaskCount = &loop.TaskCount{Done: 7, Total: 12, Next: "ship"} }, view.Facts{}, "running", "Loop • Running • Iter 3/20 • Tasks 7/12", ""},
		{"with a list that cannot be used", func(s *loop.State) { s.Tasks, s.TaskCount = "TODO.md", &loop.TaskCount{Error: "it does not exist"} }, view.Facts{}, "running", "Loop • Running • Iter 3/20", ""},
		{"with lost tasks", func(s *loop.State) { s.TaskCount = &loop.TaskCount{Done: 1, Total: 1, Lost: []string{"ship"}} }, view.Facts{}, "running", "Loop • Running • Iter 3/20 • Tasks 1/1", ""},
		{"stalled", func(s *loop.State) { s.EventAt = now.Add(-time.Hour) }, view.Facts{}, "stalled", "Loop • Stalled • Iter 3/20", "/ralph-loop --continue 3f2a"},
		{"stale", func(s *loop.State) { s.EventAt, s.StallAfter = now.Add(-48*time.Hour), 0 }, view.Facts{}, "stalled", "Loop • Stalled • Iter 3/20", "/ralph-loop --continue 3f2a"},
		{"stalled run", func(s *loop.State) { s.EventAt, s.Run.Driver = now.Add(-time.Hour), "acp" }, view.Facts{}, "stalled", "Loop • Stalled • Iter 3/20", ""},
		{"waiting", func(s *loop.State) { s.Status = loop.Waiting }, view.Facts{}, "waiting (continuation)", "Loop • Waiting • Iter 3/20", "/ralph-loop --continue 3f2a"},
		{"retry", func(s *loop.State) { s.Status, s.RetryAt = loop.Waiting, now.Add(time.Minute) }, view.Facts{}, "waiting (retry)", "Loop • Waiting • Iter 3/20", "/ralph-loop --continue 3f2a"},
		{"for a new chat", func(s *loop.State) { s.Status, s.FreshWait = loop.Waiting, "waiting" }, view.Facts{}, "waiting (continuation)", "Loop • Waiting • Iter 3/20", "/ralph-loop --continue 3f2a"},
		{"paused at rest", func(s *loop.State) { s.Status, s.PauseReason, s.Rested = loop.Paused, "idle", true }, view.Facts{}, "paused (idle)", "Loop • Paused • Iter 3/20", "/ralph-loop --continue 3f2a"},
		{"paused in a turn", func(s *loop.State) { s.Status, s.PauseReason, s.ID = loop.Paused, loop.PauseUser, "k7f2m" }, view.Facts{}, "paused (user)", "Loop • Paused • Iter 3/20", "cursor-ralph resume k7f2m"},
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
			if l.Words() != tt.words || l.Chip() != tt.chip {
				t.Errorf("got %q and %q, want %q and %q", l.Words(), l.Chip(), tt.words, tt.chip)
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

func TestALoopThatAwaitsANewChatSaysSo(t *testing.T) {
	awaits := func(s *loop.State) { s.FreshWait = "waiting" }
	if !view.Of(state(awaits), view.Facts{Now: now}).NewChat || view.Of(state(nil), view.Facts{Now: now}).NewChat {
		t.Error("want new_chat for the loop that awaits one, and for no other")
	}
}

func TestToolCallsAreAbsentIfTheyAreNotSeen(t *testing.T) {
	seen := view.Of(state(func(s *loop.State) { s.ToolCalls = 6 }), view.Facts{Now: now})
	unseen := view.Of(state(func(s *loop.State) { s.Minimal = true }), view.Facts{Now: now})
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
