package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Verifying is a promise whose gate round has begun. While it runs the loop's lock is
// free, so anything may happen to the loop.
type Verifying struct {
	ID      string    `json:"id"`
	Since   time.Time `json:"since"`
	Late    bool      `json:"late,omitempty"`    // of words that came after a limit had ended the loop
	Warning string    `json:"warning,omitempty"` // with which a passing one is accepted
}

// Verification is how the gates of a promise went: the tasks, the command of --verify
// and the review. Exit, Why, Output and Seconds are of the command.
type Verification struct {
	ID      string   `json:"id,omitempty"` // of the Verifying that it answers
	Passed  bool     `json:"passed"`
	Exit    int      `json:"exit"`              // -1 where it has none
	Why     string   `json:"why,omitempty"`     // it has no exit code; empty if it ended by itself
	Output  string   `json:"output,omitempty"`  // the end of it
	Seconds float64  `json:"seconds"`           // how long it took
	Changed []string `json:"changed,omitempty"` // files that it obviously runs, and that are not as they were when the loop began

	Gate    Gate       `json:"gate,omitempty"`    // which refused; empty where none did, and in older files
	Refusal string     `json:"refusal,omitempty"` // why, in words for the agent
	Tasks   *TaskCount `json:"tasks,omitempty"`
	Review  *Review    `json:"review,omitempty"`
}

// Result is whether it passed, for the log.
func (v Verification) Result() Reason {
	if v.Passed {
		return ReasonPassed
	}
	return ReasonFailed
}

// verifyGrace is how much longer than its time limit a gate round may be seen
// as under way: until it is killed and its result is decided on.
const verifyGrace = 30 * time.Second

// IsVerifying reports whether a promise of the loop is being verified.
func (s *State) IsVerifying(now time.Time) bool {
	v := s.Verifying
	return v.ID != "" && now.Sub(v.Since).Abs() < s.RoundLimit()+verifyGrace
}

// verifierStart is how long it may take from the wish for a verification until
// the process that runs it holds its lock.
const verifierStart = 5 * time.Second

// awaitsVerifier reports whether a verification is under way whose result will
// come: its processes were not killed.
func (s *State) awaitsVerifier(e *Event, now time.Time) bool {
	dead := e.NoVerifier && now.Sub(s.Verifying.Since).Abs() >= verifierStart
	return s.IsVerifying(now) && !dead
}

// withVerification puts the result of the gate round, or the wish for one, into a
// verdict that would accept the promise without it.
func (s *State) withVerification(v verdict, e *Event) verdict {
	if v.accepted {
		v.warning = joined(v.warning, s.VerifyChanged())
	}
	return s.checkVerification(v, e)
}

func (s *State) checkVerification(v verdict, e *Event) verdict {
	switch {
	case !s.IsGated() || !v.accepted:
		return v
	case e.Verified.ID == "":
		v.accepted, v.asks = false, true
		return v
	}
	s.refuseUnchecked(&e.Verified)
	v.check = e.Verified
	s.takeTasks(e.Verified.Tasks)
	if !e.Verified.Passed {
		return verdict{found: true, refused: s.failure(e.Verified), check: e.Verified}
	}
	if len(e.Verified.Changed) > 0 {
		changed := strings.Join(e.Verified.Changed, ", ") + " changed since the loop began, and the verification runs it"
		v.warning = joined(v.warning, changed)
	}
	return v
}

// refuseUnchecked refuses a promise if a gate of the loop is missing from the round: an
// older cursor-ralph beside the hook does not know it, or it came into the loop's file
// while the round ran.
func (s *State) refuseUnchecked(v *Verification) {
	missing := Gate("")
	switch {
	case !v.Passed:
	case s.Tasks != "" && v.Tasks == nil:
		missing = GateTasks
	case s.Verify != "" && !v.Ran():
		missing, v.Why = GateVerify, "it was not run"
	case s.Review != "" && (v.Review == nil || v.Review.Verdict != ReviewClear):
		missing = GateReview
	}
	if missing != "" {
		v.Passed, v.Gate = false, missing
		v.Refusal = "its --" + string(missing) + " was not checked: the loop's file changed meanwhile, or the installed cursor-ralph is older than its hook. Give the promise again; if that is refused too, tell the user"
	}
}

//go:noinline
func joined(warning, another string) string { return strings.Trim(warning+"; "+another, "; ") }

// VerifyChanged says in words that a gate was taken out of the state file, or changed
// there; empty if none was. The file is the user's too, so the promise still counts, but
// never in silence: an agent can edit it as well.
func (s *State) VerifyChanged() string {
	was, words := "`"+text.FirstHead(s.VerifyWas, keptErrors)+"`", ""
	switch s.VerifyWas {
	case "", s.Verify:
	default:
		words = "the verification " + was + " was taken out of the state file"
		if s.Verify != "" {
			words = "the verification " + was + " was changed to `" + text.FirstHead(s.Verify, keptErrors) + "` in the state file"
		}
	}
	return joined(words, s.GatesWere)
}

// GatesWere says in words which gates beside the verification a loop had that are not in
// its file any more, or are others; empty for none.
func GatesWere(was, now State) (words string) {
	gone := func(what string) { words = joined(words, what+" taken out of the state file, or changed there") }
	if was.Tasks != "" && was.Tasks != now.Tasks {
		gone("the task list " + was.Tasks + " was")
	}
	if was.Baseline != nil && !slices.Equal(was.Baseline, now.Baseline) {
		gone("the tasks with which the loop began were")
	}
	if was.Review != "" && was.Review != now.Review {
		gone("the review by " + was.Review + " was")
	}
	if was.GatesWere != now.GatesWere {
		words = joined(was.GatesWere, words)
	}
	return words
}

// VerifyWas returns the verification of a loop that its file does not have any more;
// empty for none.
func VerifyWas(was, now State) string {
	switch {
	case was.Verify != now.Verify:
		return cmp.Or(was.VerifyWas, was.Verify)
	case was.VerifyWas != now.VerifyWas:
		return was.VerifyWas
	}
	return ""
}

// hasOtherGates reports whether the gates in the loop's file are not those of its record.
func (e *Event) hasOtherGates() bool { return e.VerifyWas != "" || e.GatesWere != "" }

// noteVerifyChange records that the gates differ from those of the loop's record, and
// says so to the agent.
func (s *State) noteVerifyChange(e *Event) {
	before := s.VerifyChanged()
	s.VerifyWas = cmp.Or(s.VerifyWas, e.VerifyWas)
	if !strings.Contains(s.GatesWere, e.GatesWere) {
		s.GatesWere = joined(s.GatesWere, e.GatesWere)
	}
	if now := s.VerifyChanged(); now != before {
		s.Notices = addOnce(s.Notices, "While this loop ran, "+now+". The user is shown this.")
	}
}

// failure says in words why a gate refused the promise.
func (s *State) failure(v Verification) string {
	if v.Refusal != "" {
		return v.Refusal
	}
	command := "`" + text.FirstHead(s.Verify, keptErrors) + "`"
	if v.Why != "" {
		return "the verification " + command + " did not succeed: " + v.Why
	}
	return fmt.Sprintf("%s failed with exit %d", command, v.Exit)
}

// short is what the history keeps, nil where nothing was verified.
func (v Verification) short() *Verification {
	if v.ID == "" {
		return nil
	}
	v.Output, v.Refusal, v.Tasks, v.Review = "", "", v.Tasks.short(), v.Review.short()
	return &v
}

// beginVerifying begins a verification.
func (s *State) beginVerifying(now time.Time, late bool) {
	s.Verifying = Verifying{ID: strconv.FormatInt(now.UnixNano(), 36), Since: now, Late: late}
}

// onLateVerified takes in the verification of a promise that came after a limit
// had ended the loop.
func (s *State) onLateVerified(e *Event, now time.Time) Action {
	if !s.Verifying.Late || s.Verifying.ID != e.Verified.ID || e.Verified.ID == "" || !s.isEndedByLimit() {
		return Action{}
	}
	v := s.checkVerification(verdict{found: true, accepted: true, warning: s.Verifying.Warning}, e)
	s.Verifying = Verifying{}
	return s.applyLateVerdict(v, now)
}

// fenced is text between two lines that cannot be in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// onVerifyAbandoned records that nobody waits for the result of a verification. If
// that was a stop hook the agent is idle, and only a typed line brings it back.
func (s *State) onVerifyAbandoned(e *Event) {
	if e.Verified.ID == "" || s.Verifying.ID != e.Verified.ID {
		return
	}
	s.Verifying = Verifying{}
	s.Rested = s.Rested || e.Idle
	if e.Idle && s.Status == Running {
		s.Status, s.Reason = Waiting, "the stop hook was ended while a promise was verified; type the continue line"
		if s.Outer() {
			s.Reason = "the run was ended while a promise was verified"
		}
	}
}

// Ran reports whether the command of --verify was run.
func (v Verification) Ran() bool {
	return v.Seconds > 0 || v.Gate == GateVerify || v.Gate == "" && v.Tasks == nil && v.Review == nil
}

// Summary is the outcome in a few words, for the log.
func (v Verification) Summary() string {
	switch {
	case v.Review != nil:
		return v.Review.summary()
	case v.Refusal != "":
		return v.Refusal
	case v.Why != "":
		return v.Why
	case v.Passed && !v.Ran():
		return "passed"
	}
	return fmt.Sprintf("exit %d after %.1f s", v.Exit, v.Seconds)
}

// lateWindow is how long after the end of a loop the words of its last turn
// may still come in.
const lateWindow = time.Minute

// AfterEnd is how long after the end of a loop it matters that its conversation
// goes on: EventAfterEnd.
const AfterEnd = lateWindow

// onLateText applies words that were overtaken by the stop of their turn to a
// loop which that stop ended by a limit.
func (s *State) onLateText(e *Event, now time.Time) Action {
	if !s.isEndedByLimit() || s.LastStop.Past || s.LastStop.Generation != e.Generation || now.Sub(s.EndedAt) > lateWindow {
		return Action{}
	}
	e.Verified = Verification{}
	v := s.judge(e, s.Iterations)
	if v.asks && s.IsVerifying(now) {
		return Action{} // our hook may be installed in two places
	}
	if v.asks {
		s.beginVerifying(now, true)
		s.Verifying.Warning = v.warning
		return Action{Kind: AskVerify, Reason: ReasonLateVerifying}
	}
	if !v.accepted {
		return Action{Reason: ReasonLateText, Promise: v.words()}
	}
	return s.applyLateVerdict(v, now)
}

func (s *State) isEndedByLimit() bool {
	return s.Status == MaxIterations || s.Status == MaxDuration || s.Status == MaxTokens
}

// applyLateVerdict writes the verdict on a late promise into the record of its loop.
func (s *State) applyLateVerdict(v verdict, now time.Time) Action {
	if n := len(s.History); n > 0 {
		last := &s.History[n-1]
		last.Promise, last.Refused, last.Warning, last.Verified = v.name(), v.refused, v.warning, v.check.short()
	}
	s.EventAt = now
	if !v.accepted {
		return Action{Reason: ReasonLateRefused, Promise: v.words()}
	}
	s.end(PromiseAccepted, "promise "+v.words(), now)
	return Action{Reason: ReasonLatePromise, Promise: v.words()}
}
