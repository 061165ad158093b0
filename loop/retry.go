package loop

import (
	"cmp"
	"fmt"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// OnError says what happens when a turn fails.
type OnError string

// The policies. A retry waits until it was seen that this Cursor reports the
// user's Stop as aborted: some are reported to call it an error.
const (
	pauseOnError OnError = "pause"
	retryOnError OnError = "retry"
)

const (
	maxRetries = 4 // in a row
	firstRetry = 30 * time.Second
)

// onFailed is a turn that Cursor reports as an error. Cursor ignores the answer,
// so the loop pauses, or has the continue line typed after a while. The turn does
// not count.
func (s *State) onFailed(e *Event, now time.Time) Action {
	why := "the turn failed: " + cmp.Or(s.Host, "Cursor") + " reported " + string(e.Status)
	if s.Outer() {
		return s.onOuterFailed(e, now)
	}
	s.Idle = true
	switch {
	case s.OnError != retryOnError:
	case s.Host != "":
		why += "; it is not tried again, because nothing can type there"
	case !e.Aborts:
		why += "; it is not tried again, because it is not known yet whether this Cursor reports your Stop button as an error too"
	case s.Retries >= maxRetries:
		why += fmt.Sprintf("; %d tries in a row failed", s.Retries)
	case e.Typing != TypingPossible:
		why += "; it is not tried again, because nothing can type here"
	default:
		return s.retry(e, why, now)
	}
	s.pause(pauseError, why)
	return Action{Reason: reasonTurnFailed, Detail: why}
}

// retries reports whether a turn that failed is tried again, if anything can type.
func (s *State) retries(e *Event) bool {
	return s.OnError == retryOnError && e.Aborts && s.Retries < maxRetries
}

// retry has the continue line typed after 30 s, 1, 2 and 4 minutes.
func (s *State) retry(e *Event, why string, now time.Time) Action {
	wait := firstRetry << s.Retries
	s.Retries++
	s.openLine(e, now)
	s.Delivery.DueAt = now.Add(wait)
	s.Status, s.Reason = Waiting, fmt.Sprintf("%s; it is tried again after %s (%d of %d)", why, text.Duration(wait), s.Retries, maxRetries)
	return Action{Kind: Inject, Reason: reasonRetry, Detail: s.Reason}
}
