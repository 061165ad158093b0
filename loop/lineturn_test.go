package loop

import (
	"strings"
	"testing"
	"time"
)

// lined is a loop whose prompt hook has just continued it by its line.
func lined(t *testing.T, generation string) (State, time.Time) {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := New()
	s.Prompt, s.ConversationID, s.Status, s.Iterations, s.SessionIterations = "the task", "c1", Waiting, 5, 5
	s.StartedAt, s.Context = now.Add(-time.Hour), []string{"mind the gap"}
	s.History = []Iteration{{Number: 5}}
	s.Tree = Tree{Print: "before"}
	s, a := Decide(s, Event{Kind: EventContinue, Generation: generation, Continue: Continue{FromLine: true}}, now)
	if a.Kind != Followup || s.Status != Running || !strings.Contains(a.Text, "mind the gap") || len(s.Context) > 0 {
		t.Fatalf("got %+v and %+v, want it continued", s, a)
	}
	return s, now
}

func TestStopAfterALine(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(*State, *Event)
		counted bool
	}{
		"nothing but words":            {func(_ *State, e *Event) { e.Turn.Texts = []string{"What is that?"} }, false},
		"nothing at all":               {func(*State, *Event) {}, false},
		"a call of cursor-ralph alone": {func(_ *State, e *Event) { e.Turn.Tools = map[string]int{} }, false},
		"the agent asked":              {func(s *State, _ *Event) { *s, _ = Decide(*s, Event{Kind: EventContinue}, s.LineTurn.At) }, true},
		"a tool call":                  {func(_ *State, e *Event) { e.Turn.ToolCalls = 1 }, true},
		"the promise":                  {func(_ *State, e *Event) { e.Turn.Texts = []string{"<promise>COMPLETE</promise>"} }, true},
		"a change in the workspace":    {func(_ *State, e *Event) { e.Tree.Print = "after" }, true},
		"tools are not seen":           {func(_ *State, e *Event) { e.Minimal = true }, true},
		"the time is up":               {func(s *State, _ *Event) { s.MaxDuration = Duration(time.Minute) }, true},
		"the stop of the turn before":  {func(_ *State, e *Event) { e.Generation = "another" }, true},
		"a message of the user":        {func(s *State, _ *Event) { *s, _ = Decide(*s, Event{Kind: EventMessage, Text: "hello"}, s.LineTurn.At) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, now := lined(t, "turn")
			stop := Event{Kind: EventStop, Generation: "turn", Stop: Stop{Status: Completed, Waited: true}, Look: Look{Tree: Tree{Print: "before"}}}
			tt.change(&s, &stop)
			next, a := Decide(s, stop, now.Add(time.Minute))
			if counted := next.Iterations == 6; counted != tt.counted {
				t.Errorf("got %d iterations, want counted %v", next.Iterations, tt.counted)
			}
			if !tt.counted && (a.Kind != Followup || !strings.Contains(a.Text, "[Ralph loop 6/20] The user") || !strings.Contains(a.Text, "mind the gap")) {
				t.Errorf("got %+v, want the continuation of the line", a)
			}
			if keeps := name == "the stop of the turn before"; (next.LineTurn.Text != "") != keeps {
				t.Errorf("got %+v left of the line's turn", next.LineTurn)
			}
		})
	}
}

func TestALineThatIsReportedTwice(t *testing.T) {
	for name, tt := range map[string]struct {
		generation string
		after      time.Duration
		worked     bool
		same       bool
	}{
		"at once":                             {"turn", 0, false, true},
		"at once, constant generation":        {"c1", time.Millisecond, false, true},
		"on a busy machine":                   {"turn", 5 * time.Second, false, true},
		"much later":                          {"turn", 11 * time.Second, false, false},
		"seconds later, constant generation":  {"c1", 5 * time.Second, false, false},
		"seconds later, without a generation": {"", 5 * time.Second, false, false},
		"at once, after work":                 {"turn", 0, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, now := lined(t, tt.generation)
			s.Context = []string{"use tabs"} // a new continuation would take it
			again := Event{Kind: EventContinue, Generation: tt.generation, Continue: Continue{FromLine: true}}
			if tt.worked {
				again.Turn.Tools = map[string]int{"Write": 1}
			}
			next, a := Decide(s, again, now.Add(tt.after))
			if got := a.Text == s.LineTurn.Text && len(next.Context) == 1; got != tt.same {
				t.Errorf("got the same answer: %v, want %v", got, tt.same)
			}
		})
	}
}

// At a session limit of one stop the last follow-up is this one.
func TestABareLineAtTheSessionLimitHandsOver(t *testing.T) {
	s, now := lined(t, "turn")
	next, a := Decide(s, Event{Kind: EventStop, Generation: "turn", Stop: Stop{Status: Completed, SessionLimit: 1}}, now.Add(time.Minute))
	if a.Kind != HandOver || next.Status != Waiting || !next.Unseen || next.Iterations != 5 || !strings.Contains(a.Text, ContinueLine("c1")) {
		t.Errorf("got %+v and %+v, want a hand-over", next, a)
	}
}
