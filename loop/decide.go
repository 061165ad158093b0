package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// EventKind is what happened to a loop.
type EventKind string

// The events of a loop. Each names the fields of Event that it uses.
const (
	EventStop       EventKind = "stop"        // a turn ended: Status, LoopCount, Generation, SessionLimit, Typing, Aborts, Minimal, Began, Waited, Verified, Tree, Committed, Turn; in an outer loop Text, what failed
	EventMessage    EventKind = "message"     // a user message, or our own follow-up, reached the agent: Text, Composer
	EventTyped      EventKind = "typed"       // the continue line was typed: Conversation, Asked
	EventLateText   EventKind = "late-text"   // the assistant's words came after the stop of their turn: Generation, Turn
	EventVerified   EventKind = "verified"    // the promise of a text that came late was verified, or any verification was given up: Verified, Idle
	EventContinue   EventKind = "continue"    // cursor-ralph continue: MaxIterations, MaxDuration, Idle, Verified, Turn, Tree, Committed; from a hook Generation; from an outer loop's process Run, and as Text why
	EventTransient  EventKind = "transient"   // the turn of an outer loop failed for a reason that goes away: Text, After
	EventAgain      EventKind = "again"       // an outer loop tries such a turn again
	EventInterrupt  EventKind = "interrupt"   // the process of an outer loop ends: Text
	EventSession    EventKind = "session"     // the agent of an outer loop began a session: Text
	EventPause      EventKind = "pause"       // by the user
	EventResume     EventKind = "resume"      // by the user
	EventCancel     EventKind = "cancel"      // by the user
	EventContext    EventKind = "context"     // the user adds Text for the next continuation
	EventNotice     EventKind = "notice"      // we add Text for the next continuation
	EventNote       EventKind = "note"        // the agent records Text as its progress
	EventBlocked    EventKind = "blocked"     // the agent cannot go on: Text
	EventReplace    EventKind = "replace"     // another loop takes the place of this one
	EventConfirm    EventKind = "confirm"     // a slash call found the loop that the prompt hook armed: Text is the Program, Tree, VerifyFiles
	EventNameTokens EventKind = "name-tokens" // a continue printed a token: Text
	EventInject     EventKind = "inject"      // the user has the continue line typed
	EventInjected   EventKind = "injected"    // what became of that: Injection
	EventSpoken     EventKind = "spoken"      // an ordinary message came after the loop's end: Text, Generation
)

// StopStatus is how Cursor says that a turn ended. Source: Cursor's
// documentation of the stop hook.
type StopStatus string

// The stop statuses.
const (
	Completed StopStatus = "completed"
	Aborted   StopStatus = "aborted" // the user clicked Stop
	Errored   StopStatus = "error"
)

// Event is something that happened to a loop.
type Event struct {
	Kind         EventKind
	Text         string
	Conversation string
	Asked        bool   // by the agent, which got the line before
	Workspace    string // of any event: where it happened, for a loop that was asked for without one
	Status       StopStatus
	LoopCount    int          // follow-ups since the last user message, as Cursor counts them
	Generation   string       // Cursor's id of the turn
	SessionLimit int          // stops that Cursor lets us answer in a row; 0 is no limit
	Typing       Typing       // whether a program can type the continue line here
	Aborts       bool         // this Cursor reports the user's Stop as aborted, so an error is none
	Minimal      bool         // no hook tells about tools and texts
	Composer     string       // the mode of Cursor's composer, such as agent, ask or plan; empty where it is not told
	Began        time.Time    // when the hook began, zero for now: a decision may take long
	Waited       bool         // a text that may have been overtaken by the stop was waited for
	Words        bool         // the caller can fill in a prompt template: AskWords
	Worded       Worded       // as AskWords asked for
	Verified     Verification // of the promise, as AskVerify asked for
	Tree         Tree         // the workspace now
	Committed    []string     // files that commits of this turn changed
	VerifyFiles  Contents     // what the verification obviously runs
	Turn         Turn

	MaxIterations int // a new limit, 0 for none
	MaxDuration   Duration
	Idle          bool // it was asked for away from the chat, whose agent does not know

	Injection Injection // how the typing went

	Run   Run      // how the agent of an outer loop is talked to from now on
	After Duration // how long the agent of an outer loop asks to wait; zero if it does not
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
	Again     ActionKind = "again"      // an outer loop: give the same turn once more, at RetryAt
	AskWords  ActionKind = "ask-words"  // nothing was decided: fill the loop's prompt template with Words, then ask again
	Refuse    ActionKind = "refuse"     // the request is not possible; Why and Hint tell
)

// Action is what Decide wants done.
type Action struct {
	Kind    ActionKind
	Text    string // for the agent
	Why     string // in words, for the log and the user
	Hint    string // what to do about a refusal
	Words   *Words // of AskWords
	Promise string // none, accepted, or refused and why; empty where none was looked for
}

// duplicateWindow is how close two reports of one stop are, when our hook is
// installed in two places: Cursor runs all hooks of an event at once.
const duplicateWindow = time.Second

// busyWindow is how far apart they may begin on a machine that has no time for
// the second, where nothing happened in between.
const busyWindow = 10 * time.Second

// lateWindow is how long after the end of a loop the words of its last turn
// may still come in.
const lateWindow = time.Minute

// Decide says what an event makes of a loop. It is a pure function: the same
// state, event and time give the same answer. A case it does not know rests.
func Decide(s State, e Event, now time.Time) (State, Action) {
	s = s.detached()
	if s.StartedAt.IsZero() {
		s.StartedAt, s.Token, s.Replace = now, "", false
	}
	if s.Status.Ended() {
		return decideEnded(s, e, now)
	}
	woken := s.forgotten(e, now)
	if woken {
		s = s.pause("stale", fmt.Sprintf("nothing was heard of the loop for %s; it goes on with its continue line", now.Sub(s.EventAt).Round(time.Second)))
	}
	s.EventAt, s.Workspace = now, cmp.Or(s.Workspace, e.Workspace)
	next, action := s.live(e, now)
	if woken && next.PauseReason == "stale" {
		action.Why = next.Reason // so that the user is told
	}
	return next, action
}

// live is an event of a loop that has not ended.
func (s State) live(e Event, now time.Time) (State, Action) {
	switch e.Kind {
	case EventStop:
		return s.stopped(e, now)
	case EventContinue:
		return s.continued(e, now)
	case EventMessage:
		return s.message(e, now), Action{}
	case EventTyped:
		return s.typed(e, now)
	case EventInject:
		return s.inject(now)
	case EventTransient:
		return s.transient(e, now)
	case EventAgain:
		return s.again(now)
	case EventPause, EventResume, EventCancel, EventBlocked, EventReplace:
		return s.steer(e, now)
	}
	return s.record(e, now), Action{}
}

// detached copies what append could otherwise share with the caller's state.
func (s State) detached() State {
	s.Context = slices.Clone(s.Context)
	s.Notices = slices.Clone(s.Notices)
	s.History = slices.Clone(s.History)
	return s
}

func decideEnded(s State, e Event, now time.Time) (State, Action) {
	switch e.Kind {
	case EventContinue:
		return s.revived(e, now)
	case EventLateText:
		return s.lateText(e, now)
	case EventVerified:
		return s.lateVerified(e, now)
	case EventSpoken:
		return s.spoken(e, now)
	case EventTyped:
		if s.Outer() {
			return s, s.notHere()
		}
		s.ContinueIn, s.ContinueAt = e.Conversation, now
	case EventNameTokens:
		s.Token = e.Text
	case EventInjected:
		return s.injected(e.Injection, now), Action{}
	}
	return s, Action{}
}

func (s State) end(status Status, reason string, now time.Time) State {
	s.Status, s.Reason, s.PauseReason, s.EndedAt = status, reason, "", now
	s.Injection = s.Injection.close("the loop ended", now)
	s.Verifying, s.RetryAt = Verifying{}, time.Time{}
	return s
}

// message takes note of what was said to the agent. A user message begins a
// new session and sets an idle agent to work; our own follow-up does neither.
func (s State) message(e Event, now time.Time) State {
	if e.Composer != "" {
		s.PlanMode = e.Composer == PlanComposer
	}
	if s.IsOwn(e.Text) {
		return s
	}
	if !isContinue(e.Text, s.ConversationID) {
		if s.Injection.Open(now) {
			s = s.because("a message of the user came first; the loop goes on when the agent stops")
		}
		s.Injection = s.Injection.close("the user sent a message first", now)
	}
	s.SessionIterations, s.Rested = 0, false
	return s
}

// PlanComposer is the mode of Cursor's composer in which its agent plans.
// Source: reports of Cursor 3.21.
const PlanComposer = "plan"

// Guarded tells whether the loop's agent plans and changes nothing.
func (s State) Guarded() bool { return s.Plan || s.PlanMode }

// isContinue tells whether a message may be the continue line of a loop, as it
// was typed or with the slash command's text around it: which of them a hook is
// shown is not known.
func isContinue(text, id string) bool {
	return strings.Contains(text, "--continue "+id) || strings.Contains(text, "--continue="+id)
}

// typedWindow is how long a typed continue line tells where a loop goes on.
const typedWindow = 2 * time.Minute

// TypedIn tells the conversation in which the continue line was typed just now.
func (s State) TypedIn(now time.Time) string {
	if now.Sub(s.ContinueAt).Abs() > typedWindow {
		return ""
	}
	return s.ContinueIn
}

// IsOwn tells whether a message is the follow-up that the loop sent last.
func (s State) IsOwn(text string) bool {
	return s.LastFollowup != "" && strings.TrimSpace(text) == strings.TrimSpace(s.LastFollowup)
}

// record takes in what only has to be remembered.
func (s State) record(e Event, now time.Time) State {
	switch e.Kind {
	case EventInjected:
		return s.injected(e.Injection, now)
	case EventContext:
		s.Context = addOnce(s.Context, e.Text)
	case EventNotice:
		s.Notices = addOnce(s.Notices, e.Text)
	case EventInterrupt:
		s = s.interrupted(e)
	case EventSession:
		s.Run.Session = e.Text
	case EventNote:
		s.LastOutput, s.Note = e.Text, e.Text
	case EventConfirm:
		s = s.confirmed(e)
	case EventNameTokens:
		s.Token = e.Text
	case EventVerified:
		s = s.unverified(e)
	}
	return s
}

// confirmed is told by the agent's first call what the prompt hook could not find
// out.
func (s State) confirmed(e Event) State {
	first := !s.Confirmed && s.Iterations == 0
	s.Confirmed, s.Program = true, e.Text
	if first && s.Tree.Print == "" {
		s.Tree = e.Tree
	}
	if first && s.VerifyFiles == nil {
		s.VerifyFiles = e.VerifyFiles
	}
	return s
}

// addOnce adds text unless it is there already: our hook may be installed in
// two places, and both would add it.
func addOnce(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
