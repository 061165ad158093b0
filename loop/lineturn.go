package loop

import "time"

// LineTurn is the turn that a continue line began, while it goes on. The prompt
// hook saw the raw line, continued the loop, and answered with the continuation
// as additional_context. Whether the agent got that is not known: Cursor may
// ignore it, and may have expanded the line as a slash command, whose agent then
// asks for the continuation itself.
type LineTurn struct {
	Generation string    `json:"generation_id,omitempty"` // of the line's turn
	At         time.Time `json:"at"`
	Text       string    `json:"text"`            // the continuation
	Known      bool      `json:"known,omitempty"` // the agent requested it
}

// isSame reports whether a line is one that was seen a moment ago, by another
// copy of our hook, before the agent did anything. On a busy machine the turn
// tells, unless generation_id is always the conversation's id [seen].
func (t LineTurn) isSame(e *Event, conversation string, now time.Time) bool {
	if t.Known || e.Turn.isActive() {
		return false
	}
	ago := now.Sub(t.At).Abs()
	return ago < duplicateWindow || ago < busyWindow && t.Generation == e.Generation && e.Generation != "" && e.Generation != conversation
}

// repeatContinue answers a second request for the continuation of a line's turn
// with the same text, so that nothing is used up twice. A pause since then wins,
// and new limits are a new request.
func (s *State) repeatContinue(e *Event, now time.Time) (action Action, ok bool) {
	raises := e.MaxIterations > 0 && e.MaxIterations != s.MaxIterations || e.MaxDuration != 0 && max(e.MaxDuration, 0) != s.MaxDuration ||
		e.MaxTokens != 0 && max(e.MaxTokens, 0) != s.MaxTokens
	switch {
	case s.LineTurn.Text == "", e.Idle, raises, e.Verified.ID != "":
		return Action{}, false
	case e.FromLine && !s.LineTurn.isSame(e, s.ConversationID, now):
		return Action{}, false
	case s.Status == Paused && (e.Generation == "" || !s.LineTurn.Known):
		return s.pauseCrossed(), true
	}
	if !e.FromLine {
		s.LineTurn.Known, s.ContinueIn, s.ContinueAt = true, "", time.Time{}
	}
	return Action{Kind: Followup, Text: s.LineTurn.Text, Reason: reasonAgain}, true
}

// endLineTurn ends the turn of a line.
func (s *State) endLineTurn() {
	s.LineTurn, s.ContinuedIn = LineTurn{}, ""
}

// isBareLine reports whether the turn that stops now is a line's turn in which the
// agent got the raw line alone: it neither requested the continuation nor did any
// work nor gave the promise. Its words prove nothing: an agent answers any
// message. If tools are not seen, or a limit is reached, the turn counts: limits
// are hard.
func (s *State) isBareLine(e *Event, now time.Time) bool {
	t := s.LineTurn
	if t.Text == "" || t.Known || e.Minimal || e.Turn.ToolCalls > 0 || s.hasPromise(e.Turn.Texts) || s.isOtherTurn(e) {
		return false
	}
	changed := s.Tree.Print != "" && e.Tree.Print != "" && s.Tree.Print != e.Tree.Print
	return !changed && s.atLimit(now).status == ""
}

// isOtherTurn reports whether a stop is that of the turn before a line, which
// may come after it.
func (s *State) isOtherTurn(e *Event) bool {
	return s.LineTurn.Generation != "" && e.Generation != "" && s.LineTurn.Generation != e.Generation
}

// isAfterLine reports whether a stop began after a line that came since the last
// one: it is no second report of that one, even if generation_id is always the
// same.
func (s *State) isAfterLine(e *Event, now time.Time) bool {
	return s.LineTurn.Text != "" && s.LineTurn.At.After(s.LastStop.At) && e.began(now).After(s.LineTurn.At)
}

// repeatLine answers the stop of a turn in which the agent got only the raw line.
// The turn does not count, and the agent gets the text it missed.
func (s *State) repeatLine(e *Event, now time.Time) Action {
	action := Action{Kind: Followup, Reason: reasonBareLine, Text: s.withUnsaid(s.LineTurn.Text)}
	s.SessionIterations++
	s.setRunning()
	s.Retries = 0
	s.addTurn(e.Turn)
	s.Carried = s.Carried.with(e.Turn)
	if s.isSessionOver(e) {
		action.Kind, action.Text = HandOver, s.words(s.Iterations+1, "The user continues the loop.", true)
		s.handOver()
	}
	s.endLineTurn()
	s.noteAnswer(action, e, now)
	return action
}
