package loop_test

import (
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
