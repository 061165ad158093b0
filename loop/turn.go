package loop

import (
	"slices"
	"time"
)

// Whose work a turn is
//
// A turn counts only if it is the loop's work. Two kinds of turns are not, and
// their stop neither counts nor ends the loop:
//
// The agent does not have the task yet (TaskDue). Whoever makes the loop says so,
// because nothing else is reliable:
//
//	made by                                    the agent has the task
//	the prompt hook (armed_by prompt)          yes: it is the message of that turn
//	loop mode (armed_by mode)                  yes: it is the message, word for word
//	slash, or start in the agent's shell       yes: the call printed it (armed_by cli; token, if it was not known whose)
//	import                                     yes: another tool's loop gave it
//	start at a terminal                        no: task_due; its line, sent in a chat, gives it
//	by hand, or by an older tool (no armed_by) yes: an agent's `echo >` knows what it writes
//
// confirmed only says that a call of the agent saw a loop which the prompt hook
// had armed; such a call prints the task, so it clears task_due.
//
// The turn began before the loop was requested. Cursor may report the prompt of
// the new turn before the stop of the old one, as when a message is sent while
// the agent works. In Cursor's editor generation_id changes with each turn [rep],
// which identifies the stop of another turn than that of the prompt (AskedIn). In
// Cursor's published runtime it is always the conversation's id [seen].
// There the best sign is time: no model ends a turn within a moment
// without a tool call, and the slash command's text has it make one at once.
// Such a stop may still be the new turn's, so nothing is done that could not be
// put right: one that completed is answered with the task, uncounted; one that
// was stopped or failed pauses the loop until the agent is seen at work.

// overlap is how soon after the prompt that requested a loop a stop may be the
// one of the turn before.
const overlap = 2 * time.Second

// owner says whose a turn is.
type owner int

const (
	theLoops   owner = iota
	wentOn           // the loop's: its end was reported before, and yet it went on
	beforeTask       // the agent did not have the task yet
	earlier          // it began before the loop was requested
	perhaps          // the same, as far as anything shows
)

// turnOf says whose turn a stop ends.
func (s *State) turnOf(e *Event, now time.Time) owner {
	soon := now.Sub(s.CreatedAt).Abs() < overlap
	switch {
	case s.isEarlierTurn(e):
		return earlier
	case s.TaskDue:
		return beforeTask
	case s.Doubted && s.Status == Paused && e.Turn.isActive():
		return wentOn
	case s.AskedIn != "" && s.AskedIn == s.ConversationID && soon && !s.Confirmed && !e.Turn.hasCalls():
		return perhaps
	}
	return theLoops
}

// isEarlierTurn reports whether the generation shows that a stop belongs to a turn
// before the one in which the loop was requested. If a Cursor gave its prompt hook
// another generation than the turn that follows, which nobody has reported, the
// agent's confirming call would show it.
func (s *State) isEarlierTurn(e *Event) bool {
	if s.AskedIn == "" || s.AskedIn == s.ConversationID || e.Generation == "" || e.Generation == s.AskedIn {
		return false
	}
	confirmedIt := s.Confirmed && slices.Contains(e.Turn.ours, e.Generation)
	return !confirmedIt || slices.Contains(e.Turn.generations, s.AskedIn)
}

// onOtherTurn is a stop of a turn that was not the loop's work.
func (s *State) onOtherTurn(e *Event, now time.Time, whose owner) Action {
	switch {
	case s.Stop: // by hand, and not by this turn
		return s.onTurnEnd(e, now)
	case whose == earlier:
		return Action{Reason: reasonEarlierTurn}
	}
	e.Turn = e.Turn.withoutWork()
	switch {
	case whose == perhaps && e.Status != Completed && s.Status != Paused:
		action := Action{Reason: reasonDoubted}
		s.noteStop(e, now)
		s.addTurn(e.Turn)
		s.pause(pauseError, action.Why())
		s.Doubted, s.Rested = true, true
		return action
	case e.Status != Completed:
		s.noteStop(e, now)
		s.addTurn(e.Turn)
		return Action{Reason: reasonBeforeTask}
	case s.Status != Running && s.Status != Waiting:
		return s.onTurnEnd(e, now)
	}
	return s.giveTask(e, now)
}

// giveTask answers the stop of another turn with the task. Nothing of that turn
// counts, except that Cursor's session is one follow-up shorter.
func (s *State) giveTask(e *Event, now time.Time) Action {
	s.noteStop(e, now)
	s.addTurn(e.Turn)
	s.Injection = s.Injection.close(lineTurnEnded, now)
	s.PassedIn = e.Generation
	s.Minimal, s.Unseen, s.ContinueIn, s.ContinueAt = e.Minimal, false, "", time.Time{}
	s.setRunning()
	if s.TaskDue {
		s.beginSurvey(e.Survey, now)
	}
	s.Retries, s.TaskDue = 0, true
	s.SessionIterations++
	if e.Tree.Print != "" {
		s.Tree = e.Tree
	}
	return s.nextTurn(e, now, Action{Kind: Followup, Reason: reasonTaskGiven}, taskWhy)
}

// taskWhy tells an agent that gets its task why it is here.
const taskWhy = "This task is a Ralph loop: each time you stop before it is done, you get it again."
