package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Schema is the version of every object that --json prints.
const Schema = 1

// Kind says what drives a loop.
type Kind string

// The kinds.
const (
	Chat Kind = "chat" // of Cursor
	Run  Kind = "run"  // cursor-ralph run
)

// Loop is a loop as --json prints it; docs/schema/loop.schema.json says what the
// fields mean. A field that is not known is absent.
type Loop struct {
	Schema         int              `json:"schema"`
	ID             string           `json:"id"`
	ConversationID string           `json:"conversation_id,omitempty"`
	Kind           Kind             `json:"kind"`
	Status         Standing         `json:"status"`
	StatusWords    string           `json:"status_words"`
	ChipWords      string           `json:"chip"`
	PauseReason    loop.PauseReason `json:"pause_reason,omitempty"`
	Pausing        bool             `json:"pausing,omitempty"`
	WaitingFor     WaitingFor       `json:"waiting_for,omitempty"`
	NewChat        bool             `json:"new_chat,omitempty"`
	Verifying      bool             `json:"verifying,omitempty"`
	Stalled        bool             `json:"stalled"`
	Stale          bool             `json:"stale"`
	Reason         string           `json:"reason,omitempty"`
	Iteration      int              `json:"iteration"`
	loop.Contract
	Verify      string          `json:"verify,omitempty"`
	TasksFile   string          `json:"tasks_file,omitempty"`
	Tasks       *loop.TaskCount `json:"tasks,omitempty"`
	Workspace   string          `json:"workspace"`
	Host        string          `json:"host,omitempty"`
	Here        *bool           `json:"here,omitempty"`
	ToolCalls   *int            `json:"tool_calls,omitempty"`
	Tokens      *loop.Tokens    `json:"tokens,omitempty"`
	MaxTokens   int64           `json:"max_tokens,omitempty"`
	CreatedAt   time.Time       `json:"created_at,omitzero"`
	StartedAt   time.Time       `json:"started_at,omitzero"`
	LastEventAt time.Time       `json:"last_event_at,omitzero"`
	MessageAt   time.Time       `json:"message_at,omitzero"`
	EndedAt     time.Time       `json:"ended_at,omitzero"`
	Continue    string          `json:"continue,omitempty"`
	ChatLine    string          `json:"chat_line,omitempty"`
	NeedsUser   bool            `json:"needs_user"`
	Actions     []Action        `json:"actions"`
	Item        Item            `json:"item"`
}

// Of returns a loop as it is shown.
func Of(s loop.State, f Facts) Loop {
	l := Loop{Schema: Schema, ID: s.ShortID(), ConversationID: s.ConversationID, Kind: Chat, Status: standing(s, f), Reason: s.Reason,
		Contract: s.Contract, Iteration: s.Iteration(), Verify: s.Verify, TasksFile: s.Tasks, Tasks: s.TaskCount, Workspace: s.Workspace, Host: s.Host,
		CreatedAt: s.CreatedAt.UTC(), StartedAt: s.StartedAt.UTC(), LastEventAt: s.EventAt.UTC(), MessageAt: s.MessageAt.UTC()}
	l.Tokens, l.MaxTokens = tokensOf(s.Tokens), max(0, s.MaxTokens)
	if s.Outer() {
		l.Kind = Run
	}
	if s.StartedAt.IsZero() && loop.IsForAnyChat(s.ConversationID) { // its record has the name of its pending file
		l.ConversationID = ""
	}
	if !s.HidesTools() {
		calls := max(0, s.ToolCalls)
		l.ToolCalls = &calls
	}
	switch l.Status {
	case Paused:
		l.PauseReason, l.Pausing = pauseReason(s.PauseReason), s.IsPausing() && !f.Gone
	case Waiting:
		l.WaitingFor = waitingFor(s)
		l.Reason = cmp.Or(s.Asking.What, s.Reason)
	case Interrupted:
		l.Reason = describeInterrupted(f)
	case Running:
		l.Verifying = s.IsVerifying(f.Now)
		if s.IsLastTurn(f.Now) {
			l.Reason = "this is the last turn that Cursor lets the loop chain; send the continue line when it ends"
		}
	}
	if l.Status.Ended() {
		l.EndedAt = s.EndedAt.UTC()
	} else {
		l.Stalled, l.Stale, l.NewChat = l.Status == Stalled, s.IsStale(f.Now), s.AwaitsNewChat()
	}
	l.Continue = goOn(s, l, f)
	l.ChatLine = chatLine(s, l, f)
	l.NeedsUser = needsUser(s, l, f.Now)
	l.Actions = append([]Action{}, l.actions()...)
	l.StatusWords, l.ChipWords, l.Item = l.Describe(), l.Chip(), l.item()
	return l
}

// pauseReason is one word of letters: a status bar would obey some signs.
func pauseReason(r loop.PauseReason) loop.PauseReason {
	if strings.ContainsFunc(string(r), func(c rune) bool { return c < 'a' || c > 'z' }) {
		return ""
	}
	return r
}

func waitingFor(s loop.State) WaitingFor {
	if s.IsAsking() {
		return ForPermission
	}
	return ForContinuation
}

func describeInterrupted(f Facts) string {
	if f.Interrupted {
		return "its file is gone, as after a restart; its record is there"
	}
	return "the process of this run is gone"
}

// goOn returns the line of the chat or the command that continues the loop, empty
// if it goes on by itself or nothing continues it.
func goOn(s loop.State, l Loop, f Facts) string {
	switch {
	case l.Status.Ended(), l.Status == Interrupted, f.Gone:
		return s.ResumeCommand(f.Now)
	case l.Kind == Chat && s.ConversationID != "" && (l.Status == Waiting || l.Status == Stalled || l.Status == Paused && s.Idle || s.IsLastTurn(f.Now)):
		return loop.ContinueLine(l.ID)
	case l.Status == Paused:
		return "cursor-ralph resume " + l.ID
	case l.Status == Pending && l.ConversationID == "":
		return loop.ContinueLine(l.ID)
	}
	return ""
}

// chatLine returns the line that has the loop go on when the user sends it in a chat.
func chatLine(s loop.State, l Loop, f Facts) string {
	switch {
	case l.Kind == Run, l.Continue == "":
		return ""
	case strings.HasPrefix(l.Continue, "/"):
		return l.Continue
	case l.Status == Paused:
		return loop.ContinueLine(l.ID)
	}
	return strings.Replace(s.ResumeCommand(f.Now), "cursor-ralph continue ", loop.ContinueLine(""), 1)
}

// Progress is the iteration and the limit: 3/20.
func (l Loop) Progress() string { return fmt.Sprintf("%d/%d", l.Iteration, l.MaxIterations) }

// At is the moment that a listing shows: the end, or the last thing that happened.
func (l Loop) At() time.Time {
	for _, t := range []time.Time{l.EndedAt, l.LastEventAt, l.StartedAt} {
		if !t.IsZero() {
			return t
		}
	}
	return l.CreatedAt
}
