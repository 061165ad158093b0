package loop

import (
	"time"
)

// EventKind is what happened to a loop.
type EventKind string

// The events of a loop. Each names the fields of Event that it uses.
const (
	EventStop       EventKind = "stop"        // a turn ended: Status, LoopCount, Generation, SessionLimit, Typing, Aborts, Minimal, Began, Waited, Verified, Tree, Committed, Turn; in an outer loop Text, what failed
	EventMessage    EventKind = "message"     // a user message, or our own follow-up, reached the agent: Text, Composer, Generation
	EventTyped      EventKind = "typed"       // the continue line was typed: Conversation, Asked
	EventLateText   EventKind = "late-text"   // the assistant's words came after the stop of their turn: Generation, Turn
	EventVerified   EventKind = "verified"    // the promise of a text that came late was verified, or any verification was given up: Verified, Idle
	EventContinue   EventKind = "continue"    // cursor-ralph continue: MaxIterations, MaxDuration, Idle, Verified, Turn, Tree, Committed, PlanGuard; from a hook Generation, FromLine; from an outer loop's process Run, and as Text why
	EventTransient  EventKind = "transient"   // the turn of an outer loop failed for a reason that goes away: Text, After
	EventAgain      EventKind = "again"       // an outer loop tries such a turn again
	EventInterrupt  EventKind = "interrupt"   // the process of an outer loop ends: Text
	EventSession    EventKind = "session"     // the agent of an outer loop began a session: Text
	EventPause      EventKind = "pause"       // by the user
	EventResume     EventKind = "resume"      // by the user
	EventCancel     EventKind = "cancel"      // by the user: By
	EventContext    EventKind = "context"     // the user adds Text for the next continuation
	EventNotice     EventKind = "notice"      // we add Text for the next continuation
	EventNote       EventKind = "note"        // the agent records Text as its progress
	EventBlocked    EventKind = "blocked"     // the agent cannot go on: Text
	EventReplace    EventKind = "replace"     // another loop takes the place of this one
	EventConfirm    EventKind = "confirm"     // a slash call found the loop that the prompt hook armed: Text is the Program, Tree, VerifyFiles, PlanGuard
	EventNameTokens EventKind = "name-tokens" // a continue printed a token: Text
	EventInject     EventKind = "inject"      // the user has the continue line typed
	EventInjected   EventKind = "injected"    // how the typing went: Injection
	EventSpoken     EventKind = "spoken"      // an ordinary message came after the loop's end: Text, Generation
	EventAfterEnd   EventKind = "after-end"   // any message came after the loop's end, or a turn ended then with Status: Generation

	EventFollowupLost   EventKind = "followup-lost"   // an open follow-up is overdue: Followup, Turn
	EventFollowupProved EventKind = "followup-proved" // is a follow-up that is delivered again still missing? Turn
	EventStalled        EventKind = "stalled"         // the loop has been silent for too long: Turn
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

// Event is something that happened to a loop. EventKind says which fields count.
type Event struct {
	Kind       EventKind
	Text       string
	Generation string // Cursor's id of the turn
	Workspace  string // where it happened, for a loop that was requested without one
	Turn       Turn   // what the journal says
	Stop
	Continue
	Typed
	Look
	Answers

	Composer  string    // of a message: the mode of Cursor's composer, such as agent, ask or plan; empty if unknown
	By        Caller    // of a cancel
	Followup  string    // the id of the follow-up that is overdue
	Injection Injection // how the typing went
	After     Duration  // how long the agent of an outer loop asks to wait; zero if it does not
}

// Stop is the end of a turn.
type Stop struct {
	Status        StopStatus
	LoopCount     int    // follow-ups since the last user message, as Cursor counts them
	SessionLimit  int    // stops that Cursor lets a hook answer in a row; 0 is no limit
	Typing        Typing // whether a program can type the continue line here
	Aborts        bool   // this Cursor reports the user's Stop as aborted, so an error is not a Stop
	Minimal       bool   // no hook reports tools and texts
	CursorVersion string
	FollowupWait  time.Duration // how long its follow-up may take; zero for the usual time
	Began         time.Time     // when the hook began, zero for now: a decision may take long
	Waited        bool          // the caller has waited for a text that the stop may have overtaken
}

// Continue takes a loop up again.
type Continue struct {
	MaxIterations int // a new limit, 0 for none
	MaxDuration   Duration
	Idle          bool // requested away from the chat, whose agent does not know
	FromLine      bool // by the prompt hook, which saw the continue line
	Run           Run  // how the agent of an outer loop is talked to from now on
}

// Typed is the continue line in a chat.
type Typed struct {
	Conversation string
	Asked        bool // by the agent, which got the line before
}

// Look is what a workspace looks like now.
type Look struct {
	Tree        Tree
	Committed   []string // files that commits of this turn changed
	VerifyFiles Contents // what the verification obviously runs
	PlanGuard   Guard
}

// Answers are what the caller found out for Decide.
type Answers struct {
	Words      bool         // the caller can fill in a prompt template: AskWords
	Filled     Filled       // as AskWords asked for
	Verified   Verification // of the promise, as AskVerify asked for
	NoVerifier bool         // no process runs the verification that the state waits for
	VerifyWas  string       // the verification that the loop's record has, where its file has none or another
}

// began is when the hook of an event began: two copies of our hook begin at
// once, and may take differently long.
func (e *Event) began(now time.Time) time.Time {
	if e.Began.IsZero() {
		return now
	}
	return e.Began
}
