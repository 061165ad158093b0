package loop

import (
	"fmt"
	"slices"
	"time"
)

// Run says how the agent of a loop is talked to that cursor-ralph run drives, and
// not Cursor. The zero Run is that of a loop in Cursor.
type Run struct {
	Agent       string `json:"agent"`                 // its name, as people know it
	Driver      string `json:"driver"`                // acp or program
	Command     string `json:"command,omitempty"`     // what starts it, where the user said that
	Model       string `json:"model,omitempty"`       // empty for the agent's own choice
	Permissions string `json:"permissions,omitempty"` // ask, edits, all or none
	Fresh       bool   `json:"fresh,omitempty"`       // every turn is in a new session
	Session     string `json:"session,omitempty"`     // the agent's name of the session that goes on
}

// Outer reports whether cursor-ralph run drives the loop, and not Cursor.
func (s *State) Outer() bool { return s.Run.Driver != "" }

// PrintsOnly is the driver of an agent that only prints.
const PrintsOnly = "program"

// HidesTools reports whether the agent's tool calls are not seen.
func (s *State) HidesTools() bool { return s.Run.Driver == PrintsOnly }

// Asking is a permission that the agent of an outer loop waits for.
type Asking struct {
	Since time.Time `json:"since"`
	What  string    `json:"what"`
}

// IsAsking reports whether the agent waits for the user's permission.
func (s *State) IsAsking() bool { return !s.Asking.Since.IsZero() }

// endsAsking reports whether the agent no longer waits for a permission after an event.
func endsAsking(e *Event) bool {
	return e.Kind == EventAsking && e.Text == "" || e.Kind == EventStop || e.Kind == EventContinue || e.Kind == EventInterrupt
}

// onInterrupt is an outer loop whose process ends. A loop that is paused already
// keeps its reason.
func (s *State) onInterrupt(e *Event) {
	if s.isCutShort() {
		s.takeBackContext()
	}
	s.Idle = true
	if s.Status == Paused {
		return
	}
	reason := PauseUser
	if e.Status == Errored {
		reason = pauseError
	}
	s.pause(reason, e.Text)
}

// takeBackContext takes back the user's context that went with a turn which did
// not end.
func (s *State) takeBackContext() {
	n := len(s.History)
	if n == 0 {
		return
	}
	s.History, s.Context = slices.Clone(s.History), slices.Clone(s.Context)
	last := &s.History[n-1]
	for _, text := range slices.Backward(last.Context) {
		if !slices.Contains(s.Context, text) {
			s.Context = slices.Insert(s.Context, 0, text)
		}
	}
	last.Context = nil
}

// isCutShort reports whether the last turn of an outer loop did not end.
func (s *State) isCutShort() bool {
	return s.Outer() && (s.Status == Running || s.PauseReason == pauseError)
}

// refuseOuter refuses to involve Cursor in an outer loop.
func (s *State) refuseOuter(now time.Time) Action {
	a := Action{Kind: Refuse, Reason: reasonOuter}
	switch command := s.ResumeCommand(now); {
	case command == "":
		a.Hint = "it cannot be continued; start another with " + s.starter()
	case s.Status.Ended():
		a.Hint = "to continue: " + command
	default:
		a.Hint = fmt.Sprintf("cursor-ralph resume %s if its run lives, else %s", s.ShortID(), command)
	}
	return a
}

// judgeWithoutTools is the rule about work for an agent whose tool calls are not
// seen: a changed file will do, or a verification, which runs next. Without git,
// where nothing could show a change, the rule is skipped.
func (s *State) judgeWithoutTools(e *Event) verdict {
	v := verdict{found: true, accepted: true}
	const missing = "no file has changed since the loop began"
	switch looked := s.Tree.Print != "" && e.Tree.Print != "" && s.Tree.Root == e.Tree.Root; {
	case s.Verify != "" || s.hasChangedFile(e):
	case !looked:
		v.warning = "this agent's tool calls are not seen, nor whether a file changed, so the rule about work was skipped"
	case s.NoWork == warnNoWork:
		v.warning = missing
	default:
		return verdict{found: true, refused: missing + "; do the work first"}
	}
	return v
}

// hasChangedFile reports whether any file is known to have changed since the loop began.
func (s *State) hasChangedFile(e *Event) bool {
	changed := func(h Iteration) bool { return len(h.Files) > 0 }
	return slices.ContainsFunc(s.History, changed) || len(s.changedFiles(e, e.Turn.Files)) > 0
}
