package loop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
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
		{"what it runs was changed", loop.Verification{Passed: true, Changed: []string{"/w/check.sh"}}, accepted(1),
			"accepted with a warning: /w/check.sh changed since the loop began", nil},
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
			if c.l.Verifying.ID != "" || last.Verified == nil || last.Verified.Passed != tt.result.Passed || last.Verified.Output != "" {
				t.Errorf("got verifying %+v, record %+v", c.l.Verifying, last.Verified)
			}
		})
	}
}

// While the command runs the loop's lock is free.
func TestWhatHappensWhileAPromiseIsVerified(t *testing.T) {
	said := stop(worked(marker))
	for _, tt := range []struct {
		name      string
		meanwhile func(*chat)
		want      outcome
	}{
		{"nothing", func(*chat) {}, accepted(1)},
		{"the user asks for a stop", func(c *chat) { c.l.Stop = true }, stoppedAt(0)},
		{"the user cancels", func(c *chat) { c.do(loop.Event{Kind: loop.EventCancel}) }, outcome{loop.Rest, loop.Cancelled, 0}},
		{"the user pauses", func(c *chat) { c.do(loop.Event{Kind: loop.EventPause}) }, pausedAt(0)},
		{"the agent gives up", func(c *chat) { c.do(loop.Event{Kind: loop.EventBlocked, Text: "why"}) }, outcome{loop.Rest, loop.Blocked, 0}},
		{"another verification was begun", func(c *chat) { c.l.Verifying.ID = "other" }, outcome{loop.Rest, loop.Running, 0}},
	} {
		for gate, gated := range map[string]func(*loop.State){"verify": verifies, "tasks": hasTasks} {
			t.Run(tt.name+", "+gate, func(t *testing.T) {
				c := newChat(t, gated)
				c.do(said)
				e := said
				e.Generation, e.Verified = c.l.LastStop.Generation, loop.Verification{ID: c.l.Verifying.ID, Passed: true}
				if gate == "tasks" {
					e.Verified.Tasks = &loop.TaskCount{Done: 2, Total: 2}
				}
				e.Began = c.l.LastStop.At
				tt.meanwhile(c)
				if c.l.Status.Ended() && c.l.IsVerifying(c.now) {
					t.Error("it ended, and its promise is still being verified")
				}
				if got := c.outcome(c.do(e)); got != tt.want {
					t.Errorf("got %+v want %+v", got, tt.want)
				}
			})
		}
	}
}

func TestContextThatComesWhileAPromiseIsVerifiedIsDelivered(t *testing.T) {
	c := newChat(t, verifies)
	said := stop(worked(marker))
	c.all(said, loop.Event{Kind: loop.EventContext, Text: "Mind the gap."})
	if a := c.verified(said, loop.Verification{Exit: 1}); !strings.Contains(a.Text, "Mind the gap.") || len(c.l.Context) > 0 {
		t.Errorf("got %q, left %q", a.Text, c.l.Context)
	}
}

// Our hook may be installed twice: the second copy must not run it again.
func TestTheSecondReportOfAStopVerifiesNothing(t *testing.T) {
	c := newChat(t, verifies)
	said := stop(worked(marker), generation("g"), func(e *loop.Event) { e.Began = began() })
	c.do(said)
	if a := c.do(said); a.Kind != loop.Rest || c.l.Iterations != 0 || c.l.Verifying.ID == "" {
		t.Errorf("got %+v", a)
	}
	if a := c.verified(said, loop.Verification{Passed: true}); c.l.Status != loop.PromiseAccepted {
		t.Errorf("got %+v", a)
	}
}

// The stop hook was killed with the editor: the next stop finds the promise.
func TestAVerificationThatNeverEndedIsBegunAgain(t *testing.T) {
	c := newChat(t, verifies)
	c.do(stop(worked(marker)))
	c.now = c.now.Add(time.Hour)
	if c.l.IsVerifying(c.now) {
		t.Errorf("it is under way after an hour: %+v", c.l.Verifying)
	}
	was := c.l.Verifying.ID
	if a := c.do(stop(worked(marker))); a.Kind != loop.AskVerify || c.l.Verifying.ID == was {
		t.Errorf("got %+v", a)
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
		{"while nothing verifies any more", stop(worked(marker), generation("g2"),
			func(e *loop.Event) { e.NoVerifier = true }), outcome{loop.AskVerify, loop.Running, 0}},
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

// Its hook was killed with the process that it waited for. Whoever began a
// moment ago may not have its lock yet.
func TestAVerificationWithoutAProcessIsBegunAgain(t *testing.T) {
	for after, want := range map[time.Duration]outcome{
		time.Second: {loop.Refuse, loop.Running, 0}, time.Minute: {loop.AskVerify, loop.Running, 0},
	} {
		c := newChat(t, verifies)
		c.do(stop(worked(marker)))
		c.now = c.l.Verifying.Since.Add(after)
		goOn := loop.Event{Kind: loop.EventContinue, Turn: worked(marker), Answers: loop.Answers{NoVerifier: true}}
		if got := c.outcome(c.do(goOn)); got != want {
			t.Errorf("after %s: got %+v, want %+v", after, got, want)
		}
	}
}

func TestALatePromiseIsVerified(t *testing.T) {
	for passed, want := range map[bool]loop.Status{true: loop.PromiseAccepted, false: loop.MaxIterations} {
		c := newChat(t, verifies, atMost(1))
		c.do(stop(worked(), waited, generation("g")))
		late := loop.Event{Kind: loop.EventLateText, Generation: "g", Turn: talked(marker)}
		if a := c.do(late); a.Kind != loop.AskVerify || c.l.Status != loop.MaxIterations || !c.l.Verifying.Late {
			t.Fatalf("got %+v, %+v", a, c.l.Verifying)
		}
		other := loop.Event{Kind: loop.EventVerified, Answers: loop.Answers{Verified: loop.Verification{ID: "other", Passed: true}}}
		if c.do(other); c.l.Status != loop.MaxIterations {
			t.Fatalf("the result of another verification counted")
		}
		c.verified(loop.Event{Kind: loop.EventVerified}, loop.Verification{Passed: passed, Exit: 1})
		if h := c.l.History[0]; c.l.Status != want || c.l.Verifying.ID != "" || (h.Promise == "accepted") != passed || (h.Refused == "") != passed {
			t.Errorf("passed %t: got %s, %+v", passed, c.l.Status, h)
		}
	}
}

// A wrong promise with a failing verification never ends a loop, an honest one
// with a passing one always does, at once, whatever else happens around them.
func TestVerificationInRandomRuns(t *testing.T) {
	for seed := range uint64(short.Times(100, 1000)) {
		if broken := randomRun(t, rand.New(rand.NewPCG(seed, 1))); broken != "" {
			t.Fatalf("seed %d: %s", seed, broken)
		}
	}
}

func randomRun(t *testing.T, r *rand.Rand) string {
	c := newChat(t, verifies, atMost(40))
	c.quick = true
	around := []loop.Event{
		{Kind: loop.EventContext, Text: "context"}, {Kind: loop.EventNote, Text: marker + " soon"}, {Kind: loop.EventNote, Text: "half"},
		{Kind: loop.EventMessage, Text: "a message"}, {Kind: loop.EventNotice, Text: "notice"}, {Kind: loop.EventConfirm}, {},
	}
	for range 12 {
		for range r.IntN(3) {
			c.do(around[r.IntN(len(around))])
		}
		honest := r.IntN(8) == 0
		said := []string{working, marker, "```\n" + marker + "\n```", "so " + marker + " and on"}[r.IntN(4)]
		if honest {
			said = marker
		}
		e := stop(worked(said), loopCount(r.IntN(3)))
		if c.do(e).Kind != loop.AskVerify {
			if honest {
				return "an honest promise was not verified"
			}
			continue
		}
		for range r.IntN(3) {
			c.do(around[r.IntN(len(around))])
		}
		a := c.verified(e, loop.Verification{Passed: honest, Exit: r.IntN(3), Why: []string{"", "it was killed"}[r.IntN(2)]})
		switch ended := c.l.Status == loop.PromiseAccepted; {
		case ended != honest:
			return fmt.Sprintf("honest %t, and the status is %s (%s)", honest, c.l.Status, a.Why())
		case ended:
			return ""
		}
	}
	if slices.ContainsFunc(c.l.History, func(h loop.Iteration) bool { return h.Promise == "accepted" }) {
		return "a wrong promise was accepted"
	}
	return ""
}

// The user, or a limit, has ended the loop while continue verified its promise.
func TestALoopThatEndedWhileContinueVerifiedStaysEnded(t *testing.T) {
	for _, passed := range []bool{true, false} {
		c := newChat(t, verifies)
		goOn := loop.Event{Kind: loop.EventContinue, Turn: worked(marker)}
		c.do(goOn)
		goOn.Verified = loop.Verification{ID: c.l.Verifying.ID, Passed: passed, Exit: 1}
		c.do(stop(worked(working), status(loop.Aborted)))
		if a := c.do(goOn); a.Kind != loop.Refuse || c.l.Status != loop.UserStopped {
			t.Errorf("passed %t: got %+v, status %s", passed, a, c.l.Status)
		}
	}
}

func TestAVerificationMayTakeLongerThanALoopTakesToBeStale(t *testing.T) {
	c := newChat(t, verifies, func(l *loop.State) { l.StaleAfter = loop.Duration(time.Minute) })
	said := stop(worked(marker))
	c.do(said)
	c.now = c.now.Add(5 * time.Minute)
	if c.verified(said, loop.Verification{Passed: true}); c.l.Status != loop.PromiseAccepted {
		t.Errorf("got %s: %s", c.l.Status, c.l.Reason)
	}
}

func TestNothingIsVerifyingAfterARefusedContinue(t *testing.T) {
	c := newChat(t, verifies, func(l *loop.State) { l.Iterations = 7 })
	goOn := loop.Event{Kind: loop.EventContinue, Turn: worked(marker), Continue: loop.Continue{MaxIterations: 3}}
	c.do(goOn)
	if a := c.verified(goOn, loop.Verification{Exit: 1}); a.Kind != loop.Refuse || c.l.Verifying.ID != "" {
		t.Errorf("got %+v, verifying %+v", a, c.l.Verifying)
	}
}

func TestALateTextThatIsReportedTwiceIsVerifiedOnce(t *testing.T) {
	c := newChat(t, verifies, atMost(1))
	c.do(stop(worked(), waited, generation("g")))
	late := loop.Event{Kind: loop.EventLateText, Generation: "g", Turn: talked(marker)}
	c.do(late)
	was := c.l.Verifying.ID
	if a := c.do(late); a.Kind != loop.Rest || c.l.Verifying.ID != was {
		t.Errorf("got %+v", a)
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
			if c.l.Status != tt.want || (c.l.Verifying.ID != "") != tt.open || c.l.Rested != (tt.want == loop.Waiting) {
				t.Errorf("got %s, verifying %+v, rested %t", c.l.Status, c.l.Verifying, c.l.Rested)
			}
			if a := c.do(stop(worked(working))); !tt.open && a.Kind == loop.Rest {
				t.Errorf("the next stop: got %+v", a)
			}
		})
	}
}

func TestABaselineIsTakenOnce(t *testing.T) {
	confirm := func(content string) loop.Event {
		e := loop.Event{Kind: loop.EventConfirm}
		if content != "" {
			e.VerifyFiles = loop.Contents{"/w/check.sh": content}
		}
		return e
	}
	c := newChat(t, verifies)
	c.all(confirm("as it was"), confirm("changed"), confirm(""))
	if got := c.l.VerifyFiles["/w/check.sh"]; got != "as it was" {
		t.Errorf("got %q", got)
	}
}

func TestTheWarningOfALatePromiseIsKept(t *testing.T) {
	c := newChat(t, verifies, atMost(1), needs(3, "warn"))
	c.do(stop(talked(), waited, generation("g")))
	c.do(loop.Event{Kind: loop.EventLateText, Generation: "g", Turn: talked(marker)})
	c.verified(loop.Event{Kind: loop.EventVerified}, loop.Verification{Passed: true})
	if h := c.l.History[0]; c.l.Status != loop.PromiseAccepted || !strings.Contains(h.Warning, "0 of the 3 tool calls") {
		t.Errorf("got %s, %+v", c.l.Status, h)
	}
}

func TestWhatIsRememberedOfAWorkspaceIsBounded(t *testing.T) {
	c := newChat(t, atMost(1000))
	c.quick = true
	for i := range 300 {
		turn := worked(working)
		turn.Files = []string{fmt.Sprint("/w/", i)}
		c.do(stop(turn, func(e *loop.Event) { e.Tree = loop.Tree{Root: "/w", Print: fmt.Sprint(i)} }))
	}
	if len(c.l.Trees) != 50 || len(c.l.Edited) != 100 || c.l.Edited[99] != "/w/299" || c.l.Trees[49] != "299" {
		t.Errorf("got %d trees and %d files", len(c.l.Trees), len(c.l.Edited))
	}
}
