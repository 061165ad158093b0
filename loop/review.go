package loop

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// reviewRounds is how often a reviewer may refuse a promise before the loop pauses.
const reviewRounds = 3

// With adds a review to how the gates before it went.
func (v Verification) With(r Review) Verification {
	v.Review = &r
	if r.Verdict == ReviewClear {
		return v
	}
	v.Passed, v.Gate = false, GateReview
	v.Refusal = fmt.Sprintf("the review by %s found %s", r.Agent, text.Count(len(r.Findings), "problem"))
	if r.Verdict != ReviewFound {
		v.Refusal = fmt.Sprintf("the review by %s failed: %s", r.Agent, r.Why)
	}
	return v
}

// foundByReview reports whether the reviewer refused the promise.
func (v Verification) foundByReview() bool {
	return !v.Passed && v.Review != nil && v.Review.Verdict == ReviewFound
}

// countReview counts a refusal by the reviewer.
func (s *State) countReview(v Verification) {
	if v.foundByReview() {
		s.Reviews++
	}
}

// summary is the outcome for the log.
func (r *Review) summary() string {
	words := fmt.Sprintf("%s, by %s after %.1f s", r.Verdict, r.Agent, r.Seconds)
	if more := cmp.Or(r.Why, strings.Join(r.Findings, " | ")); more != "" {
		words += ": " + text.Head(more, loggedFindings)
	}
	return words
}

const loggedFindings = 1000 // bytes

// What the history keeps of a review.
const (
	keptFindings = 10
	keptFinding  = 300 // bytes
)

// short is what the history keeps, nil where nothing was reviewed.
func (r *Review) short() *Review {
	if r == nil {
		return nil
	}
	kept := *r
	kept.Findings = nil
	for i, f := range r.Findings {
		if i == keptFindings {
			kept.Findings = append(kept.Findings, fmt.Sprintf("and %d more", len(r.Findings)-keptFindings))
			break
		}
		kept.Findings = append(kept.Findings, text.Head(f, keptFinding))
	}
	return &kept
}
