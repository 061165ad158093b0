package loop

import (
	"time"
)

// EventKind is what happened to a loop.
type EventKind string

// The events of a loop. Their fields are in the payload of Event that has their
// name; Text and Generation are named here.
const (
	EventStop      EventKind = "stop"      // a turn ended: Generation; in an outer loop Text, what failed
	EventMessage   EventKind = "message"   // a user message, or our own follow-up, reached the agent: Text, Generation
	EventLateText  EventKind = "late-text" // the assistant's words came after the stop of their turn: Generation
	EventVerified  EventKind = "verified"  // a verification was given up: Verified, Idle
	EventContinue  EventKind = "continue"  // the continue line, or cursor-ralph continue; from a hook Generation; from an outer loop's process as Text why
	EventInterrupt EventKind = "interrupt" // the process of an outer loop ends: Text, Status
	EventSession   EventKind = "session"   // the agent of an outer loop began a session: Text
	EventAsking    EventKind = "asking"    // the agent of an outer loop asks for a permission: Text; empty if it asks no more
	EventPause     EventKind = "pause"     // by the user; with a Text by the hook, which could not do its work
	EventResume    EventKind = "resume"    // by the user: Gates
	EventCancel    EventKind = "cancel"    // by the user or the agent: Text, why
	EventSet       EventKind = "set"       // by the user: Options
	EventContext   EventKind = "context"   // Text is added for the next continuation
	EventNotice    EventKind = "notice"    // we add Text for the next continuation
	EventNote      EventKind = "note"      // the agent records Text as its progress
	EventBlocked   EventKind = "blocked"   // the agent cannot go on: Text
	EventReplace   EventKind = "replace"   // another loop takes the place of this one
	EventConfirm   EventKind = "confirm"   // a slash call found the loop that the prompt hook armed: Text is the Program, Observation
	EventInject    EventKind = "inject"    // the user has the continue line typed
	EventInjected  EventKind = "injected"  // the typing is over

	EventFollowupLost EventKind = "followup-lost" // an open follow-up is overdue: Lost
	EventStalled      EventKind = "stalled"       // the loop has been silent for too long: Stalled
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

// Event is something that happened to a loop: its kind, and the payload of that kind.
type Event struct {
	Kind       EventKind
	Text       string
	Generation string // Cursor's id of the turn
	By         Caller // who asks for it; empty for a user at a terminal, and where it does not matter
	LoopID     string // the own id of the loop that is meant; empty for the one that the conversation has
	Program    string // how the agent's shell calls cursor-ralph, if not by its name
	Workspace  string // where it happened, for a loop that was requested without one
	Host       string // the agent's program in whose chat a stop, a message or a continue line came; empty for Cursor
	Turn       Turn   // what the journal holds
	Stop
	Message
	Continue
	Set
	Injected
	Lost
	Stalled
	Observation // of a stop, a continue and a confirm
	Answers     // to what Decide asked
}

// Stop is the end of a turn.
type Stop struct {
	Status       StopStatus
	LoopCount    int     // follow-ups since the last user message, as Cursor counts them
	SessionLimit int     // stops that Cursor lets a hook answer in a row; 0 is no limit
	Typing       Typing  // whether a program can type the continue line here
	Waited       bool    // the caller has waited for a text that the stop may have overtaken
	Tokens       *Tokens // of this turn, as the stop reports them; nil is unknown
	Said         string  // the assistant's last words, where the stop has them
	Clears       bool    // the host can begin a new chat with the answer
}

// Continue takes a loop up again.
type Continue struct {
	MaxIterations int      // a new limit, 0 for the one that it has
	MaxDuration   Duration // the same, or NoLimit
	MaxTokens     int64    // the same
	Idle          bool     // requested away from the chat, whose agent does not know
	FromLine      bool     // by the prompt hook, which saw the continue line
	Conversation  string   // in which it was requested, empty if that is not known: the loop goes on there
	NewChat       bool     // nothing shows that this one had a message before
	Occupied      bool     // it has a loop of its own
	Gates         bool     // of a resume: the caller can ask the gates
	Folder        string   // of a resume: where the user is, if the loop's own folder is not there
	Run           Run      // how the agent of an outer loop is talked to from now on
}

// Message is a message to the agent.
type Message struct {
	Composer string // the mode of Cursor's composer, such as agent, ask or plan; empty if unknown
}

// Set has the options of a loop that get another value.
type Set struct{ Options []Default }

// Injected is how the typing of a continue line went.
type Injected struct{ Line Delivery }

// Stalled is how long the loop may be silent; zero for StallAfter.
type Stalled struct{ StallAfter time.Duration }

// Lost names a follow-up that is overdue.
type Lost struct{ Followup string }

// Observation is what a workspace is like now.
type Observation struct {
	Tree      Tree
	Committed []string // files that commits of this turn changed
	Survey    Survey
}

// Answers are what the caller found out for Decide.
type Answers struct {
	Verified Verification // of the promise, as AskVerify asked for
}
