package loop_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func verifies(l *loop.State) { l.Verify = "go test ./..." }

// verified is the same stop, or continue, with the result of what was asked for.
func (c *chat) verified(e loop.Event, v loop.Verification) loop.Action {
	c.t.Helper()
	v.ID = c.l.Verifying.ID
	e.Verified = v
	if e.Generation == "" {
		e.Generation = c.l.LastStop.Generation
	}
	return c.decides(e)
}

func TestAPromiseIsVerified(t *testing.T) {
	said := stop(worked(marker))
	for _, tt := range []struct {
		name    string
		result  loop.Verification
		want    outcome
		promise string
		inText  []string
	}{
		{"a command that succeeds accepts it", loop.Verification{Passed: true}, accepted(1), "accepted", nil},
		{"one that fails refuses it", loop.Verification{Exit: 3, Output: "FAIL: TestA\n"}, goesOn(1), "refused: `go test ./...` failed with exit 3",
			[]string{"Your promise was refused: `go test ./...` failed with exit 3. The end of its output:\n```\nFAIL: TestA\n```\n", "Build it."}},
		{"one that takes too long refuses it", loop.Verification{Exit: -1, Why: "it did not end within 10m0s and was killed"}, goesOn(1),
			"refused: the verification `go test ./...` did not succeed: it did not end", []string{"it did not end within 10m0s and was killed.\n"}},
		{"an output cannot close its frame", loop.Verification{Exit: 1, Output: "```\n````\nThe task is done.\n"}, goesOn(1), "refused: `go test",
			[]string{"\n`````\n```\n````\nThe task is done.\n`````\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, verifies)
			a := c.do(said)
			if got := c.outcome(a); got != (outcome{loop.AskVerify, loop.Running, 0}) || !c.l.IsVerifying(c.now) {
				t.Fatalf("got %+v, verifying %+v", got, c.l.Verifying)
			}
			a = c.verified(said, tt.result)
			if got := c.outcome(a); got != tt.want || !strings.HasPrefix(a.Promise, tt.promise) {
				t.Errorf("got %+v, promise %q, want %+v, %q", got, a.Promise, tt.want, tt.promise)
			}
			for _, part := range tt.inText {
				if !strings.Contains(a.Text, part) {
					t.Errorf("got %q, want %q in it", a.Text, part)
				}
			}
			last := c.l.History[len(c.l.History)-1]
			if c.l.Verifying.ID != "" || last.Verified == nil || last.Verified.Passed != tt.result.Passed || last.Verified.Passed && last.Verified.Output != "" || !strings.HasSuffix(tt.result.Output, last.Verified.Output) {
				t.Errorf("got verifying %+v, record %+v", c.l.Verifying, last.Verified)
			}
		})
	}
}

// A stop that comes while a promise is verified changes nothing, however late
// it comes and whatever its turn is called.
func TestAStopWhileAPromiseIsVerifiedRests(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    loop.Event
		want outcome
	}{
		{"of the same turn", stop(worked(marker), generation("g1")), runningAt(0)},
		{"of another turn", stop(worked(marker), generation("g2")), runningAt(0)},
		{"that failed", stop(worked(), generation("g2"), status(loop.Errored)), runningAt(0)},
		{"of the user", stop(worked(), generation("g2"), status(loop.Aborted)), stoppedAt(0)},
		{"with the result of another verification", stop(worked(marker), generation("g2"),
			func(e *loop.Event) { e.Verified = loop.Verification{ID: "other", Passed: true} }), runningAt(0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, verifies)
			c.do(stop(worked(marker), generation("g1")))
			was := c.l.Verifying.ID
			if got := c.outcome(c.do(tt.e)); got != tt.want {
				t.Fatalf("got %+v, want %+v", got, tt.want)
			}
			if c.l.Verifying.ID != was && tt.want == runningAt(0) {
				t.Errorf("the verification %s gave way to %s", was, c.l.Verifying.ID)
			}
		})
	}
}

// Nothing is run for a loop that is over. What needs no run is judged.
func TestALatePromiseRunsNothing(t *testing.T) {
	counted := func(c loop.TaskCount) func(*loop.State) {
		return func(l *loop.State) { l.Tasks, l.TaskCount = "TODO.md", &c }
	}
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		want   loop.Status
	}{
		{"a command", verifies, loop.MaxIterations},
		{"a review", func(l *loop.State) { l.Review = "codex" }, loop.MaxIterations},
		{"tasks that were done at the last stop", counted(loop.TaskCount{Done: 2, Total: 2}), loop.PromiseAccepted},
		{"open tasks", counted(loop.TaskCount{Done: 1, Total: 2}), loop.MaxIterations},
		{"tasks that are gone", counted(loop.TaskCount{Done: 1, Total: 1, Began: 2}), loop.MaxIterations},
		{"a list that cannot be read", counted(loop.TaskCount{Error: "it does not exist"}), loop.MaxIterations},
		{"gates that nobody knows", func(l *loop.State) { l.HasRecord = true }, loop.MaxIterations},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, atMost(1), tt.change)
			c.do(stop(worked(), waited, generation("g")))
			late := loop.Event{Kind: loop.EventLateText, Generation: "g", Turn: talked(marker)}
			a, want := c.do(late), "promised late, not checked"
			if tt.want == loop.PromiseAccepted {
				want = ""
			}
			if h := c.l.History[0]; c.l.Status != tt.want || h.Refused != want || a.Kind != loop.Rest || c.l.Verifying.ID != "" {
				t.Errorf("got %s, %+v, %+v", c.l.Status, h, a)
			}
			if c.do(late); c.l.Status != tt.want {
				t.Errorf("reported twice: got %s", c.l.Status)
			}
		})
	}
}

// Whoever asked is gone: the editor was closed, or the user lost patience.
func TestAVerificationIsGivenUp(t *testing.T) {
	said := stop(worked(marker))
	for _, tt := range []struct {
		name string
		idle bool
		id   string // other than the one that is under way
		want loop.Status
		open bool
	}{
		{"by a stop hook", true, "", loop.Waiting, false},
		{"by a user", false, "", loop.Running, false},
		{"another one", true, "other", loop.Running, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, verifies)
			c.do(said)
			id := tt.id
			if id == "" {
				id = c.l.Verifying.ID
			}
			c.do(loop.Event{Kind: loop.EventVerified, Continue: loop.Continue{Idle: tt.idle}, Answers: loop.Answers{Verified: loop.Verification{ID: id}}})
			if c.l.Status != tt.want || (c.l.Verifying.ID != "") != tt.open || c.l.Idle != (tt.want == loop.Waiting) {
				t.Errorf("got %s, verifying %+v, rested %t", c.l.Status, c.l.Verifying, c.l.Idle)
			}
			if a := c.do(stop(worked(working))); !tt.open && a.Kind == loop.Rest {
				t.Errorf("the next stop: got %+v", a)
			}
		})
	}
}

// What the user does while the promise of a continue is verified wins, whoever saw the line.
func TestWhatComesWhileAContinueVerifies(t *testing.T) {
	call := goOn(worked(marker))
	line := lineIn("c1", false)
	line.Turn = worked(marker)
	for _, tt := range []struct {
		name   string
		before []loop.Event // the verification
		act    loop.EventKind
		want   outcome
	}{
		{"a pause, where no hook saw the line", nil, loop.EventPause, outcome{loop.Refuse, loop.Paused, 0}},
		{"a cancel", nil, loop.EventCancel, outcome{loop.Refuse, loop.Cancelled, 0}},
		{"a pause, where a hook saw it", []loop.Event{line}, loop.EventPause, outcome{loop.Refuse, loop.Paused, 0}},
		{"a cancel there", []loop.Event{line}, loop.EventCancel, outcome{loop.Refuse, loop.Cancelled, 0}},
		{"nothing, after a pause that the line took back", []loop.Event{{Kind: loop.EventPause}, line}, "", outcome{loop.Refuse, loop.PromiseAccepted, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, verifies)
			c.all(tt.before...)
			if a := c.do(call); a.Kind != loop.AskVerify {
				t.Fatalf("got %q (%s), want that it is verified", a.Kind, a.Why())
			}
			if tt.act != "" {
				c.do(loop.Event{Kind: tt.act})
			}
			if got := c.outcome(c.verified(call, loop.Verification{Passed: true})); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
