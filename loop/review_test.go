package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func reviews(l *loop.State) { l.Review = "codex" }

func reviewFound(words ...string) loop.Verification {
	return loop.Verification{Passed: true, Output: "ok\n", Seconds: 1}.With(loop.Review{Agent: "codex", Verdict: loop.ReviewFound, Findings: words})
}

func reviewFailed() loop.Verification {
	return loop.Verification{Passed: true}.With(loop.Review{Agent: "codex", Verdict: loop.ReviewFailed, Why: "not logged in"})
}

func reviewClear() loop.Verification {
	return loop.Verification{Passed: true}.With(loop.Review{Agent: "codex", Verdict: loop.ReviewClear})
}

func TestAPromiseIsReviewed(t *testing.T) {
	said := stop(worked(marker))
	for _, tt := range []struct {
		name    string
		result  loop.Verification
		want    outcome
		promise string
		text    string
	}{
		{"clear accepts it", reviewClear(), accepted(1), "accepted", ""},
		{"findings refuse it, word for word", reviewFound("a.go:3: It divides by zero.", "b.go: ```\nunfinished"), goesOn(1), "refused: the review by codex found 2 problems",
			"Your promise was refused: the review by codex found 2 problems:\n````\n- a.go:3: It divides by zero.\n- b.go: ```\nunfinished\n````\n"},
		{"no answer pauses, and counts no iteration", reviewFailed(), outcome{loop.Rest, loop.Paused, 0}, "", ""},
		{"an unknown verdict is no answer", loop.Verification{Passed: true}.With(loop.Review{Agent: "codex", Verdict: "fine"}), outcome{loop.Rest, loop.Paused, 0}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, reviews)
			if a := c.do(said); a.Kind != loop.AskVerify {
				t.Fatalf("got %+v", a)
			}
			a := c.verified(said, tt.result)
			if got := c.outcome(a); got != tt.want || a.Promise != tt.promise || !strings.Contains(a.Text, tt.text) {
				t.Errorf("got %+v, promise %q, %q; want %+v, %q, %q", got, a.Promise, a.Text, tt.want, tt.promise, tt.text)
			}
			if strings.Contains(a.Text, "The end of its output") {
				t.Errorf("the output of the verification that passed is in %q", a.Text)
			}
			if c.l.Verifying.ID != "" {
				t.Errorf("still verifying: %+v", c.l.Verifying)
			}
		})
	}
}

// A result of a cursor-ralph that is older than the gate, or of a round that began before
// the gate came into the loop's file, does not stand for it.
func TestAGateThatWasNotChecked(t *testing.T) {
	done := &loop.TaskCount{Done: 2, Total: 2}
	ran := loop.Verification{Passed: true, Seconds: 1}
	listed := loop.Verification{Passed: true, Tasks: done}
	for _, tt := range []struct {
		name  string
		rules []func(*loop.State)
		got   loop.Verification
		want  string
	}{
		{"the review", []func(*loop.State){verifies, reviews}, ran, "review"},
		{"the review of a loop without a command", []func(*loop.State){reviews}, ran, "review"},
		{"the tasks", []func(*loop.State){verifies, hasTasks}, ran, "tasks"},
		{"the command", []func(*loop.State){verifies, hasTasks}, listed, "verify"},
		{"all were", []func(*loop.State){verifies, hasTasks, reviews}, loop.Verification{Passed: true, Seconds: 1, Tasks: done}.With(loop.Review{Verdict: loop.ReviewClear}), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.rules...)
			said := stop(worked(marker))
			c.do(said)
			a := c.verified(said, tt.got)
			want := ""
			if tt.want != "" {
				want = "was refused: its --" + tt.want + " was not checked"
			}
			if (c.l.Status == loop.PromiseAccepted) != (tt.want == "") || !strings.Contains(a.Text, want) {
				t.Errorf("got %s, %q; want %q", c.l.Status, a.Text, want)
			}
		})
	}
}

// A review without an answer loses nothing: a continue reviews the same promise.
func TestAFailedReviewIsMadeAgain(t *testing.T) {
	said := stop(worked(marker))
	c := newChat(t, reviews)
	c.do(said)
	a := c.verified(said, reviewFailed())
	if c.l.PauseReason != "error" || c.l.Reason != "the review by codex failed: not logged in" || a.Why() != c.l.Reason || !a.Reason.Pauses() || !c.l.Rested {
		t.Fatalf("got %q, %q, %+v, rested %t", c.l.PauseReason, c.l.Reason, a, c.l.Rested)
	}
	if len(c.l.History) != 0 || c.l.ToolCalls != 0 {
		t.Errorf("the turn was counted: %+v", c.l.History)
	}
	again := loop.Event{Kind: loop.EventContinue, Turn: said.Turn}
	if a := c.decides(again); a.Kind != loop.AskVerify {
		t.Fatalf("continue: got %+v, want the review", a)
	}
	a = c.verified(again, reviewFailed())
	if a.Kind != loop.Refuse || c.l.Status != loop.Paused || c.l.PauseReason != "error" || !strings.HasSuffix(a.Hint, "when codex can answer: cursor-ralph continue k7f2m") {
		t.Errorf("continue that fails again: got %+v, %s", a, c.l.Status)
	}
	c.decides(again)
	if a := c.verified(again, reviewClear()); c.l.Status != loop.PromiseAccepted {
		t.Errorf("continue: got %+v, %s", a, c.l.Status)
	}
}

func TestReviewRounds(t *testing.T) {
	c := newChat(t, reviews, func(l *loop.State) { l.ReviewRounds = 2 })
	refuse := func(n int) loop.Action {
		said := stop(worked(marker))
		said.Generation = fmt.Sprint("g", n)
		c.do(said)
		return c.verified(said, reviewFound("a.go: wrong"))
	}
	if a := refuse(1); a.Kind != loop.Followup || c.l.Reviews != 1 {
		t.Fatalf("round 1: got %+v, %d", a, c.l.Reviews)
	}
	a := refuse(2)
	if c.l.Status != loop.Paused || c.l.PauseReason != "review" || c.l.Reason != "the reviewer refused the promise 2 times" || !a.Reason.Pauses() {
		t.Fatalf("round 2: got %+v, %s, %s", a, c.l.PauseReason, c.l.Reason)
	}
	if h := c.l.History; len(h) != 2 || h[1].Action != "pause" || h[1].Verified.Review.Findings[0] != "a.go: wrong" {
		t.Errorf("got the history %+v", h)
	}
	a = c.decides(loop.Event{Kind: loop.EventContinue})
	if c.l.Reviews != 0 || c.l.Status != loop.Running || !strings.Contains(a.Text, "- a.go: wrong") {
		t.Errorf("continue: got %d, %s, %q; want a new count, and the findings", c.l.Reviews, c.l.Status, a.Text)
	}
}

func TestSummaryOfAReview(t *testing.T) {
	for _, tt := range []struct {
		review loop.Review
		want   string
	}{
		{loop.Review{Agent: "codex", Verdict: loop.ReviewClear, Seconds: 2.25, Tokens: loop.TokensOf(1000, 200, 0, 0)}, "clear, by codex after 2.2 s and 1200 tokens"},
		{loop.Review{Agent: "codex", Verdict: loop.ReviewFound, Findings: []string{"a.go:3: one", "two"}}, "findings, by codex after 0.0 s: a.go:3: one | two"},
		{loop.Review{Agent: "codex", Verdict: loop.ReviewFailed, Why: "not logged in"}, "error, by codex after 0.0 s: not logged in"},
	} {
		if got := (loop.Verification{Passed: true}).With(tt.review).Summary(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// The history keeps a part of what a reviewer says at length.
func TestTheHistoryKeepsAPartOfTheFindings(t *testing.T) {
	c := newChat(t, reviews)
	var long []string
	for range 50 {
		long = append(long, strings.Repeat("x", 1000))
	}
	said := stop(worked(marker))
	c.do(said)
	a := c.verified(said, reviewFound(long...))
	if strings.Count(a.Text, long[0]) != 50 {
		t.Errorf("the agent got %d findings", strings.Count(a.Text, long[0]))
	}
	kept := c.l.History[0].Verified.Review.Findings
	if len(kept) != 11 || len(kept[0]) > 310 || kept[10] != "and 40 more" {
		t.Errorf("the history has %q", kept)
	}
}

func TestALoopThatEndedDuringItsVerificationSaysHowToGoOn(t *testing.T) {
	for driver, want := range map[string]string{"": "to continue: cursor-ralph continue k7f2m", "print": "to continue: cursor-ralph run --resume k7f2m"} {
		c := newChat(t, func(l *loop.State) { l.Run.Driver = driver })
		c.do(loop.Event{Kind: loop.EventCancel})
		a := c.do(loop.Event{Kind: loop.EventContinue, Answers: loop.Answers{Verified: loop.Verification{ID: "v", Passed: true}}})
		if a.Kind != loop.Refuse || a.Why() != "the loop ended while its promise was verified (CANCELLED)" || a.Hint != want {
			t.Errorf("driver %q: got %+v, want %s", driver, a, want)
		}
	}
}
