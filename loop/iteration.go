package loop

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Iteration is one turn that the loop counted.
type Iteration struct {
	Number     int            `json:"iteration"`
	StartedAt  time.Time      `json:"started_at"`
	EndedAt    time.Time      `json:"ended_at"`
	Seconds    float64        `json:"duration_seconds"`
	Promise    string         `json:"promise"` // none, accepted or refused
	Refused    string         `json:"refused,omitempty"`
	Warning    string         `json:"warning,omitempty"`
	Verified   *Verification  `json:"verification,omitempty"` // of the promise, with the end of its output where that refused
	Tools      map[string]int `json:"tools,omitempty"`
	Files      []string       `json:"files,omitempty"`           // changed, as the edit events and git tell
	Errors     []string       `json:"errors,omitempty"`          // a line each
	Failed     []string       `json:"failed_commands,omitempty"` // of the agent's shell
	Answer     string         `json:"answer,omitempty"`          // how the assistant's last words begin
	Progress   Progress       `json:"progress,omitempty"`
	Struggle   string         `json:"struggle,omitempty"`   // why the agent seemed to be stuck
	Checkpoint int            `json:"checkpoint,omitempty"` // of the work tree after it
	Tasks      *TaskCount     `json:"tasks,omitempty"`      // how many were done after it
	Tokens     *Tokens        `json:"tokens,omitempty"`
	Changes    []Change       `json:"changes,omitempty"` // of limits and gates, before it ended
	Context    []string       `json:"context,omitempty"` // delivered with the continuation that follows
	Note       string         `json:"note,omitempty"`    // the last one of the agent's in it
	Action     string         `json:"action"`
	Lines      []Delivery     `json:"injections,omitempty"` // what became of the continue lines that follow
	Delivery   Outcome        `json:"delivery,omitempty"`   // what became of the follow-up that follows, if it was lost
}

// keptHistory is how many iterations a loop's file has at most.
const keptHistory = 50

const keptAnswer = 400 // bytes of what the assistant said

func (s *State) addHistory(e *Event, now time.Time, v verdict, action string) {
	started := s.StartedAt
	if n := len(s.History); n > 0 {
		started = s.History[n-1].EndedAt
	}
	h := s.Uncounted.with(e.Turn)
	h.Number, h.StartedAt, h.EndedAt = s.Iterations, started, now
	paused := s.pausedFor(now)
	h.Seconds = max(0, now.Sub(started)-paused+time.Duration(s.Pauses.Before)).Round(time.Millisecond).Seconds() // the clock may have been set back
	h.Promise, h.Refused, h.Warning, h.Verified = v.name(), v.refused, v.warning, v.check.short()
	if h.Checkpoint = e.Survey.Checkpoint; h.Checkpoint != h.Number {
		h.Checkpoint = 0 // of another turn
	}
	h.Tasks = s.TaskCount.short()
	h.Files, h.Answer, h.Action = s.changedFiles(e, h.Files), answer(e.Turn.Texts), action
	s.History, s.Uncounted, s.Pauses.Before = append(s.History, h), Iteration{}, Duration(paused)
	s.History = s.History[max(0, len(s.History)-keptHistory):]
	s.updateProgress(e)
}

// with adds to a record what was done in a turn, counted or not.
func (h Iteration) with(t Turn) Iteration {
	h.Tools, h.Tokens = maps.Clone(h.Tools), h.Tokens.Plus(t.Tokens)
	if h.Tools == nil && len(t.Tools) > 0 {
		h.Tools = map[string]int{}
	}
	for name, n := range t.Tools {
		h.Tools[name] += n
	}
	add := func(list *[]string, facts []string) {
		*list = slices.Clone(*list)
		for _, fact := range facts {
			*list = addFact(*list, fact)
		}
	}
	add(&h.Files, t.Files)
	add(&h.Errors, t.Errors)
	add(&h.Failed, t.Failed)
	return h
}

// answer is how the last of the assistant's words begin.
func answer(texts []string) string {
	for _, said := range slices.Backward(texts) {
		if said = strings.TrimSpace(said); said != "" {
			return text.Head(said, keptAnswer)
		}
	}
	return ""
}
