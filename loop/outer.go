package loop

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Run says how the agent of a loop is talked to that cursor-ralph run drives, and
// not Cursor. The zero Run is that of a loop in Cursor.
type Run struct {
	Agent       string   `json:"agent"`                 // its name, as people know it
	Driver      string   `json:"driver"`                // acp or print
	Command     string   `json:"command,omitempty"`     // what starts it, where the user said that
	Model       string   `json:"model,omitempty"`       // empty for the agent's own choice
	Args        []string `json:"args,omitempty"`        // further arguments for the agent
	Permissions string   `json:"permissions,omitempty"` // ask, edits, all or none
	Fresh       bool     `json:"fresh,omitempty"`       // every turn is in a new session
	NoTools     bool     `json:"no_tools,omitempty"`    // it is not told which tools the agent uses
	Session     string   `json:"session,omitempty"`     // the agent's name of the session that goes on
}

// Outer tells whether cursor-ralph run drives the loop, and not Cursor.
func (s State) Outer() bool { return s.Run.Driver != "" }

// maxTransient is how often in a row a turn is tried again that failed for a
// reason which goes away by itself.
const maxTransient = 8

const (
	longestBackoff = 8 * time.Minute
	longestWait    = 12 * time.Hour // whatever the agent asks for
)

// transient is a turn of an outer loop that failed for a reason which goes away
// by itself. It is tried again, after the time that the agent gave, or 30 s, 1,
// 2, 4 and 8 minutes.
func (s State) transient(e Event, now time.Time) (State, Action) {
	why := clip(e.Text, keptErrors)
	if s.Status == Paused || s.Stop || s.Retries >= maxTransient {
		e.Kind, e.Status = EventStop, Errored
		return s.stopped(e, now)
	}
	wait := min(firstRetry<<s.Retries, longestBackoff)
	if e.After > 0 {
		wait = min(time.Duration(e.After), longestWait)
	}
	return s.postponed(why, wait, maxTransient, now)
}

// turnFailed is failed in an outer loop, which can try again without a user who
// types.
func (s State) turnFailed(e Event, now time.Time) (State, Action) {
	why := "the turn failed: " + clip(cmp.Or(e.Text, string(e.Status)), keptErrors)
	s.Rested = true
	if s.OnError == RetryOnError && s.Retries < maxRetries {
		return s.postponed(why, firstRetry<<s.Retries, maxRetries, now)
	}
	if s.Retries > 0 {
		why += fmt.Sprintf("; %d tries in a row failed", s.Retries)
	}
	return s.pause("error", why), Action{Why: why}
}

// postponed lets the agent rest for a while. The end of the loop's time is not
// slept through.
func (s State) postponed(why string, wait time.Duration, tries int, now time.Time) (State, Action) {
	s.Retries++
	s.Status, s.Rested, s.RetryAt = Waiting, true, now.Add(wait)
	if end := s.StartedAt.Add(time.Duration(s.MaxDuration)); s.MaxDuration > 0 && end.Before(s.RetryAt) {
		s.RetryAt = end
	}
	s.Reason = fmt.Sprintf("%s; it is tried again after %s (%d of %d)", why, wait, s.Retries, tries)
	return s, Action{Kind: Again, Why: s.Reason}
}

// again begins a turn once more that had failed.
func (s State) again(now time.Time) (State, Action) {
	if s.Status != Waiting || s.RetryAt.IsZero() {
		return s, Action{Kind: Refuse, Why: "the loop waits for no other try"}
	}
	if status, limit, _ := s.atLimit(now); status != "" {
		return s.end(status, s.summary(limit, now), now), Action{Why: limit}
	}
	s.Status, s.Rested, s.Reason, s.RetryAt = Running, false, "", time.Time{}
	return s, Action{Why: "the turn is tried again"}
}

// interrupted is an outer loop whose process ends. A loop that is paused
// already keeps its reason.
func (s State) interrupted(e Event) State {
	if s.cut() {
		s = s.undelivered()
	}
	s.Rested = true
	if s.Status == Paused {
		return s
	}
	if e.Status == Errored {
		return s.pause("error", e.Text)
	}
	return s.pause("user", e.Text)
}

// undelivered gives the user's context back that went with a turn which did not
// come to its end.
func (s State) undelivered() State {
	n := len(s.History)
	if n == 0 {
		return s
	}
	last := &s.History[n-1]
	for _, text := range slices.Backward(last.Context) {
		if !slices.Contains(s.Context, text) {
			s.Context = slices.Insert(s.Context, 0, text)
		}
	}
	last.Context = nil
	return s
}

// cut tells whether the last turn of an outer loop did not come to its end.
func (s State) cut() bool {
	return s.Outer() && (s.Status == Running || !s.RetryAt.IsZero() || s.PauseReason == "error")
}

// notHere refuses what would have Cursor take part in an outer loop.
func (s State) notHere() Action {
	return Action{Kind: Refuse, Why: "this loop is one of cursor-ralph run, and of no chat",
		Hint: fmt.Sprintf("cursor-ralph resume %s if its run lives, else cursor-ralph run --resume %s", s.ConversationID, s.ConversationID)}
}

// withoutTools is the rule about work for an agent whose tool calls are not
// seen: a file that changed will do, and so will a verification, which is made
// next.
func (s State) withoutTools(e Event) verdict {
	v := verdict{found: true, accepted: true}
	if s.Verify == "" && !s.fileChanged(e) {
		v.warning = "this agent's tool calls are not seen, and no file was seen to change, so the rule about work was skipped"
	}
	return v
}

// fileChanged tells whether a file was seen to change since the loop began.
func (s State) fileChanged(e Event) bool {
	for _, h := range s.History {
		if len(h.Files) > 0 {
			return true
		}
	}
	return len(s.changedFiles(e, e.Turn.Files)) > 0
}
