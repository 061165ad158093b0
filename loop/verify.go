package loop

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Verifying is a promise whose verification has begun. While its command runs the
// loop's lock is free, so anything may happen to the loop.
type Verifying struct {
	ID      string    `json:"id"`
	Since   time.Time `json:"since"`
	Late    bool      `json:"late,omitempty"`    // of words that came after a limit had ended the loop
	Warning string    `json:"warning,omitempty"` // with which a passing one is accepted
}

// Verification is how the command of --verify went.
type Verification struct {
	ID      string   `json:"id,omitempty"` // of the Verifying that it answers
	Passed  bool     `json:"passed"`
	Exit    int      `json:"exit"`              // -1 where it has none
	Why     string   `json:"why,omitempty"`     // it has no exit code; empty if it ended by itself
	Output  string   `json:"output,omitempty"`  // the end of it
	Seconds float64  `json:"seconds"`           // how long it took
	Changed []string `json:"changed,omitempty"` // files that it obviously runs, and that are not as they were when the loop began
}

// Result is whether it passed, for the log.
func (v Verification) Result() Reason {
	if v.Passed {
		return ReasonPassed
	}
	return ReasonFailed
}

// verifyGrace is how much longer than its time limit a verification may be seen
// as under way: until it is killed and its result is decided on.
const verifyGrace = 30 * time.Second

// IsVerifying reports whether a promise of the loop is being verified.
func (s *State) IsVerifying(now time.Time) bool {
	v := s.Verifying
	return v.ID != "" && now.Sub(v.Since).Abs() < s.VerifyLimit()+verifyGrace
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

// VerifyLimit is how long the verification may take.
func (s *State) VerifyLimit() time.Duration {
	if s.VerifyTimeout <= 0 {
		return defaultVerifyTimeout
	}
	return time.Duration(s.VerifyTimeout)
}

// VerifyRoom is how long a verification may take in a stop hook with this timeout.
func VerifyRoom(timeout time.Duration) time.Duration {
	return max(timeout-time.Minute, timeout/2)
}

// withVerification puts the result of the verification, or the wish for one, into a
// verdict that would accept the promise without it.
func (s *State) withVerification(v verdict, e *Event) verdict {
	if v.accepted {
		v.warning = joined(v.warning, s.VerifyChanged())
	}
	return s.checkVerification(v, e)
}

func (s *State) checkVerification(v verdict, e *Event) verdict {
	switch {
	case s.Verify == "" || !v.accepted:
		return v
	case e.Verified.ID == "":
		v.accepted, v.asks = false, true
		return v
	}
	v.check = e.Verified
	if !e.Verified.Passed {
		return verdict{found: true, refused: s.failure(e.Verified), check: e.Verified}
	}
	if len(e.Verified.Changed) > 0 {
		changed := strings.Join(e.Verified.Changed, ", ") + " changed since the loop began, and the verification runs it"
		v.warning = joined(v.warning, changed)
	}
	return v
}

func joined(warning, another string) string { return strings.Trim(warning+"; "+another, "; ") }

// VerifyChanged says in words that the verification was taken out of the state
// file, or changed there; empty if it was not. The file is the user's too, so the
// promise still counts, but never in silence: an agent can edit it as well.
func (s *State) VerifyChanged() string {
	was := "`" + text.FirstHead(s.VerifyWas, keptErrors) + "`"
	switch s.VerifyWas {
	case "", s.Verify:
		return ""
	}
	if s.Verify == "" {
		return "the verification " + was + " was taken out of the state file"
	}
	return "the verification " + was + " was changed to `" + text.FirstHead(s.Verify, keptErrors) + "` in the state file"
}

// noteVerifyChange records that the verification differs from that of the loop's
// record, and says so to the agent.
func (s *State) noteVerifyChange(e *Event) {
	if e.VerifyWas == "" || s.VerifyWas != "" {
		return
	}
	s.VerifyWas = e.VerifyWas
	s.Notices = addOnce(s.Notices, "While this loop ran, "+s.VerifyChanged()+". The user is shown this.")
}

// failure says in words why a verification did not pass.
func (s *State) failure(v Verification) string {
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
	v.Output = ""
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

// Summary is the outcome in a few words, for the log.
func (v Verification) Summary() string {
	if v.Why != "" {
		return v.Why
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

func (s *State) isEndedByLimit() bool { return s.Status == MaxIterations || s.Status == MaxDuration }

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
