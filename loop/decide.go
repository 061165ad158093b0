package loop

import (
	"cmp"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Decide returns what an event makes of a loop, and what to do then. It is a pure
// function: the same state, event and time give the same result. An unknown event
// changes nothing.
func Decide(s State, e Event, now time.Time) (State, Action) {
	next := s.clone()
	action := next.decide(&e, now)
	if next.Status != Running || endsAsking(&e) {
		next.Asking = Asking{}
	}
	next.countPauses(&s, now)
	action.Iteration = next.Iteration()
	if e.Kind == EventStop || next.Status.Ended() {
		action.Iteration = s.Iteration()
	}
	return next, action
}

func (s *State) decide(e *Event, now time.Time) Action {
	if s.StartedAt.IsZero() {
		s.StartedAt, s.Replace, s.ByLine = now, false, false
	}
	if e.Kind == EventStop || e.Kind == EventMessage || e.Kind == EventContinue && e.FromLine {
		s.Host = e.Host
	}
	if e.Said != "" {
		e.Turn.Texts = append(slices.Clone(e.Turn.Texts), e.Said)
	}
	if s.Status.Ended() {
		return s.onEnded(e, now)
	}
	switch e.Kind { // from the watcher: nothing happened in the chat, so EventAt stays
	case EventFollowupLost:
		return s.onFollowupLost(e, now)
	case EventStalled:
		return s.onStalled(e, now)
	}
	if s.isUsersToGoOn(e) {
		return s.UsersToGoOn(now)
	}
	if s.isGoingOn(e, now) {
		return s.runsAlready()
	}
	s.addSilence(e, now)
	woken, silence := s.isWokenBy(e, now), text.Duration(now.Sub(s.EventAt))
	if woken {
		s.pause(pauseStale, reasonStale.text(silence))
	}
	last := s.EventAt
	s.EventAt, s.Workspace, s.Program = now, cmp.Or(s.Workspace, e.Workspace), cmp.Or(s.Program, e.Program)
	action := s.onLive(e, now)
	if action.Kind == Refuse && (e.Kind == EventMessage || e.FromLine) {
		s.EventAt = last // what was kept back is no sign of the agent
	}
	if woken && s.PauseReason == pauseStale {
		action.Reason, action.Detail = reasonStale, silence // so that the user sees it
	}
	return action
}

// onLive is an event of a loop that has not ended.
func (s *State) onLive(e *Event, now time.Time) Action {
	switch e.Kind {
	case EventStop:
		return s.onStop(e, now)
	case EventContinue:
		return s.onContinue(e, now)
	case EventMessage:
		return s.onMessage(e, now)
	case EventInject:
		return s.onInject(e, now)
	case EventSet:
		return s.onSet(e, now)
	case EventPause, EventResume, EventCancel, EventBlocked, EventReplace:
		return s.onControl(e, now)
	}
	s.onRecord(e, now)
	return Action{}
}

func (s *State) onEnded(e *Event, now time.Time) Action {
	switch e.Kind {
	case EventContinue:
		return s.onContinueEnded(e, now)
	case EventLateText:
		return s.onLateText(e, now)
	case EventMessage:
		return s.onMessageAfterEnd(e)
	case EventInjected:
		s.onInjected(e.Line, now)
	}
	return Action{}
}

// onRecord remembers what needs no decision.
func (s *State) onRecord(e *Event, now time.Time) {
	switch e.Kind {
	case EventInjected:
		s.onInjected(e.Line, now)
	case EventContext:
		s.Context, s.Promised = addOnce(s.Context, e.Text), false // as a message, it asks for more
	case EventNotice:
		s.Notices = addOnce(s.Notices, e.Text)
	case EventInterrupt:
		s.onInterrupt(e)
	case EventSession:
		s.Run.Session = e.Text
	case EventAsking:
		s.Asking = Asking{Since: now, What: e.Text}
	case EventNote:
		s.LastOutput, s.Note = e.Text, e.Text
		s.Uncounted.Note = text.Head(e.Text, keptAnswer)
	case EventConfirm:
		s.onConfirm(e, now)
	case EventVerified:
		s.onVerifyAbandoned(e)
	}
}

// onConfirm takes in what only the agent's first call can know.
func (s *State) onConfirm(e *Event, now time.Time) {
	first := s.IsUnconfirmed() && s.Iterations == 0
	s.Due.Known = s.Due.After != "" // the call prints the task
	s.Program = e.Text
	if first && s.Tree.Print == "" {
		s.Tree = e.Tree
	}
	if first && s.SurveyedAt.IsZero() {
		s.beginSurvey(e.Survey, now)
	}
}

// clone copies what append could otherwise share with the caller's state.
func (s State) clone() State {
	s.Context = slices.Clone(s.Context)
	s.Notices = slices.Clone(s.Notices)
	s.History = slices.Clone(s.History)
	return s
}

func (s *State) end(status Status, reason string, now time.Time) {
	s.Status, s.Reason, s.PauseReason, s.EndedAt = status, reason, "", now
	s.callOff(loopEnded, now)
	s.Verifying = Verifying{}
}

// setRunning says that the agent works on the loop.
func (s *State) setRunning() {
	s.Status, s.PauseReason, s.Reason, s.Idle = Running, "", "", false
}

// setWaiting says that the agent is idle until the continue line arrives.
func (s *State) setWaiting(reason string) {
	s.Status, s.Reason, s.Idle = Waiting, reason, true
}

// isWokenBy reports whether an event wakes a stale loop: the user who writes in
// its chat again, or whose agent stops there, may want something else.
func (s *State) isWokenBy(e *Event, now time.Time) bool {
	speaks := e.Kind == EventMessage && !s.IsOwn(e.Text) && !s.IsLine(e.Text)
	return s.IsStale(now) && !s.Outer() && s.Status != Paused && (e.Kind == EventStop || speaks)
}

// StaleAfter is how long a loop without an event goes on by itself.
const StaleAfter = 24 * time.Hour

// IsStale reports whether a loop had no event for so long that it does not go on by
// itself.
func (s *State) IsStale(now time.Time) bool {
	return !s.Status.Ended() && !s.EventAt.IsZero() && now.Sub(s.EventAt) > StaleAfter
}

// addOnce adds text unless it is there already.
func addOnce(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// ActionKind is what is to be done after the state was saved.
type ActionKind string

// The actions. The zero Action rests: the editor gets {} and nothing happens.
const (
	Rest      ActionKind = ""
	Followup  ActionKind = "followup"   // answer with Text
	HandOver  ActionKind = "hand-over"  // answer with Text, the last one: then the user has to type
	Inject    ActionKind = "inject"     // have the continue line typed, when this turn is over
	AwaitText ActionKind = "await-text" // nothing was decided: wait for the text, then ask again
	AskTyping ActionKind = "ask-typing" // nothing was decided: find out whether typing is possible, then ask again
	AskVerify ActionKind = "ask-verify" // only that the promise is to be verified: do it without the loop's lock, then ask again with the result
	Refuse    ActionKind = "refuse"     // the request is not possible, for Reason; Hint says what to do
	Notify    ActionKind = "notify"     // notify the user of Reason
)

// Action is what Decide wants done.
type Action struct {
	Kind    ActionKind
	Text    string // for the agent
	Reason  Reason // why
	Detail  string // what Reason is about, such as a number or a time
	Hint    string // what to do about a refusal
	Line    string // what to send in the chat about it
	Promise string // none, accepted, or refused and why; empty where none was looked for
	Warning string // for the log: something else was noticed

	Iteration int // that it is about: the one in progress, at a stop or an end the one that was

	Fresh bool // of AskTyping: whether a new chat can be created is asked; of a follow-up: it begins one

	Delivery Outcome // at a stop: what became of the follow-up before it, if it was open until now
}

// Why puts the reason into words, for the log and the user.
func (a Action) Why() string { return a.Reason.text(a.Detail) }
