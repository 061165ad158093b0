package loop

import "strings"

// Reason is why Decide decided as it did. Action.Why puts it into words.
type Reason string

// The reasons that callers look at; the empty one is no reason.
const (
	reasonNoPromise      Reason = "no-promise"
	reasonPromiseRefused Reason = "promise-refused"
	ReasonSessionLimit   Reason = "session-limit" // Detail says why the loop goes on
	reasonFreshChat      Reason = "fresh-chat"    // the same
	ReasonContinued      Reason = "continued"
	ReasonLatePromise    Reason = "late-promise" // accepted after a limit had ended the loop
	ReasonLateRefused    Reason = "late-refused" // refused then
	ReasonPassed         Reason = "passed"       // of a verification or a typed line, in the log alone
	ReasonFailed         Reason = "failed"
	ReasonOver           Reason = "over"  // refused: the promise was accepted before
	ReasonEnded          Reason = "ended" // refused: the loop had ended before
)

const (
	reasonAccepted         Reason = "promise-accepted"
	reasonMaxIterations    Reason = "max-iterations"
	reasonMaxDuration      Reason = "max-duration"
	reasonMaxTokens        Reason = "max-tokens"
	reasonUserStopped      Reason = "user-stopped"
	reasonCancelled        Reason = "cancelled"
	reasonBlocked          Reason = "blocked"
	reasonReplaced         Reason = "replaced"
	reasonTurnFailed       Reason = "turn-failed"
	reasonTurnUnread       Reason = "turn-unread"
	reasonStruggling       Reason = "struggling"
	reasonIdle             Reason = "idle"
	reasonReview           Reason = "review"
	reasonGateFailed       Reason = "gate-failed"
	reasonStale            Reason = "stale"
	reasonPaused           Reason = "paused"
	reasonUnknownStatus    Reason = "unknown-status"
	reasonTurnBefore       Reason = "turn-before"
	reasonTextDue          Reason = "text-due"
	reasonVerifying        Reason = "verifying"
	reasonVerifyOpen       Reason = "verify-open"
	reasonVerifyObsolete   Reason = "verify-obsolete"
	reasonAgain            Reason = "continued-already"
	reasonAskedFor         Reason = "asked-for"
	reasonTypingAlready    Reason = "typing-already"
	reasonNoTyping         Reason = "no-typing" // refused: nothing types into the program that has the chat
	reasonKeptBack         Reason = "kept-back"
	reasonNotNew           Reason = "not-new"  // refused: the line is for a new chat
	reasonOccupied         Reason = "occupied" // refused: the chat of the line has a loop of its own
	reasonTooLate          Reason = "too-late" // refused: the loop went on before the new chat began
	reasonFollowupLost     Reason = "followup-lost"
	reasonStalled          Reason = "stalled"
	reasonNotPaused        Reason = "not-paused"
	reasonRunsAlready      Reason = "runs-already"
	reasonStopCrossed      Reason = "stop-crossed"
	reasonPauseCrossed     Reason = "pause-crossed"
	reasonUsers            Reason = "users"
	reasonTooLow           Reason = "too-low"
	reasonNotSet           Reason = "not-set"
	reasonOuter            Reason = "outer"
	reasonLastFollowup     Reason = "last-followup"
	reasonFirstAfterCancel Reason = "first-after-cancel"
)

// Pauses reports whether an event paused the loop for this reason, and not the
// user.
func (r Reason) Pauses() bool {
	switch r {
	case reasonTurnFailed, reasonTurnUnread, reasonStruggling, reasonIdle, reasonReview, reasonGateFailed, reasonStale:
		return true
	}
	return false
}

// text says a reason; %s is the detail.
func (r Reason) text(detail string) string {
	for _, w := range reasonWords {
		if w.reason == r {
			return strings.Replace(w.words, "%s", detail, 1)
		}
	}
	return ""
}

// reasonWords is searched, and not a map: the hook would build that at every event.
var reasonWords = []struct {
	reason Reason
	words  string
}{
	{reasonNoPromise, "no promise"},
	{reasonPromiseRefused, "promise refused"},
	{ReasonSessionLimit, "%s; session limit reached"},
	{reasonFreshChat, "%s; it is time for a new chat"},
	{reasonNotNew, "this loop goes on in a new chat, and this one is not new"},
	{reasonOccupied, "a loop runs in this chat already"},
	{ReasonContinued, "continued"},
	{ReasonLatePromise, "promise accepted in a late text"},
	{ReasonLateRefused, "late promise refused: %s"},

	{reasonAccepted, "promise accepted"},
	{reasonMaxIterations, "the limit of %s is reached"},
	{reasonMaxDuration, "the time limit of %s is reached"},
	{reasonMaxTokens, "the limit of %s is reached"},
	{reasonUserStopped, "stopped by the user"},
	{reasonCancelled, "%s"},
	{reasonBlocked, "blocked: %s"},
	{reasonReplaced, "replaced by another loop in this conversation"},
	{reasonTurnFailed, "%s"},
	{reasonTurnUnread, "this turn had %s: it is not counted, and a promise in it is lost"},
	{reasonStruggling, "STRUGGLING: %s"},
	{reasonIdle, "IDLE: %s turns in a row ended within seconds, without a tool call or a changed file"},
	{reasonReview, "the reviewer refused the promise %s"},
	{reasonGateFailed, "%s"},
	{reasonStale, "no event for %s; send the continue line to go on"},
	{reasonPaused, "the loop is paused: %s"},
	{reasonUnknownStatus, "this version does not know the status %s"},
	{reasonTurnBefore, "this turn began before the message that the loop goes on with"},
	{reasonTextDue, "the agent gets the text that it may lack; this turn does not count"},
	{reasonVerifying, "the promise is being verified"},
	{reasonVerifyOpen, "the promise of this loop is being verified"},
	{reasonVerifyObsolete, "this verification was abandoned or replaced"},
	{reasonAgain, "continued already in this turn"},
	{reasonAskedFor, "requested by the user"},
	{reasonTypingAlready, "the continue line is being typed already"},
	{reasonNoTyping, "the loop's chat is in %s, and only Cursor is typed into"},
	{reasonKeptBack, keptBackWords},
	{reasonTooLate, "the loop went on, or was paused, before this chat began"},
	{reasonFollowupLost, "the follow-up was lost"},
	{reasonStalled, "no event for %s"},
	{reasonNotPaused, "the loop is not paused"},
	{reasonRunsAlready, "it runs already"},
	{reasonStopCrossed, "the loop was stopped while its continue line was on its way"},
	{reasonUsers, "only the user can continue this loop (%s)"},
	{reasonPauseCrossed, "the loop was paused while its continue line was on its way"},
	{reasonTooLow, "a limit of %s is too low"},
	{ReasonOver, "the loop is over: its promise was accepted"},
	{ReasonEnded, "the loop has ended (%s)"},
	{reasonNotSet, "%s"},
	{reasonOuter, "this loop belongs to cursor-ralph run, not to a chat"},
	{reasonLastFollowup, "the message is the last follow-up of a loop that has ended"},
	{reasonFirstAfterCancel, "the first message after a cancel starts no loop"},
}
