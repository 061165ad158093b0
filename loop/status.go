package loop

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

// PauseReason is why a loop is paused.
type PauseReason string

// The reasons of a pause.
const (
	PauseUser       PauseReason = "user"
	pauseError      PauseReason = "error"
	pauseStruggling PauseReason = "struggling"
	pauseIdle       PauseReason = "idle"
	pauseStale      PauseReason = "stale"
)

// Ended reports whether a loop with this status is over.
func (s Status) Ended() bool {
	switch s {
	case PromiseAccepted, MaxIterations, MaxDuration, UserStopped, Cancelled, Blocked, Replaced:
		return true
	}
	return false
}

// Resumable reports whether a loop with this status can be continued.
func (s Status) Resumable() bool {
	return s != PromiseAccepted && s != Cancelled && s != Replaced
}
