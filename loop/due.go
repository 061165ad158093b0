package loop

import "time"

// Text due
//
// The agent may lack the text for its turn: a loop of `start` has no agent that knows its task, and whether an agent gets
// what the prompt hook adds to a message, Cursor does not say. The text is due until the agent calls a tool or cursor-ralph:
// the next stop brings it, and its turn does not count; never twice in a row, and never past a limit. A promise given
// meanwhile is judged all the same.
//
// Cursor may report a message before the stop of the turn before, as when it is sent while the agent works. In Cursor's editor
// generation_id changes with each turn [rep]; in its published runtime it is always the conversation's id [seen]. A stop is
//
//	the turn before      if its generation is not the message's, unless only its own was at work since the message:
//	                     it neither counts nor ends the loop
//	perhaps that         if its generation is not the message's (a Cursor may name the prompt's turn otherwise), or is
//	                     that of all turns, and the agent has called nothing since: it is answered with the text, uncounted
//	the loop's           else

// Due is the text that the agent may lack.
type Due struct {
	After   dueAfter `json:"after"`
	In      string   `json:"generation_id,omitempty"` // of the turn that the message began; once brought, of a turn before, whose late reports do not count
	Known   bool     `json:"known,omitempty"`         // a call of the agent got the text
	Brought bool     `json:"brought,omitempty"`       // by the last stop
}

// dueAfter is what the agent got instead of the text.
type dueAfter string

const (
	dueStart   dueAfter = "start"   // nothing: the loop was started at a terminal
	dueRequest dueAfter = "request" // the /ralph-loop line, which has the task in it
	dueMessage dueAfter = "message" // the message that is the task, in loop mode
	dueLine    dueAfter = "line"    // the continue line; its text is LastFollowup
	duePromise dueAfter = "promise" // the continue line, where a promise has to be verified before there is a text
)

// Started is a new loop whose task no agent has.
func (s State) Started() State {
	s.Due = Due{After: dueStart}
	return s
}

// Requested is a new loop that the user's line in a chat requested.
func (s State) Requested(generation string) State {
	s.Due = Due{After: dueRequest, In: generation}
	return s
}

// LacksTask reports whether no agent has the task yet.
func (s *State) LacksTask() bool { return s.Due.After == dueStart && s.Due.isOpen() }

// IsUnconfirmed reports whether the prompt hook has made the loop and the agent's call about the same line may still come.
func (s *State) IsUnconfirmed() bool { return s.Due.After == dueRequest && !s.Due.Known }

// IsLineTurn reports whether the turn goes on that a continue line began. The prompt hook has continued the loop, and the
// agent may ask for the text.
func (s *State) IsLineTurn() bool { return s.Due.After == dueLine && !s.Due.Brought }

// hasLine reports whether a continue line has come, and the turn goes on that it began.
func (s *State) hasLine() bool { return s.IsLineTurn() || s.Due.After == duePromise }

func (d Due) isOpen() bool { return d.After != "" && !d.Known && !d.Brought }

// isTurnBefore reports whether a stop is that of the turn before the message.
func (s *State) isTurnBefore(e *Event) bool {
	return s.isOfAnother(e) && (!e.Turn.generations[e.Generation] || e.Turn.generations[s.Due.In])
}

// isOfAnother reports whether a stop has another generation than the message.
func (s *State) isOfAnother(e *Event) bool {
	return s.Due.isOpen() && s.Due.tellsTurns(s.ConversationID) && e.Generation != "" && e.Generation != s.Due.In
}

// tellsTurns reports whether each turn has a generation of its own, and that of Due is known.
func (d Due) tellsTurns(conversation string) bool { return d.In != "" && d.In != conversation }

// isTextDue reports whether a stop that is not of the turn before brings the text.
func (s *State) isTextDue(e *Event, now time.Time) bool {
	switch {
	case !s.Due.isOpen(), s.atLimit(now).status != "":
		return false
	case s.isOfAnother(e):
		return true
	case e.Turn.hasCalls():
		return false
	case s.Due.After == dueRequest:
		return s.Due.In != "" && s.Due.In == s.ConversationID
	}
	return !s.hasPromise(e.Turn.Texts)
}

// bringText answers the stop of a turn that does not count with the text.
func (s *State) bringText(e *Event, now time.Time) Action {
	action := Action{Kind: Followup, Reason: reasonTextDue}
	switch s.Due.After {
	case dueLine:
		action.Text = s.withUnsaid(s.LastFollowup)
	case dueStart: // what was done before is not the loop's
		s.beginSurvey(e.Survey, now)
		if e.Tree.Print != "" {
			s.Tree = e.Tree
		}
	}
	s.addTurn(e.Turn.withoutWork())
	s.setRunning()
	s.SessionIterations++
	action = s.nextTurn(e, now, action, taskWhy)
	s.Due.Brought = action.Kind != Inject // else the line brings it
	if s.Due.In == e.Generation {
		s.Due.In = "" // late words of the message's own turn count
	} else {
		s.Due.In = e.Generation
	}
	return action
}

// taskWhy tells an agent that gets its task why it is here.
const taskWhy = "This task is a Ralph loop: each time you stop before it is done, you get it again."
