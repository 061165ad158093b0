package loop

import (
	"time"
)

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
