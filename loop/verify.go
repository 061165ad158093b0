package loop

import (
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Verifying is a promise whose gate round has begun. While it runs the loop's lock is
// free, so anything may happen to the loop.
type Verifying struct {
	ID    string    `json:"id"`
	Since time.Time `json:"since"`
}

// Verification is how the gates of a promise went: the tasks, the command of --verify
// and the review. Exit, Why, Output and Seconds are of the command.
type Verification struct {
	ID      string  `json:"id,omitempty"` // of the Verifying that it answers
	Passed  bool    `json:"passed"`
	Exit    int     `json:"exit"`             // -1 where it has none
	Why     string  `json:"why,omitempty"`    // it has no exit code; empty if it ended by itself
	Output  string  `json:"output,omitempty"` // the end of it
	Seconds float64 `json:"seconds"`          // how long it took

	CannotRun string `json:"cannot_run,omitempty"` // no gate could be asked, because this is missing

	Gate    Gate       `json:"gate,omitempty"`    // which refused; empty where none did
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

// withVerification puts the result of the gate round, or the wish for one, into a
// verdict that would accept the promise without it.
func (s *State) withVerification(v verdict, e *Event) verdict {
	if v.accepted && s.LacksRecord() {
		return verdict{found: true, refused: noRecord}
	}
	return s.checkVerification(v, e)
}

// noRecord refuses a promise whose gates nobody knows.
const noRecord = "the loop's record in the state folder, which has its gates, is not there. Tell the user: cursor-ralph doctor helps"

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
	if !e.Verified.Passed {
		return verdict{found: true, refused: s.failure(e.Verified), check: e.Verified}
	}
	return v
}

// refuseUnchecked refuses a promise if a gate of the loop is missing from the round: an
// older cursor-ralph beside the hook does not know it.
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
		v.Refusal = "its --" + string(missing) + " was not checked: the installed cursor-ralph may be older than its hook. Give the promise again; if that is refused too, tell the user"
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

// isUnanswered reports whether the promise was neither refused nor accepted: the command could not run, or the reviewer could not
// say.
func (v Verification) isUnanswered() bool {
	return v.cannotRun() || !v.Passed && v.Review != nil && v.Review.Verdict != ReviewFound
}

// cannotRun reports whether the loop's folder is not there, or the shell found no program for the command, or none that it may execute.
func (v Verification) cannotRun() bool {
	return v.CannotRun != "" || v.Gate == GateVerify && (v.Exit == 126 || v.Exit == 127)
}

// pauseUnanswered pauses a loop whose gates could not judge the promise. A resume or a continue asks them again.
func (s *State) pauseUnanswered(v Verification, kind ActionKind, now time.Time) Action {
	a := Action{Kind: kind, Reason: reasonGateFailed}
	reason, mended := pauseVerify, "the command can run"
	switch {
	case v.CannotRun != "":
		mended = "it is there again"
		a.Detail = fmt.Sprintf("the gates cannot be asked: %s; put it back, or go to where it is now and run: cursor-ralph resume %s", v.CannotRun, s.ShortID())
	case v.cannotRun():
		a.Detail = fmt.Sprintf("the verification `%s` cannot run (exit %d): %s; to name another: %s", text.FirstHead(s.Verify, keptErrors), v.Exit,
			text.FirstHead(lastLine(v.Output), keptErrors), s.setCommand())
	default:
		reason, mended = pauseError, v.Review.Agent+" can answer"
		a.Detail = fmt.Sprintf("the review by %s failed: %s", v.Review.Agent, v.Review.Why)
	}
	if kind == Refuse {
		a.Hint = "the promise is still there; when " + mended + ": " + s.ResumeCommand(now)
	}
	s.pause(reason, a.Why())
	s.Idle = true
	return a
}

// setCommand is the command with which the user sets another --verify.
func (s *State) setCommand() string { return "cursor-ralph set " + s.ShortID() + ` --verify "..."` }

const keptOutput = 1000 // bytes, of the end of what a command that refused has said

// short is what the history keeps, nil where nothing was verified.
func (v Verification) short() *Verification {
	if v.ID == "" {
		return nil
	}
	if v.Passed || v.Gate == GateReview {
		v.Output = ""
	}
	v.Output, v.Refusal, v.Tasks, v.Review = text.Tail(v.Output, keptOutput), "", v.Tasks.short(), v.Review.short()
	return &v
}

// beginVerifying begins a verification.
func (s *State) beginVerifying(now time.Time) {
	s.Verifying = Verifying{ID: momentID(now), Since: now}
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
	s.Idle = s.Idle || e.Idle
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
	case v.CannotRun != "":
		return v.CannotRun
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

// AfterEnd is how long after the end of a loop its live file stays, so that what comes
// late finds it.
const AfterEnd = lateWindow

// onLateText applies words that were overtaken by the stop of their turn to a
// loop which that stop ended by a limit. Nothing is run for them any more.
func (s *State) onLateText(e *Event, now time.Time) Action {
	if !s.isEndedByLimit() || s.LastStop.Past || s.LastStop.Generation != e.Generation || now.Sub(s.EndedAt) > lateWindow {
		return Action{}
	}
	v := s.judgeRules(e, s.Iterations)
	if v.accepted && !s.isUngated() {
		v = verdict{found: true, refused: lateUnchecked}
	}
	if !v.found {
		return Action{}
	}
	if n := len(s.History); n > 0 {
		last := &s.History[n-1]
		last.Promise, last.Refused, last.Warning = v.name(), v.refused, v.warning
	}
	s.EventAt = now
	if !v.accepted {
		return Action{Reason: ReasonLateRefused, Detail: v.refused, Promise: v.String()}
	}
	s.end(PromiseAccepted, "promise "+v.String(), now)
	return Action{Reason: ReasonLatePromise, Promise: v.String()}
}

// lateUnchecked is what the record says of a promise that came too late for its gates.
const lateUnchecked = "promised late, not checked"

// isUngated reports whether a promise needs nothing beside the rules but a task list, which the last stop has found done.
func (s *State) isUngated() bool {
	c := s.TaskCount
	done := s.Tasks == "" || c != nil && c.Error == "" && c.Done == c.Total && c.Began <= c.Total
	return s.Verify == "" && s.Review == "" && done && !s.LacksRecord()
}

func (s *State) isEndedByLimit() bool {
	return s.Status == MaxIterations || s.Status == MaxDuration || s.Status == MaxTokens
}
