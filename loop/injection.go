package loop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Injection is the continue line on its way: another process types it into the
// editor, until it has arrived or that process gives up.
type Injection struct {
	ID           string      `json:"id"`                // identifies it
	Iteration    int         `json:"iteration"`         // the one that it follows
	ByHand       bool        `json:"by_hand,omitempty"` // requested by the user; else the loop waits for it
	Stopped      bool        `json:"stopped,omitempty"` // a stop was requested before, which the line revokes
	OpenedAt     time.Time   `json:"opened_at"`
	DueAt        time.Time   `json:"due_at,omitzero"` // nothing is typed before; zero for at once
	ClosedAt     time.Time   `json:"closed_at,omitzero"`
	Outcome      LineOutcome `json:"outcome,omitempty"`
	Fresh        bool        `json:"fresh,omitempty"`   // the line is for a new chat
	FreshAt      time.Time   `json:"fresh_at,omitzero"` // a line before it was sent to a new chat then, and may still come
	Method       string      `json:"method,omitempty"`  // the way of typing that pressed keys
	Milliseconds int64       `json:"milliseconds,omitempty"`
	Tries        []string    `json:"tries,omitempty"` // the ways that did not work, with their reasons
}

// LineOutcome is what became of a continue line: one of these constants, or an
// error of the typing in words. State files have these very strings.
type LineOutcome string

// The outcomes of a continue line.
const (
	LineOpen            LineOutcome = ""
	Arrived             LineOutcome = "arrived" // seen in its conversation, or its continuation was requested
	lineTurnEnded       LineOutcome = turnEnded
	lineKeptBack        LineOutcome = keptBack
	linePaused          LineOutcome = "paused by the user"
	lineLoopEnded       LineOutcome = "the loop ended"
	lineCrossed         LineOutcome = "the loop was cancelled before it came"
	lineUserFirst       LineOutcome = "the user sent a message first"
	lineFollowupArrived LineOutcome = followupArrived
	lineStayed          LineOutcome = "the loop went on in the chat that it was in"
	lineTooLate         LineOutcome = "it came after the loop had gone on, or was paused"
	lineUnreported      LineOutcome = "nothing was reported about it" // its process was killed
)

const (
	turnEnded       = "a turn ended before the line arrived"
	keptBack        = "another chat was in front, and the line was kept back there"
	followupArrived = "the follow-up arrived after all"
)

// injectionWindow is how long an injection stays open at most: one whose
// process was killed must not keep the user's own line back for ever.
const injectionWindow = 2 * time.Minute

// Typing says whether the continue line can be typed into the editor by a
// program.
type Typing string

// The answers. Unless it is known, Decide asks by AskTyping.
const (
	typingUnknown    Typing = ""
	TypingPossible   Typing = "possible"
	TypingImpossible Typing = "impossible"
)

// Open reports whether the injection is still on its way, or not due yet.
func (i Injection) Open(now time.Time) bool {
	return i.ID != "" && i.Outcome == LineOpen && (i.isEarly(now) || now.Sub(i.start()).Abs() < injectionWindow)
}

// start is when the typing may begin.
func (i Injection) start() time.Time {
	if i.DueAt.IsZero() {
		return i.OpenedAt
	}
	return i.DueAt
}

// Words says how the typing went; empty if it was never tried.
func (i Injection) Words(now time.Time) string {
	if i.ID == "" {
		return ""
	}
	words := string(cmp.Or(i.Outcome, lineUnreported))
	if i.Open(now) {
		words = "under way"
	}
	if i.Method != "" {
		words += ", by " + i.Method + " in " + strconv.FormatInt(i.Milliseconds, 10) + " ms"
	}
	return words
}

// isEarly reports whether an injection is not due yet. A clock that was set back
// does not delay it forever.
func (i Injection) isEarly(now time.Time) bool {
	return now.Before(i.DueAt) && !now.Before(i.OpenedAt)
}

// close sets the outcome of an open injection.
func (i Injection) close(outcome LineOutcome, now time.Time) Injection {
	switch {
	case i.ID == "" || i.Outcome != LineOpen:
		return i
	case !i.Open(now):
		outcome = lineUnreported
	}
	i.Outcome, i.ClosedAt = outcome, now
	return i
}

// Injecting reports whether this injection is still wanted; the typer asks before
// every key. One that the user requested is wanted whatever the status, unless a
// stop came later.
func (s *State) Injecting(id string, now time.Time) bool {
	i := s.Injection
	switch {
	case i.ID != id || !i.Open(now) || s.Status.Ended():
		return false
	case i.ByHand:
		return s.Stop == i.Stopped
	}
	return s.Status == Waiting && !s.Stop
}

// openInjection begins an injection.
func (s *State) openInjection(byHand bool, now time.Time) {
	s.recordInjection(s.Injection)
	freshAt := s.Injection.FreshAt
	if s.Injection.Fresh && s.Injection.mayCome() {
		freshAt = s.Injection.OpenedAt
	}
	s.Injection = Injection{
		ID: momentID(now), Iteration: s.Iterations, OpenedAt: now, ByHand: byHand, Stopped: byHand && s.Stop, FreshAt: freshAt,
	}
}

// onInject begins an injection that the user requested. The line, when it arrives,
// revokes a pause or a stop; the request does not.
func (s *State) onInject(now time.Time) Action {
	if s.Outer() {
		return s.refuseOuter(now)
	}
	if s.Injection.Open(now) && !s.Injection.isEarly(now) {
		return Action{Kind: Refuse, Reason: reasonTypingAlready, Hint: "wait for it, or cancel the loop"}
	}
	s.openInjection(true, now)
	return Action{Kind: Inject, Reason: reasonAskedFor}
}

// onInjected takes in how an injection went. Evidence that was seen decides its
// outcome, not the report.
func (s *State) onInjected(report Injection, now time.Time) {
	i, ok := s.InjectionOf(report.ID)
	if !ok {
		return
	}
	i.Method, i.Milliseconds, i.Tries = report.Method, report.Milliseconds, report.Tries
	i = i.close(report.Outcome, now)
	if i.ID == s.Injection.ID {
		s.Injection = i
		if s.Rested && i.Outcome != Arrived {
			s.setWaitReason(i.notTyped())
		}
	}
	s.recordInjection(i)
}

// setWaitReason says why a loop waits; one that does not has other reasons.
func (s *State) setWaitReason(reason string) {
	if s.Status == Waiting {
		s.Reason = reason
	}
}

func (i Injection) notTyped() string {
	if i.Fresh {
		return "no new chat went on with the loop (" + string(i.Outcome) + "); open one and send the continue line there"
	}
	return "typing the continue line did not work (" + string(i.Outcome) + "); type it yourself"
}

// InjectionOf returns the injection with an id: the last one, or one of the
// history, which a fast agent may have left behind.
func (s *State) InjectionOf(id string) (Injection, bool) {
	if s.Injection.ID == id && id != "" {
		return s.Injection, true
	}
	for _, h := range s.History {
		if n := slices.IndexFunc(h.Injections, func(i Injection) bool { return i.ID == id }); n >= 0 {
			return h.Injections[n], true
		}
	}
	return Injection{}, false
}

// recordInjection puts an injection into the history, with the iteration before it.
func (s *State) recordInjection(i Injection) {
	for n := range s.History {
		h := &s.History[n]
		if h.Number != i.Iteration || i.ID == "" {
			continue
		}
		h.Injections = slices.DeleteFunc(slices.Clone(h.Injections), func(was Injection) bool { return was.ID == i.ID })
		h.Injections = append(h.Injections, i)
	}
}

// onTyped notes that the continue line came in a conversation. While an injection
// is open, another conversation than the loop's was in front by mistake: nothing
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
	elsewhere := e.Conversation != s.ConversationID
	again := s.Injection.Outcome == lineKeptBack && now.Sub(s.Injection.ClosedAt).Abs() < duplicateWindow
	if elsewhere && !s.Injection.Fresh && (s.Injection.Open(now) && !s.Injection.isEarly(now) || again) {
		s.Injection = s.Injection.close(lineKeptBack, now)
		s.setWaitReason(s.Injection.notTyped())
		return Action{Kind: Refuse, Reason: reasonKeptBack, Hint: "send the line in the chat that it is for"}
	}
	if elsewhere && s.Injection.Fresh {
		s.noteArrival(now)
	}
	if !elsewhere {
		s.stayByLine(now)
		s.noteArrival(now)
		s.closeFollowup(followupClosed, now)
	}
	s.ContinueIn, s.ContinueAt = e.Conversation, now
	return Action{}
}

// noteArrival takes in the evidence that the line reached its conversation.
func (s *State) noteArrival(now time.Time) {
	if s.Injection.Open(now) {
		s.setWaitReason("the continue line arrived; the agent continues the loop")
	}
	s.Injection = s.Injection.close(Arrived, now)
}

// ExpandedContinue finds the continue line in the text of the slash command, as
// some Cursors may show it to a hook.
func ExpandedContinue(text string) (id string, ok bool) {
	if !strings.Contains(text, "/ralph-loop") {
		return "", false
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == '=' || unicode.IsSpace(r) })
	for i, word := range slices.Backward(words) {
		word = strings.TrimLeftFunc(word, func(r rune) bool { return r > unicode.MaxASCII || !idByte(byte(r)) }) // a quote, a bracket
		if word != "--continue" || i == len(words)-1 {
			continue
		}
		if id = words[i+1]; CheckID(id) != nil {
			return "", false
		}
		return id, true
	}
	return "", false
}

// PastLimit reports whether a user's message shows that Cursor's limit is real: a
// turn answered the last follow-up that it allows, and no stop hook ran after it.
// Words alone prove no turn: those of the turn before may be late.
func (s *State) PastLimit(limit int, t Turn) bool {
	n := len(s.History)
	if n == 0 || s.LastStop.Past || s.LastStop.LoopCount != limit-1 || s.LastStop.At.After(s.History[n-1].EndedAt) {
		return false // a stop that was not answered comes after the last iteration
	}
	return s.History[n-1].Action == string(Followup) && (t.Followed || len(t.Tools) > 0)
}
