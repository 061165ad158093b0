package loop_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

func kinds() []loop.EventKind {
	return []loop.EventKind{
		loop.EventStop, loop.EventMessage, loop.EventLateText, loop.EventContinue,
		loop.EventPause, loop.EventResume, loop.EventCancel, loop.EventContext, loop.EventNotice,
		loop.EventNote, loop.EventBlocked, loop.EventReplace, loop.EventConfirm,
		loop.EventInject, loop.EventInjected, loop.EventVerified,
		"", "unheard-of",
	}
}

func statuses() []loop.Status {
	return []loop.Status{
		loop.Running, loop.Waiting, loop.Paused, loop.PromiseAccepted, loop.MaxIterations, loop.MaxDuration,
		loop.UserStopped, loop.Cancelled, loop.Blocked, loop.Replaced,
	}
}

func stopStatuses() []loop.StopStatus {
	return []loop.StopStatus{loop.Completed, loop.Aborted, loop.Errored, "", "unheard-of"}
}

// place is one point of the product of everything that Decide looks at.
type place struct {
	status    loop.Status
	kind      loop.EventKind
	ended     loop.StopStatus
	stop      bool
	promise   string // said, written or nothing
	tools     bool
	left      int  // iterations until the limit
	overtime  bool // the time limit has passed
	session   int  // 0 none, 1 just begun, 5 at its end
	waited    bool
	withTwist bool // rested, with context, notices and a longer history
}

// everywhere walks the product.
func everywhere(visit func(place)) {
	bools := []bool{false, true}
	for _, status := range append(statuses(), "", "unheard-of") {
		for _, kind := range kinds() {
			for _, ended := range stopStatuses() {
				for _, stop := range bools {
					for _, promise := range []string{"", "said", "written"} {
						for _, tools := range bools {
							for _, left := range short.First([]int{1, 2, 9}, 1) {
								for i, session := range []int{0, 1, 5} {
									p := place{status, kind, ended, stop, promise, tools, left, i == 1, session, i == 2, tools == stop}
									visit(p)
								}
							}
						}
					}
				}
			}
		}
	}
}

// state is made anew at each call. Its lists have room to grow, so that an
// append which reaches the caller's memory can be seen there.
func (p place) state() loop.State {
	l := newLoop()
	l.Status, l.Stop, l.MaxIterations, l.Iterations = p.status, p.stop, 10, 10-p.left
	l.StartedAt, l.SessionIterations = began(), max(0, p.session-1)
	l.LastStop = loop.StopMark{Generation: "g1", LoopCount: max(0, p.session-2), At: began()}
	l.Context, l.Notices = make([]string, 0, 4), make([]string, 0, 4)
	l.History = append(make([]loop.Iteration, 0, 4), loop.Iteration{Number: 1, EndedAt: began(), Action: "hand-over", Promise: "none"})
	l.Journal = loop.Mark{Of: "c1", Offset: 7, Events: append(make([]string, 0, 4), "t1:0")}
	if p.withTwist {
		l.Delivery = loop.Delivery{ID: "i1", Iteration: 1, OpenedAt: began().Add(59 * time.Minute)}
	}
	if p.overtime {
		l.MaxDuration = loop.Duration(time.Minute)
	}
	if p.promise == "written" {
		l.LastOutput = "COMPLETE"
	}
	if p.withTwist {
		l.Idle, l.EndedAt = true, began().Add(time.Hour)
		l.Context, l.Notices = append(l.Context, "context"), append(l.Notices, "notice")
		l.History = append(l.History, loop.Iteration{Number: 2, Promise: "refused", Refused: "why", Errors: []string{"e"}})
	}
	return l
}

func (p place) event() loop.Event {
	e := loop.Event{
		Kind:       p.kind,
		Text:       "text",
		Generation: "g2",
		Turn:       talked(),
		Injected:   loop.Injected{Line: loop.Delivery{ID: "i1", Outcome: "the window is gone", Method: "xtest", Tries: []string{"robotgo: no"}}},
		Stop:       loop.Stop{Status: p.ended, LoopCount: max(0, p.session-1), SessionLimit: p.session, Waited: p.waited, Typing: []loop.Typing{"", loop.TypingPossible, loop.TypingImpossible}[p.left%3]},
		Continue:   loop.Continue{Idle: p.withTwist},
	}
	if p.kind == loop.EventLateText {
		e.Generation = "g1"
	}
	if p.promise == "said" {
		e.Turn.Texts = []string{marker}
	}
	if p.tools {
		e.Turn.Tools, e.Turn.ToolCalls, e.Turn.Events = map[string]int{"Shell": 2}, 2, []string{"t1:0", "t2:0"}
	}
	return e
}

func TestWhateverHappens(t *testing.T) {
	now := began().Add(time.Hour)
	everywhere(func(p place) {
		l, e := p.state(), p.event()
		next, action := loop.Decide(l, e, now)
		again, actionAgain := loop.Decide(p.state(), p.event(), now)
		for _, broken := range []string{
			untouched(l, e, p),
			same(next, again, action, actionAgain),
			actionsAreWhole(next, action),
			countsRight(l, next, e),
			keepsTheTask(l, next),
			endedStaysEnded(l, next, e, action),
			stopsAreObeyed(l, next, e, action),
			unknownsRest(l, next, e, action),
		} {
			if broken != "" {
				t.Fatalf("%s\nat %+v\ngot %+v %+v", broken, p, action, next)
			}
		}
	})
}

func untouched(l loop.State, e loop.Event, p place) string {
	wasL, wasE := p.state(), p.event()
	if !reflect.DeepEqual(l, wasL) || !reflect.DeepEqual(e, wasE) {
		return "the state or the event that was given has changed"
	}
	for _, list := range [][]string{l.Context, l.Notices, l.Journal.Events} {
		if slices.ContainsFunc(list[len(list):cap(list)], func(s string) bool { return s != "" }) {
			return "something was appended in the caller's memory"
		}
	}
	for _, h := range l.History[len(l.History):cap(l.History)] {
		if h.Number != 0 {
			return "an iteration was appended in the caller's memory"
		}
	}
	return ""
}

func same(next, again loop.State, action, actionAgain loop.Action) string {
	if action != actionAgain || !reflect.DeepEqual(next, again) {
		return "the second time the answer is another one"
	}
	return ""
}

func actionsAreWhole(next loop.State, a loop.Action) string {
	goesOn := a.Kind == loop.Followup || a.Kind == loop.HandOver
	switch {
	case goesOn != (a.Text != ""):
		return "text without an action that goes on, or the other way round"
	case goesOn && next.Status != loop.Running && next.Status != loop.Waiting:
		return "a loop that does not run goes on"
	case a.Kind == loop.Inject && !next.Injecting(next.Delivery.ID, began().Add(time.Hour)):
		return "typing begins, and the loop does not wait for it"
	case a.Kind == loop.HandOver && next.Status != loop.Waiting:
		return "handed over and not waiting"
	case (a.Kind == loop.Refuse) != (a.Hint != "") || a.Kind == loop.Refuse && a.Why() == "":
		return "a refusal without reason or hint, or a hint without refusal"
	}
	return ""
}

func countsRight(l, next loop.State, e loop.Event) string {
	grew := next.Iterations - l.Iterations
	mayCount := e.Kind == loop.EventStop || e.Kind == loop.EventContinue
	switch {
	case grew < 0 || grew > 1:
		return "the iterations grew by more than one, or shrank"
	case grew == 1 && !mayCount:
		return "an event that is no end of a turn was counted"
	case next.Iterations > next.MaxIterations:
		return "more iterations than the limit"
	case next.SessionIterations < 0 || next.SessionIterations > l.SessionIterations+1:
		return "the session grew by more than one"
	case grew == 1 && len(next.History) != len(l.History)+1 || grew == 0 && len(next.History) != len(l.History):
		return "not one record for one iteration"
	}
	return ""
}

func keepsTheTask(l, next loop.State) string {
	if next.Prompt != l.Prompt || next.CompletionPromise != l.CompletionPromise || next.MaxIterations != l.MaxIterations {
		return "the task, the promise or the limit has changed"
	}
	return ""
}

func endedStaysEnded(l, next loop.State, e loop.Event, a loop.Action) string {
	if !l.Status.Ended() {
		if next.Status.Ended() && (next.Reason == "" || next.EndedAt.IsZero() || next.PauseReason != "") {
			return "ended without a reason or a time"
		}
		return ""
	}
	final := l.Status == loop.PromiseAccepted || l.Status == loop.Replaced
	switch {
	case e.Kind != loop.EventContinue && a.Text != "":
		return "an ended loop answers"
	case final && next.Status != l.Status:
		return "a loop that is over for good has another status"
	case e.Kind != loop.EventContinue && e.Kind != loop.EventLateText && next.Status != l.Status:
		return "an ended loop has another status"
	case next.Status != l.Status && e.Kind == loop.EventLateText && next.Status != loop.PromiseAccepted:
		return "late text made something else than an accepted promise"
	}
	return ""
}

// stopsAreObeyed looks at stops of loops that are live.
func stopsAreObeyed(l, next loop.State, e loop.Event, a loop.Action) string {
	if l.Status.Ended() || e.Kind != loop.EventStop {
		return ""
	}
	switch {
	case e.Status == loop.Aborted || l.Stop:
		if next.Status != loop.UserStopped || a.Kind != loop.Rest || !next.Stop {
			return "the user's stop was not obeyed"
		}
	case l.Status == loop.Paused:
		if next.Status != loop.Paused || a.Kind != loop.Rest || next.Iterations != l.Iterations || !next.Idle {
			return "a paused loop did not rest"
		}
	case e.Status != loop.Completed && l.Status != "" && l.Status != "unheard-of":
		if next.Status != loop.Paused || a.Kind != loop.Rest || next.PauseReason != "error" || next.Iterations != l.Iterations {
			return "a turn that failed did not pause the loop"
		}
	}
	return ""
}

func unknownsRest(l, next loop.State, e loop.Event, a loop.Action) string {
	switch {
	case e.Kind == "" || e.Kind == "unheard-of":
		next.EventAt, a.Iteration = l.EventAt, 0
		if a != (loop.Action{}) || !reflect.DeepEqual(next, l) {
			return "an unknown event changed something"
		}
	case l.Status == "" || l.Status == "unheard-of":
		stopped := e.Kind == loop.EventStop && (l.Stop || e.Status == loop.Aborted)
		if e.Kind == loop.EventStop && !stopped && (a.Kind != loop.Rest || next.Status != l.Status) {
			return "a loop with an unknown status did not rest"
		}
	case a.Kind == loop.AwaitText:
		next.EventAt, next.Pauses = l.EventAt, l.Pauses
		if !reflect.DeepEqual(next, l) {
			return "something was decided before the text was waited for"
		}
	}
	return ""
}

func TestTheFirstEventBeginsALoop(t *testing.T) {
	asked := newLoop(func(l *loop.State) { l.Replace = true })
	got, _ := loop.Decide(asked, loop.Event{}, began())
	want := asked
	want.StartedAt, want.EventAt, want.Replace = began(), began(), false
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	later, _ := loop.Decide(got, loop.Event{}, began().Add(time.Minute))
	if !later.StartedAt.Equal(began()) || !later.EventAt.Equal(began().Add(time.Minute)) {
		t.Errorf("got begun %s, last event %s", later.StartedAt, later.EventAt)
	}
}

func TestTheZeroStateRests(t *testing.T) {
	for _, kind := range kinds() {
		for _, words := range []string{"", "anything at all", "<promise></promise>", "a  b"} {
			for _, match := range []loop.Match{"exact", "lenient", "bare"} {
				l := loop.State{Contract: loop.Contract{LastOutput: words}, Rules: loop.Rules{PromiseMatch: match}}
				e := loop.Event{Kind: kind, Turn: worked(words), Stop: loop.Stop{Status: loop.Completed}}
				if next, a := loop.Decide(l, e, began()); a.Text != "" || next.Status == loop.PromiseAccepted {
					t.Errorf("%s, %q, %s: got %+v, status %q", kind, words, match, a, next.Status)
				}
			}
		}
	}
}

func TestWhichStatusesHaveEnded(t *testing.T) {
	live := []loop.Status{loop.Running, loop.Waiting, loop.Paused, "", "unheard-of", "Promise_Accepted"}
	for _, s := range append(statuses(), live...) {
		if s.Ended() == slices.Contains(live, s) {
			t.Errorf("%q: got ended %t", s, s.Ended())
		}
	}
}

// They are in state files and in Cursor's events.
func TestTheNamesThatOthersKnow(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{fmt.Sprint(statuses()), "[running waiting paused PROMISE_ACCEPTED MAX_ITERATIONS_REACHED MAX_DURATION_REACHED USER_STOPPED CANCELLED BLOCKED REPLACED]"},
		{fmt.Sprint([]loop.StopStatus{loop.Completed, loop.Aborted, loop.Errored}), "[completed aborted error]"},
		{fmt.Sprint([]string{loop.RecordTool, loop.RecordText, loop.RecordPrompt}), "[tool text prompt]"},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
}
