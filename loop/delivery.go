package loop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Delivery is a continuation on its way to the agent. At most one is open per loop. ARCHITECTURE.md has the table: which event
// closes which way, and what one that comes late does.
type Delivery struct {
	ID        string    `json:"id"` // identifies it, for the program that types and for the watcher; empty by hand
	Way       Way       `json:"way"`
	Iteration int       `json:"iteration"`       // the one that it follows
	Asked     bool      `json:"asked,omitempty"` // by the user; else the loop waits for it
	Stopped   bool      `json:"stopped,omitempty"`
	Again     bool      `json:"again,omitempty"` // its text is LastFollowup, which was lost
	OpenedAt  time.Time `json:"opened_at"`
	DueAt     time.Time `json:"due_at,omitzero"` // a follow-up counts as lost then; a line is not typed before
	ClosedAt  time.Time `json:"closed_at,omitzero"`
	Outcome   Outcome   `json:"outcome,omitempty"`

	Generation string `json:"generation_id,omitempty"`  // of the turn that a follow-up answers
	Cursor     string `json:"cursor_version,omitempty"` // of the Cursor that got it

	// What was on its way before, and may still come.
	LateLine     time.Time `json:"late_line,omitzero"`      // a line that was given up then
	LateFollowup string    `json:"late_followup,omitempty"` // the sum of a follow-up

	// What the program that typed has reported.
	Method       string   `json:"method,omitempty"` // the way of typing that pressed keys
	Milliseconds int64    `json:"milliseconds,omitempty"`
	Tries        []string `json:"tries,omitempty"` // the ways that did not work, with their reasons
}

// Way is how a delivery gets to the agent.
type Way string

// The ways of a delivery.
const (
	wayHand     Way = ""          // the user sends the line
	WayFollowup Way = "follow-up" // the answer to a stop. Cursor can lose it (PROTOCOL.md, "The answer can be lost")
	wayLine     Way = "line"      // a program sends the continue line in the loop's chat
	WayNewChat  Way = "new-chat"  // the same in a new chat
)

// Outcome is what became of a delivery: one of these constants, or an error of the typing in words. State files have these very
// strings.
type Outcome string

// The outcomes of a delivery.
const (
	Open            Outcome = ""
	FollowupShown   Outcome = "shown"   // the prompt hook saw its text
	FollowupUnshown Outcome = "unshown" // the turn went on, and the prompt hook never saw its text
	Arrived         Outcome = "arrived" // the line was seen in its conversation, or its continuation was requested
	followupArrived Outcome = followupArrivedWords
	deliveryClosed  Outcome = "closed" // a follow-up in whose place the agent got something else
	turnEnded       Outcome = turnEndedWords
	keptBack        Outcome = keptBackWords
	deliveryPaused  Outcome = "paused by the user"
	loopEnded       Outcome = "the loop ended"
	lineCrossed     Outcome = "the loop was cancelled before it came"
	userFirst       Outcome = "the user sent a message first"
	lineStayed      Outcome = "the loop went on in the chat that it was in"
	lineTooLate     Outcome = "it came after the loop had gone on, or was paused"
	lineUnreported  Outcome = "nothing was reported about it" // its process was killed

	// Of a follow-up, in the history.
	FollowupLost  Outcome = "lost"  // nothing proved it in time: it is delivered once more
	FollowupLate  Outcome = "late"  // it arrived after it had been given up
	FollowupAgain Outcome = "again" // its second delivery arrived
)

const (
	turnEndedWords       = "a turn ended before the line arrived"
	keptBackWords        = "another chat was in front, and the line was kept back there"
	followupArrivedWords = "the follow-up arrived after all"
)

const (
	followupWait = 20 * time.Second // until a follow-up counts as lost, unless the stop event says otherwise
	lineWait     = 2 * time.Minute  // until a line is given up whose process was killed
	crossWindow  = 5 * time.Second  // until a line may still come that was called off
)

// Typing says whether the continue line can be typed into the editor by a
// program.
type Typing string

// The answers. Unless it is known, Decide asks by AskTyping.
const (
	typingUnknown    Typing = ""
	TypingPossible   Typing = "possible"
	TypingImpossible Typing = "impossible"
)

// IsFollowup reports whether it is a follow-up of whose arrival nothing is known.
func (d Delivery) IsFollowup() bool { return d.Way == WayFollowup && d.Outcome == Open }

// IsLine reports whether it is a line that a program sends, whatever became of it.
func (d Delivery) IsLine() bool { return d.Way == wayLine || d.Way == WayNewChat }

// IsTyping reports whether it is a line that is on its way, or not due yet.
func (d Delivery) IsTyping(now time.Time) bool {
	return d.IsLine() && d.Outcome == Open && (d.IsEarly(now) || now.Sub(cmp.Or(d.DueAt, d.OpenedAt)).Abs() < lineWait)
}

// IsEarly reports whether a line is not due yet. A clock that was set back does not
// delay it forever.
func (d Delivery) IsEarly(now time.Time) bool {
	return now.Before(d.DueAt) && !now.Before(d.OpenedAt)
}

// isUnproved reports whether LastFollowup may still come.
func (d Delivery) isUnproved() bool {
	if d.Way == WayFollowup {
		return d.Outcome != FollowupShown && d.Outcome != FollowupUnshown
	}
	return d.Again || d.IsLine() && d.Outcome != Arrived && d.LateFollowup != ""
}

// hasLateLine reports whether a line that was given up may still come.
func (d Delivery) hasLateLine(window time.Duration, now time.Time) bool {
	return now.Sub(d.LateLine).Abs() < window
}

// mayCome reports whether a line has not come as far as is known.
func (d Delivery) mayCome() bool {
	return d.IsLine() && d.Outcome != Arrived && d.Outcome != lineTooLate
}

// Words says how the typing went; empty if it was never tried.
func (d Delivery) Words(now time.Time) string {
	if !d.IsLine() {
		return ""
	}
	words := string(cmp.Or(d.Outcome, lineUnreported))
	if d.IsTyping(now) {
		words = "under way"
	}
	if d.Method != "" {
		words += ", by " + d.Method + " in " + strconv.FormatInt(d.Milliseconds, 10) + " ms"
	}
	return words
}

// open begins a delivery in the place of the one before. What was on its way then may
// still come.
func (s *State) open(way Way, now time.Time) {
	was := s.Delivery
	s.recordLine(was)
	s.Delivery = Delivery{Way: way, Iteration: s.Iterations, OpenedAt: now, LateLine: was.LateLine, LateFollowup: was.LateFollowup}
	if way != wayHand {
		s.Delivery.ID = momentID(now)
	}
	if was.mayCome() {
		s.Delivery.LateLine = cmp.Or(was.ClosedAt, now)
	}
}

// openFollowup opens the answer to a stop.
func (s *State) openFollowup(e *Event, text string, now time.Time) {
	if s.Outer() || s.Host != "" { // which lose none
		return
	}
	s.open(WayFollowup, now)
	d := &s.Delivery
	d.Generation, d.Cursor, d.DueAt = e.Generation, e.CursorVersion, now.Add(cmp.Or(e.FollowupWait, followupWait))
	if d.LateFollowup == textSum(text) {
		d.LateFollowup = ""
	}
}

// openLine has the continue line sent. A follow-up that nothing has proved loses its
// place to it.
func (s *State) openLine(e *Event, now time.Time) {
	if s.isProvedBy(e.Turn) {
		s.closeFollowup(FollowupUnshown, now)
	}
	was := s.Delivery
	s.open(wayLine, now)
	s.Delivery.Again, s.Delivery.Generation = was.Again, was.Generation
	if was.IsFollowup() {
		s.Delivery.LateFollowup = textSum(s.LastFollowup)
	}
}

// redeliver has a follow-up that was lost brought by a line, with all that was to go
// with it. Whichever of the two comes first is the delivery.
func (s *State) redeliver(e *Event, now time.Time) {
	lost, before := s.Delivery.IsFollowup() && !s.isProvedBy(e.Turn), s.Delivery.LateFollowup
	if lost {
		s.noteLost(FollowupLost)
		s.takeBackContext()
	}
	s.openLine(e, now)
	if lost {
		s.Delivery.Again, s.Delivery.LateFollowup = true, before
	}
}

// momentID names what happens once, by its time.
func momentID(now time.Time) string { return strconv.FormatInt(now.UnixNano(), 36) }

// close sets the outcome of a delivery that is open. A follow-up that a pause closed
// may be closed once more.
func (s *State) close(outcome Outcome, now time.Time) {
	d := &s.Delivery
	switch {
	case d.Way == WayFollowup && (d.Outcome == Open || d.Outcome == deliveryPaused):
	case d.IsTyping(now):
	case d.IsLine() && d.Outcome == Open:
		outcome = lineUnreported
	default:
		return
	}
	d.Outcome, d.ClosedAt = outcome, now
}

// callOff closes the delivery: the user, or the end of the loop, came first. The line
// for a new chat may come though it was given up before.
func (s *State) callOff(outcome Outcome, now time.Time) {
	s.close(outcome, now)
	if d := &s.Delivery; d.Way == WayNewChat && s.FreshWait != "" && d.mayCome() && now.Sub(d.OpenedAt).Abs() < lineWait {
		d.Outcome, d.ClosedAt = outcome, now
	}
}

// reopenFollowup waits once more for a follow-up that a pause closed: it may have
// been lost, with the agent idle.
func (s *State) reopenFollowup(now time.Time) {
	if d := &s.Delivery; s.Status == Running && d.Way == WayFollowup && d.Outcome == deliveryPaused {
		d.DueAt = now.Add(d.DueAt.Sub(d.OpenedAt))
		d.ID, d.OpenedAt, d.ClosedAt, d.Outcome = momentID(now), now, time.Time{}, Open
	}
}

// noteLost writes into the history what became of a follow-up that was lost.
func (s *State) noteLost(outcome Outcome) {
	for i := range s.History {
		if h := &s.History[i]; h.Number == s.Delivery.Iteration {
			h.Delivery = outcome
		}
	}
}

// recordLine puts a line into the history, with the iteration before it.
func (s *State) recordLine(d Delivery) {
	for n := range s.History {
		h := &s.History[n]
		if h.Number != max(d.Iteration, 1) || !d.IsLine() {
			continue
		}
		h.Lines = slices.DeleteFunc(slices.Clone(h.Lines), func(was Delivery) bool { return was.ID == d.ID })
		h.Lines = append(h.Lines, d)
	}
}

// LineOf returns the line with an id: the last one, or one of the history, which a fast
// agent may have left behind.
func (s *State) LineOf(id string) (Delivery, bool) {
	if s.Delivery.ID == id && id != "" {
		return s.Delivery, true
	}
	for _, h := range s.History {
		if n := slices.IndexFunc(h.Lines, func(d Delivery) bool { return d.ID == id }); n >= 0 {
			return h.Lines[n], true
		}
	}
	return Delivery{}, false
}

// Follow-ups

// deliveryAtStop returns what a stop proves about the follow-up that began its turn.
func (e *Event) deliveryAtStop() Outcome {
	switch {
	case e.Turn.Followed:
		return FollowupShown
	case e.Status == Completed && e.Turn.isActive():
		return FollowupUnshown
	}
	return deliveryClosed
}

// closeFollowup is close for a follow-up.
func (s *State) closeFollowup(outcome Outcome, now time.Time) {
	if s.Delivery.Way == WayFollowup {
		s.close(outcome, now)
	}
}

// closeLine is close for a line.
func (s *State) closeLine(outcome Outcome, now time.Time) {
	if s.Delivery.IsLine() {
		s.close(outcome, now)
	}
}

// onOwnMessage is our own follow-up in the prompt hook. If it was given up as
// lost, its second delivery is cancelled, or, if that came first, the follow-up is
// kept back: the agent gets one of the two.
func (s *State) onOwnMessage(now time.Time) Action {
	switch {
	case s.isReplaced(s.LastFollowup), s.Delivery.Again && s.Delivery.Outcome == Arrived:
		return lateFollowup()
	case s.Delivery.Again:
		s.callOffAgain(now)
		return Action{}
	}
	s.closeFollowup(FollowupShown, now)
	return Action{}
}

// isReplaced reports whether a message is a follow-up whose place another
// continuation took. It may come late even after the turn of that one.
func (s *State) isReplaced(text string) bool {
	return s.Delivery.LateFollowup != "" && s.Delivery.LateFollowup == textSum(text)
}

func textSum(text string) string { return sum([]byte(strings.TrimSpace(text))) }

func lateFollowup() Action {
	return Action{Kind: Refuse, Reason: reasonFollowupLate}
}

// callOffAgain is a follow-up that arrived after all, while its second delivery is on
// its way.
func (s *State) callOffAgain(now time.Time) {
	if d := &s.Delivery; d.mayCome() {
		d.Outcome, d.ClosedAt = followupArrived, now
	}
	s.Delivery.Again = false
	s.noteLost(FollowupLate)
	context, said := split(s.Context, s.LastFollowup)
	notices, _ := split(s.Notices, s.LastFollowup)
	s.Context = said
	s.markDelivered()
	s.Context, s.Notices = context, notices
	s.Idle = false
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

// isProvedBy reports whether events since the stop prove that the follow-up
// arrived. Late events of the turn that stopped prove nothing; in a Cursor whose
// generation_id is always the conversation's id [seen] they look the same, and
// then any event counts.
func (s *State) isProvedBy(t Turn) bool {
	if t.Followed {
		return true
	}
	of := s.Delivery.Generation
	constant := of == "" || of == s.ConversationID
	return slices.ContainsFunc(t.Generations, func(g string) bool { return constant || g != of })
}

// IsOverdue reports whether a follow-up has been open for too long. Where this Cursor
// does not show follow-ups to the prompt hook, that means nothing.
func (s *State) IsOverdue(now time.Time) bool {
	return s.Status == Running && !s.Stop && s.Delivery.IsFollowup() && !now.Before(s.Delivery.DueAt)
}

// onFollowupLost gives up on an overdue follow-up, unless the journal proves that
// it arrived, and has the continue line sent instead.
func (s *State) onFollowupLost(e *Event, now time.Time) Action {
	switch {
	case s.Delivery.ID != e.Followup || !s.IsOverdue(now):
		return Action{}
	case s.isProvedBy(e.Turn):
		s.closeFollowup(FollowupUnshown, now)
		return Action{}
	}
	s.redeliver(e, now)
	s.setWaiting("the last follow-up was lost; it is being delivered again")
	return Action{Kind: Inject, Reason: reasonFollowupLost}
}

// onFollowupProved calls the second delivery off, if the journal proves by now
// that the first one arrived.
func (s *State) onFollowupProved(e *Event, now time.Time) {
	if s.Delivery.Again && s.Delivery.IsTyping(now) && s.isProvedBy(e.Turn) {
		s.callOffAgain(now)
	}
}

// lostText is the text of a lost follow-up, for its second delivery; empty if
// the last one was not lost.
func (s *State) lostText() string {
	if !s.Delivery.Again {
		return ""
	}
	return s.withUnsaid(s.LastFollowup)
}

// Lines

// Injecting reports whether this line is still wanted; the typer asks before
// every key. One that the user requested is wanted whatever the status, unless a
// stop came later.
func (s *State) Injecting(id string, now time.Time) bool {
	d := s.Delivery
	switch {
	case d.ID != id || !d.IsTyping(now) || s.Status.Ended():
		return false
	case d.Asked:
		return s.Stop == d.Stopped
	}
	return s.Status == Waiting && !s.Stop
}

// onInject sends a line that the user requested. The line, when it arrives,
// revokes a pause or a stop; the request does not.
func (s *State) onInject(e *Event, now time.Time) Action {
	if s.Outer() {
		return s.refuseOuter(now)
	}
	if s.Host != "" {
		return Action{Kind: Refuse, Reason: reasonNoTyping, Detail: s.Host, Line: ContinueLine(s.ConversationID), Hint: "send the line there"}
	}
	if s.Delivery.IsTyping(now) && !s.Delivery.IsEarly(now) {
		return Action{Kind: Refuse, Reason: reasonTypingAlready, Hint: "wait for it, or cancel the loop"}
	}
	s.openLine(e, now)
	s.Delivery.Asked, s.Delivery.Stopped = true, s.Stop
	return Action{Kind: Inject, Reason: reasonAskedFor}
}

// onInjected takes in how the typing of a line went. Evidence that was seen decides its
// outcome, not the report.
func (s *State) onInjected(report Delivery, now time.Time) {
	d, ok := s.LineOf(report.ID)
	if !ok {
		return
	}
	d.Method, d.Milliseconds, d.Tries = report.Method, report.Milliseconds, report.Tries
	switch {
	case d.Outcome != Open:
	case d.IsTyping(now):
		d.Outcome, d.ClosedAt = report.Outcome, now
	default:
		d.Outcome, d.ClosedAt = lineUnreported, now
	}
	if d.ID == s.Delivery.ID {
		s.Delivery = d
		if s.Idle && d.Outcome != Arrived {
			s.setWaitReason(d.notTyped())
		}
	}
	s.recordLine(d)
}

// setWaitReason says why a loop waits; one that does not has other reasons.
func (s *State) setWaitReason(reason string) {
	if s.Status == Waiting {
		s.Reason = reason
	}
}

func (d Delivery) notTyped() string {
	if d.Way == WayNewChat {
		return "no new chat went on with the loop (" + string(d.Outcome) + "); open one and send the continue line there"
	}
	return "typing the continue line did not work (" + string(d.Outcome) + "); type it yourself"
}

// onTyped notes that the continue line came in a conversation. While our line
// is on its way, another conversation than the loop's was in front by mistake: nothing
// moves there. If our hook is installed twice, it reports the line twice.
func (s *State) onTyped(e *Event, now time.Time) Action {
	if s.Outer() {
		return s.refuseOuter(now)
	}
	if s.isRedundant(now) {
		return Action{Kind: Refuse, Reason: s.whyRedundant(), Hint: "nothing is left to do: the loop goes on"}
	}
	if s.isPauseCrossed(now) || e.Asked && s.isOvertaken() {
		return s.pauseCrossed()
	}
	if s.isOvertaken() && now.Sub(s.ContinueAt).Abs() < duplicateWindow {
		return Action{} // the pause came between two reports of one line
	}
	if action, ok := s.onNewChat(e, now); ok {
		return action
	}
	d := &s.Delivery
	elsewhere := e.Conversation != s.ConversationID
	again := d.Outcome == keptBack && now.Sub(d.ClosedAt).Abs() < duplicateWindow
	if elsewhere && d.Way != WayNewChat && (d.IsTyping(now) && !d.IsEarly(now) || again) {
		s.closeLine(keptBack, now)
		s.setWaitReason(d.notTyped())
		return Action{Kind: Refuse, Reason: reasonKeptBack, Hint: "send the line in the chat that it is for"}
	}
	if elsewhere && d.Way == WayNewChat {
		s.noteArrival(now)
	}
	if !elsewhere {
		s.stayByLine(now)
		s.noteArrival(now)
		s.closeFollowup(deliveryClosed, now)
	}
	s.ContinueIn, s.ContinueAt = e.Conversation, now
	return Action{}
}

// noteArrival takes in the evidence that the line reached its conversation.
func (s *State) noteArrival(now time.Time) {
	if s.Delivery.IsTyping(now) {
		s.setWaitReason("the continue line arrived; the agent continues the loop")
	}
	s.closeLine(Arrived, now)
}

// isRedundant reports whether our continue line comes on top of a follow-up, so
// that the agent would get both: the line is the second delivery of one that
// arrived just before, or a busy chat queued the line and its stop was answered
// first.
func (s *State) isRedundant(now time.Time) bool {
	d := s.Delivery
	late := d.Outcome == followupArrived && now.Sub(d.ClosedAt).Abs() < crossWindow
	queued := d.Way == WayFollowup && (d.Outcome == Open || d.Outcome == FollowupShown) && s.Status == Running && d.hasLateLine(crossWindow, now)
	return late || queued
}

func (s *State) whyRedundant() Reason {
	if s.Delivery.Outcome == followupArrived {
		return reasonFollowupArrived
	}
	return reasonTurnEnded
}
