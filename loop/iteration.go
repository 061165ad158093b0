package loop

import (
	"slices"
	"strings"
	"time"
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
	Verified   *Verification  `json:"verification,omitempty"` // of the promise, without its output
	Tools      map[string]int `json:"tools,omitempty"`
	Files      []string       `json:"files,omitempty"`           // changed, as the edit events and git tell
	Errors     []string       `json:"errors,omitempty"`          // a line each
	Failed     []string       `json:"failed_commands,omitempty"` // of the agent's shell
	Answer     string         `json:"answer,omitempty"`          // how the assistant's last words begin
	Progress   Progress       `json:"progress,omitempty"`
	Struggle   string         `json:"struggle,omitempty"` // why the agent seemed to be stuck
	Tree       string         `json:"tree,omitempty"`     // Tree.Print after it
	Head       string         `json:"head,omitempty"`     // git's commit after it
	Context    []string       `json:"context,omitempty"`  // delivered with the continuation that follows
	Action     string         `json:"action"`
	Injections []Injection    `json:"injections,omitempty"` // what became of the continue lines that follow
}

// KeptHistory is how many iterations a loop's file holds at most; package state
// keeps the older ones beside the archive.
const KeptHistory = 50

// Older parts the history: the iterations that do not fit into the loop's file,
// and the loop without them.
func (s State) Older() ([]Iteration, State) {
	n := max(0, len(s.History)-KeptHistory)
	older := s.History[:n]
	s.History = slices.Clone(s.History[n:])
	return older, s
}

const keptAnswer = 400 // bytes of what the assistant said

func (s State) addHistory(e Event, now time.Time, v verdict, action string) State {
	started := s.StartedAt
	if n := len(s.History); n > 0 {
		started = s.History[n-1].EndedAt
	}
	s.History = append(s.History, Iteration{
		Number: s.Iterations, StartedAt: started, EndedAt: now,
		Seconds: now.Sub(started).Round(time.Millisecond).Seconds(),
		Promise: v.name(), Refused: v.refused, Warning: v.warning, Verified: v.check.short(),
		Tools: e.Turn.Tools, Files: s.changedFiles(e), Errors: e.Turn.Errors, Failed: e.Turn.Failed,
		Answer: answer(e.Turn.Texts), Action: action,
	})
	return s.progressed(e)
}

// answer is how the last of the assistant's words begin.
func answer(texts []string) string {
	for _, text := range slices.Backward(texts) {
		if text = strings.TrimSpace(text); text != "" {
			return clipText(text, keptAnswer)
		}
	}
	return ""
}
