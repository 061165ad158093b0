package view

import (
	"fmt"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Iteration is one iteration as --json prints it; docs/schema/iteration.schema.json
// says what the fields mean.
type Iteration struct {
	Schema int `json:"schema"`
	loop.Iteration
	Words  string       `json:"words"`
	Review *loop.Review `json:"review,omitempty"`

	// In place of those of loop.Iteration: absent where they are not known.
	StartedAt    time.Time     `json:"started_at,omitzero"`
	EndedAt      time.Time     `json:"ended_at,omitzero"`
	Promise      string        `json:"promise,omitempty"`
	Action       string        `json:"action,omitempty"`
	Verification *Verification `json:"verification,omitempty"`
	Injections   []Injection   `json:"injections,omitempty"`
}

// Verification is the gate round that a promise had to pass; all but Passed and Gate is
// of the command.
type Verification struct {
	Passed  bool      `json:"passed"`
	Gate    loop.Gate `json:"gate,omitempty"` // which refused
	Exit    *int      `json:"exit,omitempty"`
	Why     string    `json:"why,omitempty"`
	Output  string    `json:"output,omitempty"` // the end of it, where it refused
	Seconds float64   `json:"duration_seconds"`
}

// Injection is a continue line that was sent after an iteration, and what became
// of it. The names are those of the records of loops.
type Injection struct {
	Outcome      string    `json:"outcome"`
	Method       string    `json:"method,omitempty"`
	ByHand       bool      `json:"by_hand,omitempty"`
	OpenedAt     time.Time `json:"opened_at,omitzero"`
	Milliseconds int64     `json:"milliseconds,omitempty"`
	Tries        []string  `json:"tries,omitempty"`
}

// Iterations returns a history as it is shown, never nil.
func Iterations(all []loop.Iteration) []Iteration {
	shown := []Iteration{}
	for _, h := range all {
		i := Iteration{Schema: Schema, Iteration: h, StartedAt: h.StartedAt.UTC(), EndedAt: h.EndedAt.UTC(), Promise: h.Promise, Action: h.Action}
		i.Progress = "" // what only the decision needs
		i.Number, i.Checkpoint, i.Seconds = max(0, h.Number), max(0, h.Checkpoint), max(0, h.Seconds)
		i.Tokens = tokensOf(h.Tokens)
		if v := h.Verified; v != nil {
			i.Verification = &Verification{Passed: v.Passed, Gate: v.Gate, Why: v.Why, Output: v.Output, Seconds: max(0, v.Seconds)}
			if v.Why == "" && v.Ran() {
				i.Verification.Exit = &v.Exit
			}
			i.Review = reviewOf(v.Review)
		}
		for _, n := range h.Lines {
			i.Injections = append(i.Injections, injectionOf(n))
		}
		i.Words = i.describe()
		shown = append(shown, i)
	}
	return shown
}

func reviewOf(r *loop.Review) *loop.Review {
	if r == nil {
		return nil
	}
	shown := *r
	shown.Seconds = max(0, r.Seconds)
	if r.Verdict != loop.ReviewClear && r.Verdict != loop.ReviewFound {
		shown.Verdict = loop.ReviewFailed // a file that somebody edited may say anything
	}
	return &shown
}

// DescribeReview says in a line how a review went; nothing where there was none.
func DescribeReview(v *loop.Verification) string {
	if v == nil || v.Review == nil {
		return ""
	}
	r := v.Review
	words := string(r.Verdict)
	switch r.Verdict {
	case loop.ReviewFound:
		words = text.Count(len(r.Findings), "problem")
	case loop.ReviewFailed:
		words = "no answer: " + r.Why
	}
	words = fmt.Sprintf("%s, by %s after %.1f s", words, r.Agent, max(0, r.Seconds))
	return words
}

func injectionOf(n loop.Delivery) Injection {
	outcome := n.Outcome
	if outcome == loop.Open {
		outcome = "unknown"
	}
	return Injection{string(outcome), n.Method, n.Asked, n.OpenedAt.UTC(), max(0, n.Milliseconds), n.Tries}
}
