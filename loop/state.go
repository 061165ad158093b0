package loop

import (
	"encoding/json"
	"time"
)

// Limits and defaults of a loop.
const (
	defaultMaxIterations = 20
	MaxMaxIterations     = 10000
	defaultPromise       = "COMPLETE"
	defaultGateTimeout   = 10 * time.Minute
)

// State is one loop, as it lies in its state file and in a pending file. In JSON
// it is one flat object.
type State struct {
	Contract
	Version        int         `json:"version,omitempty"`
	ID             string      `json:"id,omitempty"` // the loop's own, see ShortID
	ConversationID string      `json:"conversation_id,omitempty"`
	Workspace      string      `json:"workspace,omitempty"`
	Cwd            string      `json:"cwd,omitempty"`     // where it was requested; the workspace is a guess from it
	Program        string      `json:"program,omitempty"` // how the agent's shell calls cursor-ralph, if not by that name
	Host           string      `json:"host,omitempty"`    // the program whose chat it is in; empty for Cursor
	Status         Status      `json:"status,omitempty"`
	PauseReason    PauseReason `json:"pause_reason,omitempty"`
	Reason         string      `json:"reason,omitempty"` // the status in words; at a limit the summary
	CreatedAt      time.Time   `json:"created_at,omitzero"`
	StartedAt      time.Time   `json:"started_at,omitzero"`
	EndedAt        time.Time   `json:"ended_at,omitzero"`
	EventAt        time.Time   `json:"last_event_at,omitzero"`
	Pauses         Pauses      `json:"pauses,omitzero"`
	Rules
	Commands
	Origin
	Continuation
	Evidence
	OuterRun
	Archive
	HasRecord bool        `json:"has_record,omitempty"` // of a live or pending file: its commands are in the record
	History   []Iteration `json:"history,omitempty"`    // the last field: see ParseHead

	// Misplaced names the commands in a live or pending file, which have no effect there; empty
	// for none.
	Misplaced string `json:"-"`
	// Kept is set for a live loop that has a record.
	Kept bool `json:"-"`
	// Unknown holds fields that this version does not know; they survive.
	Unknown map[string]json.RawMessage `json:"-"`
}

// Contract is what people and agents write by hand: a file with these fields alone
// is a loop.
type Contract struct {
	Prompt            string `json:"prompt"`
	MaxIterations     int    `json:"max_iterations"`
	CompletionPromise string `json:"completion_promise"`
	Iterations        int    `json:"iterations"`
	SessionIterations int    `json:"session_iterations"`
	Stop              bool   `json:"stop"`
	LastOutput        string `json:"last_output"`
}

// Rules are the options of a loop.
type Rules struct {
	MinIterations int      `json:"min_iterations"`
	PromiseMatch  Match    `json:"promise_match,omitempty"`
	MinToolCalls  int      `json:"min_tool_calls"`
	NoWork        NoWork   `json:"on_promise_no_work,omitempty"`
	MaxDuration   Duration `json:"max_duration,omitempty"`
	Plan          bool     `json:"plan,omitempty"`      // requested: the agent plans and changes nothing
	PlanMode      bool     `json:"plan_mode,omitempty"` // the same, because Cursor's own plan mode is on
	StrugglePause int      `json:"struggle_pause,omitempty"`
	Ultrawork     bool     `json:"ultrawork,omitempty"`
	MaxTokens     int64    `json:"max_tokens,omitempty"` // 0 for no limit
	FreshChat     int      `json:"fresh_chat,omitempty"` // iterations after which it goes on in a new chat; 0 for never
}

// Origin is how a loop was requested.
type Origin struct {
	Replace bool `json:"replace,omitempty"` // pending only: it may replace a running loop
	ByLine  bool `json:"by_line,omitempty"` // pending only: nothing but its line begins it
}

// Continuation is how the loop gets from one turn to the next.
type Continuation struct {
	ChatSince    int       `json:"chat_since,omitempty"`      // the iterations before it came to its chat, or to its agent's session
	Due          Due       `json:"due,omitzero"`              // the text that the agent may lack
	MessageAt    time.Time `json:"message_at,omitzero"`       // of the user's last message in the chat
	Promised     bool      `json:"promised,omitempty"`        // in a turn that ended while the loop was paused; the gates are not asked yet
	Idle         bool      `json:"idle,omitempty"`            // the agent is: a stop was left unanswered, and only a message goes on
	LastTurn     bool      `json:"last_turn,omitempty"`       // the turn that goes on was handed over: no stop hook sees its end
	Context      []string  `json:"context,omitempty"`         // added by the user, not delivered yet
	Notices      []string  `json:"notices,omitempty"`         // added by cursor-ralph, not delivered yet
	LastFollowup string    `json:"last_followup,omitempty"`   // or what a continue gave the agent since
	Delivery     Delivery  `json:"delivery,omitzero"`         // of the next continuation, or the last one
	StalledAt    time.Time `json:"stalled_at,omitzero"`       // the last event before the stall that was dealt with
	Shown        bool      `json:"followups_shown,omitempty"` // the prompt hook has seen one of the loop's: only then does silence mean that one was lost
	LastStop     StopMark  `json:"last_stop,omitzero"`
	Unannounced  bool      `json:"unannounced,omitempty"` // an agent's call ended it, which starts nothing: the next event of its chat has OnEnd run, and tells the user
}

// Evidence is what was seen of the agent's work.
type Evidence struct {
	ToolCalls     int        `json:"tool_calls,omitempty"`      // since the loop began, those that count
	Note          string     `json:"note,omitempty"`            // what cursor-ralph note put into last_output
	Verifying     Verifying  `json:"verifying,omitzero"`        // a promise that is being verified
	Tree          Tree       `json:"tree,omitzero"`             // the workspace after the last turn
	Edited        []string   `json:"edited,omitempty"`          // files that edit events named, the newest last
	LastAnswer    string     `json:"last_answer,omitempty"`     // a fingerprint of the assistant's last words
	Unchanged     int        `json:"unchanged,omitempty"`       // iterations in a row that changed nothing
	UnchangedSeen int        `json:"unchanged_seen,omitempty"`  // those of them in which a change would have been seen
	Empty         int        `json:"empty_turns,omitempty"`     // in a row, see isIdle
	Struggle      string     `json:"struggle,omitempty"`        // why the agent seems to be stuck; empty if it does not
	TaskCount     *TaskCount `json:"task_count,omitempty"`      // as it was last seen
	Tokens        *Tokens    `json:"tokens,omitempty"`          // of all turns, where they are known
	Reviews       int        `json:"reviews_refused,omitempty"` // since the loop began or was continued
	Checkpoint    int        `json:"checkpoint,omitempty"`      // the last one
	SurveyedAt    time.Time  `json:"surveyed_at,omitzero"`      // when the Survey of the beginning succeeded
	SurveyTold    string     `json:"survey_told,omitempty"`     // what the last Survey could not do
	Uncounted     Iteration  `json:"uncounted,omitzero"`        // what was done in turns that were not counted, for the next record
	Journal       Mark       `json:"journal,omitzero"`
}

// OuterRun is what only a loop of cursor-ralph run has.
type OuterRun struct {
	Asking Asking `json:"asking,omitzero"` // the permission that its agent waits for
}

// Archive is what only the record of a loop has.
type Archive struct {
	Task        string `json:"task,omitempty"`         // as the user gave it, for a reviewer, where the live file has another
	CameFrom    string `json:"came_from,omitempty"`    // the conversation that it was in before
	OnEndBegun  bool   `json:"on_end_begun,omitempty"` // OnEnd was started for this end
	CancelledBy Caller `json:"cancelled_by,omitempty"` // who cancelled it in a chat
	AfterCancel bool   `json:"after_cancel,omitempty"` // the user's first message after a cancel has come
	Folder      Folder `json:"folder,omitzero"`
}

// Folder is the folder of a loop's workspace: where its commands run, and nowhere else.
type Folder struct {
	Workspace string `json:"workspace"` // its name
	Path      string `json:"path"`      // where it is, all links followed
	Number    string `json:"number,omitempty"`
}

// StopMark is the last stop event.
type StopMark struct {
	Generation string    `json:"generation_id"`
	LoopCount  int       `json:"loop_count"`
	At         time.Time `json:"at"`
	Past       bool      `json:"past,omitempty"` // another turn began since, whatever its generation
	Tokens     *Tokens   `json:"tokens,omitempty"`
}

// Mark is how far the journal of a conversation has been read, and which events
// it had last.
type Mark struct {
	Of     string   `json:"of"`
	Offset int64    `json:"offset"`           // bytes
	Events []string `json:"events,omitempty"` // the last ones that were read, with their times

	// The last bytes before Offset, how many and their sum: where /tmp was
	// cleaned a journal that is begun anew may get longer than this one was.
	TailBytes int64  `json:"tail_bytes,omitempty"`
	TailSum   string `json:"tail_sum,omitempty"`
}

// Duration is a time.Duration that reads and writes as text, such as 2h.
type Duration time.Duration

// MarshalText writes the duration as time.Duration prints it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// New returns a loop with the default rules and no task.
func New() State {
	return State{
		Contract: Contract{MaxIterations: defaultMaxIterations, CompletionPromise: defaultPromise},
		Rules:    Rules{MinIterations: 1, MinToolCalls: 1, PromiseMatch: matchExact, NoWork: rejectNoWork},
	}
}
