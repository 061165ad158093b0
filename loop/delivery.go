package loop

import (
	"cmp"
	"slices"
	"strconv"
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
	DueAt     time.Time `json:"due_at,omitzero"` // a follow-up counts as lost then
	ClosedAt  time.Time `json:"closed_at,omitzero"`
	Outcome   Outcome   `json:"outcome,omitempty"`

	Generation string `json:"generation_id,omitempty"` // of the turn that a follow-up answers

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
	WayNewChat  Way = "new-chat"  // a program, or the user, sends it in a new chat
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
	userFirst       Outcome = "the user sent a message first"
	lineStayed      Outcome = "the loop went on in the chat that it was in"
	lineTooLate     Outcome = "it came after the loop had gone on, or was paused"
	lineUnreported  Outcome = "nothing was reported about it" // its process was killed

	// Of a follow-up, in the history.
	FollowupLost  Outcome = "lost"  // nothing proved it in time: it is delivered once more
	FollowupAgain Outcome = "again" // its second delivery arrived
)

const (
	turnEndedWords       = "a turn ended before the line arrived"
	keptBackWords        = "another chat was in front, and the line was kept back there"
	followupArrivedWords = "the follow-up arrived after all"
)

const (
	followupWait = time.Minute     // until a follow-up counts as lost
	lineWait     = 2 * time.Minute // until a line is given up whose process was killed
	crossWindow  = 5 * time.Second // until a line may still come that was called off
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
func (d Delivery) IsLine() bool { return d.Way == wayLine || d.Way == WayNewChat && d.ID != "" }

// IsTyping reports whether it is a line that is on its way.
func (d Delivery) IsTyping(now time.Time) bool {
	return d.IsLine() && d.Outcome == Open && now.Sub(d.OpenedAt).Abs() < lineWait
}

// mayCome reports whether a line has not come as far as is known.
func (d Delivery) mayCome() bool {
	return d.IsLine() && d.Outcome != Arrived && d.Outcome != lineTooLate
}

// Describe says how the typing went; empty if it was never tried.
func (d Delivery) Describe(now time.Time) string {
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

// open begins a delivery in the place of the one before.
func (s *State) open(way Way, now time.Time) {
	was := s.Delivery
	s.recordLine(was)
	s.Delivery = Delivery{Way: way, Iteration: s.Iterations, OpenedAt: now}
	if way != wayHand {
		s.Delivery.ID = momentID(now)
	}
}

// openFollowup opens the answer to a stop.
func (s *State) openFollowup(e *Event, now time.Time) {
	if s.Outer() || s.Host != "" { // which lose none
		return
	}
	s.open(WayFollowup, now)
	d := &s.Delivery
	d.Generation, d.DueAt = e.Generation, now.Add(followupWait)
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
}

// redeliver has a follow-up that was lost brought by a line, with all that was to go
// with it.
func (s *State) redeliver(e *Event, now time.Time) {
	lost := s.Delivery.IsFollowup() && !s.isProvedBy(e.Turn)
	if lost {
		s.noteLost(FollowupLost)
		s.takeBackContext()
	}
	s.openLine(e, now)
	if lost {
		s.Delivery.Again = true
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
	if d := &s.Delivery; s.AwaitsNewChat() && d.mayCome() && now.Sub(d.OpenedAt).Abs() < lineWait {
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
