package loop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SentFollowup is the answer to the last stop, on its way to the agent. Cursor can
// lose the answer of a hook (PROTOCOL.md, "The answer can be lost"), so it is
// open until something proves that it arrived, or makes it obsolete.
type SentFollowup struct {
	ID         string    `json:"id"`                       // identifies it
	Iteration  int       `json:"iteration"`                // the one that it follows
	Generation string    `json:"generation_id,omitempty"`  // of the turn that it follows
	Cursor     string    `json:"cursor_version,omitempty"` // of the Cursor that got it
	SentAt     time.Time `json:"sent_at"`
	DueAt      time.Time `json:"due_at"` // when it counts as lost
	ClosedAt   time.Time `json:"closed_at,omitzero"`
	Outcome    Delivery  `json:"outcome,omitempty"`
	Notices    []string  `json:"notices,omitempty"`   // that went with it
	Injection  string    `json:"injection,omitempty"` // the second delivery
	Replaced   string    `json:"replaced,omitempty"`  // the sum of the last one whose place another continuation took
}

// Delivery is what became of a follow-up.
type Delivery string

// The outcomes of a follow-up.
const (
	followupOpen    Delivery = ""
	FollowupShown   Delivery = "shown"   // the prompt hook saw its text
	FollowupUnshown Delivery = "unshown" // the turn went on, and the prompt hook never saw its text
	followupClosed  Delivery = "closed"  // the user's message, stop, pause or cancel came first
	followupPaused  Delivery = "paused"  // a pause came first: resume opens it anew
	FollowupLost    Delivery = "lost"    // nothing proved it in time: it is delivered once more
	FollowupLate    Delivery = "late"    // it arrived after it had been given up
	FollowupAgain   Delivery = "again"   // its second delivery arrived
)

// followupWait is how long a follow-up may take to reach the prompt hook before
// it counts as lost, unless the stop event says otherwise.
const followupWait = 20 * time.Second

// openFollowup opens a follow-up for the answer to a stop.
func (s *State) openFollowup(e *Event, text string, now time.Time) {
	if s.Outer() {
		return
	}
	replaced := s.Followup.Replaced
	if replaced == textSum(text) {
		replaced = ""
	}
	s.Followup = SentFollowup{
		ID: momentID(now), Iteration: s.Iterations, Generation: e.Generation,
		Cursor: e.CursorVersion, SentAt: now, DueAt: now.Add(cmp.Or(e.FollowupWait, followupWait)), Notices: s.Notices, Replaced: replaced,
	}
}

// momentID names what happens once, by its time.
func momentID(now time.Time) string { return strconv.FormatInt(now.UnixNano(), 36) }

// IsOpen reports whether nothing is known yet of the follow-up's arrival.
func (f SentFollowup) IsOpen() bool { return f.ID != "" && f.Outcome == followupOpen }

// hasArrived reports whether the agent surely got the follow-up.
func (f SentFollowup) hasArrived() bool {
	return f.Outcome == FollowupShown || f.Outcome == FollowupUnshown || f.Outcome == FollowupLate
}

// closeFollowup sets the outcome of an open follow-up.
func (s *State) closeFollowup(outcome Delivery, now time.Time) {
	if s.Followup.IsOpen() || s.Followup.Outcome == followupPaused {
		s.Followup.Outcome, s.Followup.ClosedAt = outcome, now
	}
}

// reopenFollowup waits once more for a follow-up that a pause closed: it may have
// been lost, with the agent idle.
func (s *State) reopenFollowup(now time.Time) {
	if f := &s.Followup; s.Status == Running && f.Outcome == followupPaused {
		f.DueAt = now.Add(f.DueAt.Sub(f.SentAt))
		f.ID, f.SentAt, f.ClosedAt, f.Outcome = momentID(now), now, time.Time{}, followupOpen
	}
}

// setDelivery sets the outcome of a lost follow-up, also in the history.
func (s *State) setDelivery(outcome Delivery, now time.Time) {
	s.Followup.Outcome, s.Followup.ClosedAt = outcome, now
	for i := range s.History {
		if h := &s.History[i]; h.Number == s.Followup.Iteration {
			h.Delivery = outcome
		}
	}
}

// deliveryAtStop returns what a stop proves about the follow-up that began its turn.
func (e *Event) deliveryAtStop() Delivery {
	switch {
	case e.Turn.Followed:
		return FollowupShown
	case e.Status == Completed && e.Turn.isActive() && !e.Minimal:
		return FollowupUnshown
	}
	return followupClosed
}

// onOwnMessage is our own follow-up in the prompt hook. If it was given up as
// lost, its second delivery is cancelled, or, if that came first, the follow-up is
// kept back: the agent gets one of the two.
func (s *State) onOwnMessage(now time.Time) Action {
	switch {
	case s.isReplaced(s.LastFollowup), s.Followup.Outcome == FollowupLost && s.isRedelivered():
		return lateFollowup()
	case s.Followup.Outcome == FollowupLost:
		s.callOffRedelivery(now)
		return Action{}
	}
	s.closeFollowup(FollowupShown, now)
	return Action{}
}

// isReplaced reports whether a message is a follow-up whose place another
// continuation took. It may come late even after the turn of that one.
func (s *State) isReplaced(text string) bool {
	return s.Followup.Replaced != "" && s.Followup.Replaced == textSum(text)
}

func textSum(text string) string { return sum([]byte(strings.TrimSpace(text))) }

func lateFollowup() Action {
	return Action{Kind: Refuse, Reason: reasonFollowupLate}
}

// isRedelivered reports whether the line of the second delivery arrived.
func (s *State) isRedelivered() bool {
	i, ok := s.InjectionOf(s.Followup.Injection)
	return ok && i.Outcome == Arrived
}

// isRedelivering reports whether a lost follow-up is being delivered again.
func (s *State) isRedelivering(now time.Time) bool {
	return s.Followup.Outcome == FollowupLost && s.Followup.Injection == s.Injection.ID && s.Injection.Open(now)
}

func (s *State) callOffRedelivery(now time.Time) {
	s.Injection = s.Injection.close(lineFollowupArrived, now)
	s.setDelivery(FollowupLate, now)
	context, said := split(s.Context, s.LastFollowup)
	notices, _ := split(s.Notices, s.LastFollowup)
	s.Context = said
	s.markDelivered()
	s.Context, s.Notices = context, notices
	s.Rested = false
	if s.Status == Waiting {
		s.Status, s.Reason = Running, ""
	}
}

// split parts the items that a text does not contain from those that it does.
func split(items []string, text string) (missing, contained []string) {
	for _, item := range items {
		if strings.Contains(text, item) {
			contained = append(contained, item)
		} else {
			missing = append(missing, item)
		}
	}
	return missing, contained
}

// isRedundant reports whether our continue line comes on top of a follow-up, so
// that the agent would get both: the line is the second delivery of one that
// arrived just before, or a busy chat queued the line and its stop was answered
// first.
func (s *State) isRedundant(now time.Time) bool {
	just := s.Injection.ID != "" && now.Sub(s.Injection.ClosedAt).Abs() < crossWindow
	late := s.Followup.Outcome == FollowupLate && s.Injection.ID == s.Followup.Injection
	queued := s.Injection.Outcome == lineTurnEnded && s.Status == Running && (s.Followup.IsOpen() || s.Followup.Outcome == FollowupShown)
	return just && (late || queued)
}

// isProvedBy reports whether events since the stop prove that the follow-up
// arrived. Late events of the turn that stopped prove nothing; in a Cursor whose
// generation_id is always the conversation's id [seen] they look the same, and
// then any event counts.
func (f SentFollowup) isProvedBy(t Turn, conversation string) bool {
	if t.Followed {
		return true
	}
	constant := f.Generation == "" || f.Generation == conversation
	return slices.ContainsFunc(t.Generations, func(g string) bool { return constant || g != f.Generation })
}

func (s *State) whyRedundant() Reason {
	if s.Followup.Outcome == FollowupLate {
		return reasonFollowupArrived
	}
	return reasonTurnEnded
}

// IsOverdue reports whether a follow-up has been open for too long. Where this Cursor
// does not show follow-ups to the prompt hook, that means nothing.
func (s *State) IsOverdue(now time.Time) bool {
	return !s.Minimal && s.Status == Running && !s.Stop && s.Followup.IsOpen() && !now.Before(s.Followup.DueAt)
}

// onFollowupLost gives up on an overdue follow-up, unless the journal proves that
// it arrived, and has the continue line sent instead.
func (s *State) onFollowupLost(e *Event, now time.Time) Action {
	f := s.Followup
	switch {
	case f.ID != e.Followup || !s.IsOverdue(now):
		return Action{}
	case f.isProvedBy(e.Turn, s.ConversationID):
		s.closeFollowup(FollowupUnshown, now)
		return Action{}
	}
	return s.redeliver(reasonFollowupLost, "", now)
}

// redeliver begins the second delivery of a follow-up, with all that was to go
// with it. A line that the user has typed already is as good.
func (s *State) redeliver(why Reason, detail string, now time.Time) Action {
	s.setDelivery(FollowupLost, now)
	s.takeBackContext()
	for _, notice := range s.Followup.Notices {
		s.Notices = addOnce(s.Notices, notice)
	}
	action := Action{Reason: why, Detail: detail}
	if !s.Injection.Open(now) {
		s.openInjection(false, now)
		action.Kind = Inject
	}
	s.Followup.Injection = s.Injection.ID
	s.setWaiting("the last follow-up was lost; it is being delivered again")
	return action
}

// onFollowupProved calls the second delivery off, if the journal proves by now
// that the first one arrived.
func (s *State) onFollowupProved(e *Event, now time.Time) {
	if !s.isRedelivering(now) || !s.Followup.isProvedBy(e.Turn, s.ConversationID) {
		return
	}
	s.callOffRedelivery(now)
}

// lostText is the text of a lost follow-up, for its second delivery; empty if
// the last one was not lost.
func (s *State) lostText() string {
	if s.Followup.Outcome != FollowupLost {
		return ""
	}
	return s.withUnsaid(s.LastFollowup)
}
