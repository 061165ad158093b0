package loop

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Verifying is a promise whose verification was asked for. While its command
// runs the loop's lock is free, so anything may happen to the loop meanwhile.
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

// verifyGrace is how much longer than its time limit a verification may be seen
// as under way: until it is killed and its result is decided on.
const verifyGrace = 30 * time.Second

// Open tells whether the verification of a loop is under way.
func (v Verifying) Open(s State, now time.Time) bool {
	return v.ID != "" && now.Sub(v.Since).Abs() < s.VerifyLimit()+verifyGrace
}

// VerifyLimit is how long the verification may take.
func (s State) VerifyLimit() time.Duration {
	if s.VerifyTimeout <= 0 {
		return DefaultVerifyTimeout
	}
	return time.Duration(s.VerifyTimeout)
}

// VerifyRoom is how long a verification may take in a stop hook to which Cursor
// gives this much time.
func VerifyRoom(timeout time.Duration) time.Duration {
	return max(timeout-time.Minute, timeout/2)
}

// verified puts the result of the verification, or the wish for one, into a
// verdict that would accept the promise without it.
func (s State) verified(v verdict, e Event) verdict {
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
		v.warning = strings.TrimPrefix(v.warning+"; "+changed, "; ")
	}
	return v
}

// failure says in words why a verification did not pass.
func (s State) failure(v Verification) string {
	command := "`" + clip(s.Verify, keptErrors) + "`"
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

// asksVerify begins a verification.
func (s State) asksVerify(now time.Time, late bool) State {
	s.Verifying = Verifying{ID: strconv.FormatInt(now.UnixNano(), 36), Since: now, Late: late}
	return s
}

// lateVerified takes in the verification of a promise that came after a limit
// had ended the loop.
func (s State) lateVerified(e Event, now time.Time) (State, Action) {
	if !s.Verifying.Late || s.Verifying.ID != e.Verified.ID || e.Verified.ID == "" || !s.byLimit() {
		return s, Action{}
	}
	v := s.verified(verdict{found: true, accepted: true, warning: s.Verifying.Warning}, e)
	s.Verifying = Verifying{}
	return s.lateVerdict(v, now)
}

// fenced is text between two lines that cannot be in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// unverified takes in that nobody waits for the result of a verification any
// more. Where that was a stop hook the agent is idle, and only a typed line
// brings it back.
func (s State) unverified(e Event) State {
	if e.Verified.ID == "" || s.Verifying.ID != e.Verified.ID {
		return s
	}
	s.Verifying = Verifying{}
	if e.Idle && s.Status == Running {
		s.Status, s.Rested, s.Reason = Waiting, true, "the stop hook was ended while a promise was verified; type the continue line"
		if s.Outer() {
			s.Reason = "the run was ended while a promise was verified"
		}
	}
	return s
}
