package loop

import (
	"slices"
	"strings"
	"time"
)

// Survey is what a loop with tasks, checkpoints or a review needs to know about its
// workspace when it begins, and at the end of each turn.
type Survey struct {
	Taken      bool       `json:"taken,omitempty"`
	Tasks      *TaskCount `json:"tasks,omitempty"`      // nil without --tasks
	Checkpoint int        `json:"checkpoint,omitempty"` // made now; 0 for none, or for the first
	Errors     []string   `json:"errors,omitempty"`     // in words: what could not be done, for the log and the agent
}

// Surveyed returns a new loop with the survey of its beginning.
func (s State) Surveyed(v Survey, now time.Time) State {
	s.Notices = slices.Clone(s.Notices)
	s.beginSurvey(v, now)
	return s
}

func (s *State) beginSurvey(v Survey, now time.Time) {
	if v.Taken && len(v.Errors) == 0 {
		s.SurveyedAt = now
	}
	s.takeSurvey(v)
}

// takeSurvey takes in the survey of a turn's end.
func (s *State) takeSurvey(v Survey) {
	if !v.Taken {
		return
	}
	s.takeTasks(v.Tasks)
	if s.Baseline == 0 && v.Tasks != nil {
		s.Baseline = v.Tasks.Total
	}
	if v.Checkpoint > 0 {
		s.Checkpoint = v.Checkpoint
	}
	s.tellSurvey(strings.Join(v.Errors, "; "))
}

// tellSurvey tells the agent once what a survey could not do, and the user in its words.
func (s *State) tellSurvey(trouble string) {
	if trouble != "" && trouble != s.SurveyTold {
		s.Notices = addOnce(s.Notices, "cursor-ralph could not do all it should at the end of a turn. Tell the user: "+trouble)
	}
	s.SurveyTold = trouble
}

// TaskCount is how far a task list has been done.
type TaskCount struct {
	Done  int    `json:"done"`
	Total int    `json:"total"`
	Next  string `json:"next,omitempty"`  // the first open task
	Began int    `json:"began,omitempty"` // tasks when the loop began, if there are fewer now
	Error string `json:"error,omitempty"` // why the list cannot be read
}

// Tokens are what the agent's model has read and written. Where they are not
// reported there is no Tokens.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
}

// Sum is what --max-tokens limits.
func (t Tokens) Sum() int64 { return t.Input + t.Output }

// Gate is a condition that a promise has to pass beside the rules, in this order.
type Gate string

// The gates.
const (
	GateTasks  Gate = "tasks"
	GateVerify Gate = "verify"
	GateReview Gate = "review"
)

// Review is what the reviewer of --review said.
type Review struct {
	Agent    string   `json:"agent"`
	Verdict  Verdict  `json:"verdict"`
	Findings []string `json:"findings,omitempty"`
	Why      string   `json:"why,omitempty"` // of ReviewFailed
	Seconds  float64  `json:"duration_seconds"`
}

// Verdict is the outcome of a review.
type Verdict string

// The verdicts.
const (
	ReviewClear  Verdict = "clear"
	ReviewFound  Verdict = "findings"
	ReviewFailed Verdict = "error" // the reviewer gave no valid answer
)
