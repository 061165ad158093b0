package view

import (
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Action is something that a loop can be asked to do now.
type Action struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Steps are the arguments of cursor-ralph, one run after the other until one fails.
	Steps [][]string `json:"steps,omitempty"`
	// Terminal is for steps that talk to the user.
	Terminal bool `json:"terminal,omitempty"`
}

// actions returns what a loop can be asked to do now, the most useful first.
func (l Loop) actions() []Action {
	act := func(name, title string, steps ...[]string) Action {
		return Action{Name: name, Title: title, Steps: steps}
	}
	context, cancel := act("context", "Add context…", []string{"context", l.ID, "--"}), act("cancel", "Cancel…", []string{"cancel", l.ID})
	pause, goOn := act("pause", "Pause", []string{"pause", l.ID}), l.goOnActions()
	switch l.Status {
	case Pending:
		return append(goOn, context, cancel)
	case Running, Stalled, Waiting:
		return append(goOn, pause, context, cancel)
	case Paused:
		if len(goOn) == 0 || !goOn[0].Terminal {
			goOn = []Action{l.resume()}
		}
		return append(goOn, context, cancel)
	case Interrupted:
		return append(goOn, cancel)
	}
	return goOn // of an ended one
}

func (l Loop) resume() Action {
	step := []string{"resume", l.ID}
	if l.Kind == Chat && !l.NewChat {
		step = append(step, "--type")
	}
	return Action{Name: "resume", Title: "Resume", Steps: [][]string{step}}
}

// goOnActions returns how the user can have the loop go on, if it does not by itself.
func (l Loop) goOnActions() []Action {
	typed := []string{"resume", l.ID, "--type"}
	command := strings.Fields(strings.TrimPrefix(l.Continue, "cursor-ralph "))
	switch {
	case l.Continue == "" || l.Status == Running:
		return nil
	case l.Status == Pending:
		return []Action{{Name: "begin", Title: "Begin in a chat…"}}
	case l.NewChat:
		return []Action{{Name: "continue", Title: "Continue in a new chat…"}}
	case l.Kind == Run:
		return []Action{{Name: "continue", Title: "Continue in a terminal", Steps: [][]string{command}, Terminal: true}}
	case strings.HasPrefix(l.Continue, "/"):
		return []Action{{Name: "continue", Title: "Continue now", Steps: [][]string{typed}}}
	}
	return []Action{{Name: "continue", Title: "Continue now", Steps: [][]string{command, typed}}}
}

// needsUser reports whether the loop stands still until its user does something.
func needsUser(s loop.State, l Loop, now time.Time) bool {
	switch l.Status {
	case Pending:
		return l.Continue != ""
	case Stalled, Interrupted:
		return true
	case Paused:
		return l.PauseReason != loop.PauseUser
	case Waiting:
		return l.WaitingFor == ForPermission || l.WaitingFor == ForContinuation && !s.Delivery.IsTyping(now)
	}
	return false
}
