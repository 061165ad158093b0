package loop

import "time"

// needs says what has to be found out before a stop can be decided: the last words of the turn, whether a program can type here,
// or what the gates say about its promise. It is the zero Action if nothing is. The caller finds it out and comes again, so that a
// decision is made once and never taken back.
func (s *State) needs(e *Event, now time.Time) Action {
	goesOn := !s.Stop && e.Turn.Unread == "" && (s.Status == Running || s.Status == Waiting)
	switch {
	case !goesOn || e.Status != Completed:
		return Action{}
	}
	after, v := s.clone(), verdict{}
	after.noteStop(e, now)
	if s.isTextDue(e, now) {
		after.SessionIterations++
	} else {
		v = s.judge(e)
		after.count(e)
	}
	switch {
	case v.asks:
		return Action{Kind: AskVerify, Reason: reasonVerifying}
	case v.accepted:
		return Action{}
	case after.atLimit(now).status == "":
		return after.needsForTurn(e, now)
	case len(e.Turn.Texts) == 0 && !e.Waited:
		return Action{Kind: AwaitText}
	}
	return Action{}
}

// needsForTurn is needs for the turn that comes next.
func (s *State) needsForTurn(e *Event, now time.Time) Action {
	if e.Typing != typingUnknown || s.Outer() {
		return Action{}
	}
	s.stayHere(now)
	switch {
	case s.isFreshDue():
		return Action{Kind: AskTyping, Fresh: true}
	case s.isSessionOver(e):
		return Action{Kind: AskTyping}
	}
	return Action{}
}
