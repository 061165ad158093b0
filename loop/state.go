package loop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Version is the newest state file this code understands.
const Version = 1

// Limits and defaults of a loop.
const (
	DefaultMaxIterations = 20
	MaxMaxIterations     = 10000
	DefaultPromise       = "COMPLETE"
	DefaultVerifyTimeout = 10 * time.Minute
	DefaultStruggleHint  = 3
	DefaultStaleAfter    = 24 * time.Hour
)

// ErrNewer is returned for a state file of a newer version: it is left alone.
var ErrNewer = errors.New("written by a newer cursor-ralph")

// Status is where a loop stands.
type Status string

// The statuses of a loop. Those in capitals have ended.
const (
	Running         Status = "running"
	Waiting         Status = "waiting" // for a typed or by-hand continuation
	Paused          Status = "paused"
	PromiseAccepted Status = "PROMISE_ACCEPTED"
	MaxIterations   Status = "MAX_ITERATIONS_REACHED"
	MaxDuration     Status = "MAX_DURATION_REACHED"
	UserStopped     Status = "USER_STOPPED"
	Cancelled       Status = "CANCELLED"
	Blocked         Status = "BLOCKED"
	Replaced        Status = "REPLACED"
)

// Ended tells whether a loop with this status is over.
func (s Status) Ended() bool {
	switch s {
	case PromiseAccepted, MaxIterations, MaxDuration, UserStopped, Cancelled, Blocked, Replaced:
		return true
	}
	return false
}

// State is one loop, as it lies in its state file and in a pending file. The
// first seven fields are a public contract: people and agents write them by
// hand, and a file with these alone works.
type State struct {
	Prompt            string `json:"prompt"`
	MaxIterations     int    `json:"max_iterations"`
	CompletionPromise string `json:"completion_promise"`
	Iterations        int    `json:"iterations"`
	SessionIterations int    `json:"session_iterations"`
	Stop              bool   `json:"stop"`
	LastOutput        string `json:"last_output"`

	Version        int      `json:"version,omitempty"`
	ConversationID string   `json:"conversation_id,omitempty"`
	Workspace      string   `json:"workspace,omitempty"`
	Cwd            string   `json:"cwd,omitempty"`     // where it was asked for; the workspace is a guess from it
	Program        string   `json:"program,omitempty"` // how the agent's shell calls cursor-ralph, if not by that name
	Status         Status   `json:"status,omitempty"`
	PauseReason    string   `json:"pause_reason,omitempty"` // user, error, struggling or stale
	Reason         string   `json:"reason,omitempty"`       // the status in words; at a limit the summary
	MinIterations  int      `json:"min_iterations"`
	PromiseMatch   Match    `json:"promise_match,omitempty"`
	PromisePlace   Place    `json:"promise_position,omitempty"`
	MinToolCalls   int      `json:"min_tool_calls"`
	NoWork         NoWork   `json:"on_promise_no_work,omitempty"`
	MaxDuration    Duration `json:"max_duration,omitempty"`
	Verify         string   `json:"verify,omitempty"` // a command that must succeed before a promise counts
	VerifyTimeout  Duration `json:"verify_timeout,omitempty"`
	Plan           bool     `json:"plan,omitempty"`      // asked for: the agent plans and changes nothing
	PlanMode       bool     `json:"plan_mode,omitempty"` // the same, because Cursor's own plan mode is on
	StruggleHint   int      `json:"struggle_hint"`       // iterations without a change before the agent gets a hint; 0 for none
	StrugglePause  int      `json:"struggle_pause,omitempty"`
	OnError        OnError  `json:"on_error,omitempty"`
	StaleAfter     Duration `json:"stale_after,omitempty"`
	Ultrawork      bool     `json:"ultrawork,omitempty"`
	PromptTemplate string   `json:"prompt_template,omitempty"` // the file of the user's own words for a continuation

	Run         Run       `json:"run,omitzero"`           // of an outer loop: how its agent is talked to
	Replace     bool      `json:"replace,omitempty"`      // pending only: it may take the place of a running loop
	Token       string    `json:"token,omitempty"`        // printed by the CLI, so that a hook can bind the file
	ArmedBy     string    `json:"armed_by,omitempty"`     // prompt (the prompt hook), mode (loop mode) or cli
	Confirmed   bool      `json:"confirmed,omitempty"`    // a slash call saw that this loop was armed
	ContinueIn  string    `json:"continue_in,omitempty"`  // the conversation in which the continue line was typed
	ContinueAt  time.Time `json:"continue_at,omitzero"`   // when that was
	ContinuedIn string    `json:"continued_in,omitempty"` // the turn in which a hook did what cursor-ralph continue does
	Continued   string    `json:"continued,omitempty"`    // what the agent was told then
	MovedTo     string    `json:"moved_to,omitempty"`     // archive only: the conversation the loop went to
	SpokenIn    string    `json:"spoken_in,omitempty"`    // archive only: the turn of the user's first message after a cancel
	SpokenAt    time.Time `json:"spoken_at,omitzero"`     // when that was
	CreatedAt   time.Time `json:"created_at,omitzero"`
	StartedAt   time.Time `json:"started_at,omitzero"`
	EndedAt     time.Time `json:"ended_at,omitzero"`
	EventAt     time.Time `json:"last_event_at,omitzero"`

	Rested       bool        `json:"rested,omitempty"`     // a stop was left unanswered: only a user message goes on
	Unseen       bool        `json:"unseen,omitempty"`     // the turn that goes on was handed over: no stop hook sees its end
	Minimal      bool        `json:"minimal,omitempty"`    // the last stop hook ran with --minimal: tools are not seen
	ToolCalls    int         `json:"tool_calls,omitempty"` // since the loop began, those that count
	Note         string      `json:"note,omitempty"`       // what cursor-ralph note put into last_output
	Context      []string    `json:"context,omitempty"`    // added by the user, not delivered yet
	Notices      []string    `json:"notices,omitempty"`    // added by us, not delivered yet
	LastFollowup string      `json:"last_followup,omitempty"`
	LastStop     StopMark    `json:"last_stop,omitzero"`
	Injection    Injection   `json:"injection,omitzero"`          // of the continue line, the last one
	Retries      int         `json:"retries,omitempty"`           // of failed turns, in a row
	RetryAt      time.Time   `json:"retry_at,omitzero"`           // when an outer loop tries a failed turn again
	Verifying    Verifying   `json:"verifying,omitzero"`          // a promise that is being verified
	VerifyFiles  Contents    `json:"verify_files,omitempty"`      // what the verification obviously runs, as it was when the loop began
	Tree         Tree        `json:"tree,omitzero"`               // the workspace after the last turn
	Edited       []string    `json:"edited,omitempty"`            // files that edit events named, the newest last
	Trees        []string    `json:"trees,omitempty"`             // fingerprints of those that were there before
	LastAnswer   string      `json:"last_answer,omitempty"`       // a fingerprint of what the assistant said in it
	Unchanged    int         `json:"unchanged,omitempty"`         // iterations in a row that changed nothing
	Evident      int         `json:"unchanged_evident,omitempty"` // those of them in which a change would have been seen
	Struggle     string      `json:"struggle,omitempty"`          // why the agent seems to be stuck; empty if it does not
	Carried      Iteration   `json:"carried,omitzero"`            // what was done in turns that were not counted, for the next record
	Journal      Mark        `json:"journal,omitzero"`
	History      []Iteration `json:"history,omitempty"`

	// Unknown holds fields that this version does not know; they survive.
	Unknown map[string]json.RawMessage `json:"-"`
}

// StopMark identifies a stop event, to tell a second report of the same one.
type StopMark struct {
	Generation string     `json:"generation_id"`
	LoopCount  int        `json:"loop_count"`
	Status     StopStatus `json:"status"`
	At         time.Time  `json:"at"`
	Past       bool       `json:"past,omitempty"` // the loop was continued since
}

// Mark is how far the journal of a conversation has been folded in, and which
// tool calls were counted last: a second copy of our hook may report them late.
type Mark struct {
	Of     string   `json:"of"`
	Offset int64    `json:"offset"` // bytes
	Tools  []string `json:"tools,omitempty"`

	// The last bytes before Offset, how many and their sum: where /tmp was
	// cleaned a journal that is begun anew may get longer than this one was.
	TailBytes int64  `json:"tail_bytes,omitempty"`
	TailSum   string `json:"tail_sum,omitempty"`
}

// Duration is a time.Duration that reads and writes as text, such as 2h.
type Duration time.Duration

// MarshalText writes the duration as time.Duration prints it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// New returns a loop with the default rules and no task.
func New() State {
	return State{
		MaxIterations: DefaultMaxIterations, CompletionPromise: DefaultPromise, MinIterations: 1,
		MinToolCalls: 1, PromiseMatch: Exact, PromisePlace: Anywhere, NoWork: Reject,
		StruggleHint: DefaultStruggleHint, OnError: PauseOnError, StaleAfter: Duration(DefaultStaleAfter),
	}
}

// Parse reads a state or pending file. What is missing, null or out of range
// gets its default; fields nobody knows are kept; a file of a newer version
// gives ErrNewer, one without a task an error.
func Parse(data []byte) (State, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	s, err := decoded(data)
	switch {
	case err != nil:
		return State{}, newerOr(data, err)
	case s.Version > Version:
		return State{}, ErrNewer
	}
	if strings.TrimSpace(s.Prompt) == "" {
		return State{}, errors.New("there is no task in it: the field prompt is empty")
	}
	return s.normal(), nil
}

// decoded reads a file in one go if it has no field that nobody knows, as almost
// every file; else once more, for those.
func decoded(data []byte) (State, error) {
	s := New()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(&s) == nil && len(bytes.TrimSpace(data[d.InputOffset():])) == 0 {
		s.Unknown = map[string]json.RawMessage{}
		return s, nil
	}
	s = New()
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s.Unknown); err != nil {
		return s, err
	}
	for name := range s.Unknown {
		if known(name) {
			delete(s.Unknown, name)
		}
	}
	return s, nil
}

// newerOr spares a newer version's file, whose fields may have other types.
func newerOr(data []byte, err error) error {
	var v struct{ Version int }
	if json.Unmarshal(data, &v) == nil && v.Version > Version {
		return ErrNewer
	}
	return err
}

func (s State) normal() State {
	s.Version = Version
	s.MaxIterations = within(s.MaxIterations, DefaultMaxIterations, 1, MaxMaxIterations)
	s.MinIterations = max(s.MinIterations, 1)
	s.MinToolCalls = max(s.MinToolCalls, 0)
	s.Iterations = min(max(s.Iterations, 0), MaxMaxIterations)
	s.SessionIterations = min(max(s.SessionIterations, 0), MaxMaxIterations)
	s.Journal.Offset = max(s.Journal.Offset, 0)
	s.Journal.TailBytes = max(s.Journal.TailBytes, 0)
	s.Retries = max(s.Retries, 0)
	s.StruggleHint, s.StrugglePause = max(s.StruggleHint, 0), max(s.StrugglePause, 0)
	if s.StaleAfter <= 0 {
		s.StaleAfter = Duration(DefaultStaleAfter)
	}
	if s.CompletionPromise == "" {
		s.CompletionPromise = DefaultPromise
	}
	if s.Status == "" {
		s.Status = Running
	}
	return s
}

// within gives the default below low, and the highest allowed above high.
func within(n, byDefault, low, high int) int {
	if n < low {
		return byDefault
	}
	return min(n, high)
}

// Encode writes the state as the indented JSON of a state file.
func (s State) Encode() ([]byte, error) {
	object, err := indented(s)
	if err != nil || len(s.Unknown) == 0 {
		return object, err
	}
	extra, err := indented(s.Unknown)
	if err != nil {
		return nil, err
	}
	object = bytes.TrimSuffix(object, []byte("\n}\n"))
	return append(append(object, ','), extra[1:]...), nil
}

// indented writes an object as people write it, without escapes for HTML.
func indented(object any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(object); err != nil {
		return nil, fmt.Errorf("encode state: %w", err)
	}
	return b.Bytes(), nil
}

// known tells whether a field is one of State's. The comparison folds letters
// as encoding/json does.
func known(name string) bool {
	return slices.ContainsFunc(fields(), func(field string) bool { return strings.EqualFold(field, name) })
}

func fields() []string {
	return []string{"prompt", "max_iterations", "completion_promise", "iterations", "session_iterations",
		"stop", "last_output", "version", "conversation_id", "workspace", "cwd", "program", "status", "pause_reason",
		"reason", "min_iterations", "promise_match", "promise_position", "min_tool_calls",
		"on_promise_no_work", "max_duration", "verify", "verify_timeout", "plan", "plan_mode", "struggle_hint",
		"struggle_pause", "on_error", "stale_after", "ultrawork", "prompt_template", "token", "armed_by", "confirmed",
		"continue_in", "continue_at", "continued_in", "continued", "moved_to", "spoken_in", "spoken_at", "replace", "created_at", "started_at", "ended_at", "last_event_at", "rested", "unseen",
		"minimal", "tool_calls", "note", "context", "notices", "last_followup", "last_stop",
		"injection", "retries", "retry_at", "run", "verifying", "verify_files", "tree", "edited", "trees", "last_answer", "unchanged", "unchanged_evident",
		"struggle", "carried", "journal", "history",
	}
}
