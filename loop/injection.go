package loop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Injection is the continue line on its way: typed into the editor by a process
// of ours, until it has arrived or was given up.
type Injection struct {
	ID           string    `json:"id"`                // tells it from a later one
	Iteration    int       `json:"iteration"`         // the one that it follows
	ByHand       bool      `json:"by_hand,omitempty"` // the user asked for it; else the loop waits for it
	Stopped      bool      `json:"stopped,omitempty"` // a stop had been asked for before, which the line takes back
	OpenedAt     time.Time `json:"opened_at"`
	DueAt        time.Time `json:"due_at,omitzero"` // nothing is typed before; zero for at once
	ClosedAt     time.Time `json:"closed_at,omitzero"`
	Outcome      string    `json:"outcome,omitempty"` // empty while it is open; Arrived, or why it was given up
	Method       string    `json:"method,omitempty"`  // the way of typing that pressed keys
	Milliseconds int64     `json:"milliseconds,omitempty"`
	Tries        []string  `json:"tries,omitempty"` // the ways that did not work, with their reasons
}

// Arrived is the outcome of an injection whose line was seen in its
// conversation, or whose continuation was asked for.
const Arrived = "arrived"

const keptBack = "another chat was in front, and the line was kept back there"

// injectionWindow is how long an injection stays open at most: one whose
// process was killed must not keep the user's own line back for ever.
const injectionWindow = 2 * time.Minute

// Typing says whether the continue line can be typed into the editor by a
// program.
type Typing string

// The answers. Unless it is known, Decide asks by AskTyping.
const (
	TypingUnknown    Typing = ""
	TypingPossible   Typing = "possible"
	TypingImpossible Typing = "impossible"
)

// Open tells whether the injection is still on its way, or still to come.
func (i Injection) Open(now time.Time) bool {
	return i.ID != "" && i.Outcome == "" && (i.early(now) || now.Sub(i.begins()).Abs() < injectionWindow)
}

// begins is when the typing may begin.
func (i Injection) begins() time.Time {
	if i.DueAt.IsZero() {
		return i.OpenedAt
	}
	return i.DueAt
}

// Words tells how it went to type the continue line; empty where that was never
// tried.
func (i Injection) Words(now time.Time) string {
	if i.ID == "" {
		return ""
	}
	words := cmp.Or(i.Outcome, unreported)
	if i.Open(now) {
		words = "under way"
	}
	if i.Method != "" {
		words += ", by " + i.Method + " in " + strconv.FormatInt(i.Milliseconds, 10) + " ms"
	}
	return words
}

// early tells whether an injection is not due yet. A clock that was set back is
// not trusted for ever.
func (i Injection) early(now time.Time) bool {
	return now.Before(i.DueAt) && !now.Before(i.OpenedAt)
}

// unreported is the outcome of an injection whose process was killed.
const unreported = "nothing was heard of it"

// close gives an open injection its outcome.
func (i Injection) close(outcome string, now time.Time) Injection {
	switch {
	case i.ID == "" || i.Outcome != "":
		return i
	case !i.Open(now):
		outcome = unreported
	}
	i.Outcome, i.ClosedAt = outcome, now
	return i
}

// Injecting tells whether this injection is still wanted. Before every key it is
// asked once more. One that the user asked for is wanted whatever the status,
// but for a stop that came later.
func (s State) Injecting(id string, now time.Time) bool {
	i := s.Injection
	switch {
	case i.ID != id || !i.Open(now) || s.Status.Ended():
		return false
	case i.ByHand:
		return s.Stop == i.Stopped
	}
	return s.Status == Waiting && !s.Stop
}

// opened begins an injection.
func (s State) opened(byHand bool, now time.Time) State {
	s = s.remembered(s.Injection)
	s.Injection = Injection{
		ID: strconv.FormatInt(now.UnixNano(), 36), Iteration: s.Iterations, OpenedAt: now, ByHand: byHand, Stopped: byHand && s.Stop,
	}
	return s
}

// inject begins an injection that was asked for by hand. A pause or a stop is
// taken back by the line, when it arrives, and not by the wish.
func (s State) inject(now time.Time) (State, Action) {
	if s.Outer() {
		return s, s.notHere()
	}
	if s.Injection.Open(now) && !s.Injection.early(now) {
		return s, Action{Kind: Refuse, Why: "the continue line is being typed already", Hint: "wait for it, or cancel the loop"}
	}
	return s.opened(true, now), Action{Kind: Inject, Why: "asked for by the user"}
}

// injected takes in how an injection went. What was seen of it decides about
// its outcome, and not who typed it.
func (s State) injected(report Injection, now time.Time) State {
	i, ok := s.InjectionOf(report.ID)
	if !ok {
		return s
	}
	i.Method, i.Milliseconds, i.Tries = report.Method, report.Milliseconds, report.Tries
	i = i.close(report.Outcome, now)
	if i.ID == s.Injection.ID {
		s.Injection = i
		if s.Rested && i.Outcome != Arrived {
			s = s.because(notTyped(i.Outcome))
		}
	}
	return s.remembered(i)
}

// because says why a loop waits; one that does not has other reasons.
func (s State) because(reason string) State {
	if s.Status == Waiting {
		s.Reason = reason
	}
	return s
}

func notTyped(outcome string) string {
	return "typing the continue line did not work (" + outcome + "); type it yourself"
}

// InjectionOf gives the injection with an id: the last one, or one of the
// history, which a fast agent may have left behind.
func (s State) InjectionOf(id string) (Injection, bool) {
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

// remembered puts an injection into the history, with the iteration before it.
func (s State) remembered(i Injection) State {
	for n := range s.History {
		h := &s.History[n]
		if h.Number != i.Iteration || i.ID == "" {
			continue
		}
		h.Injections = slices.DeleteFunc(slices.Clone(h.Injections), func(was Injection) bool { return was.ID == i.ID })
		h.Injections = append(h.Injections, i)
	}
	return s
}

// typed takes note that the continue line came in a conversation. While an
// injection is open another conversation than the loop's was in front by
// mistake: nothing moves there. Our hook may be installed twice, and then
// reports it twice.
func (s State) typed(e Event, now time.Time) (State, Action) {
	if s.Outer() {
		return s, s.notHere()
	}
	if s.crossed(now) || e.Asked && s.overtaken() {
		return s, s.pausedMeanwhile()
	}
	if s.overtaken() && now.Sub(s.ContinueAt).Abs() < duplicateWindow {
		return s, Action{} // the pause came between two reports of one line
	}
	elsewhere := e.Conversation != s.ConversationID
	again := s.Injection.Outcome == keptBack && now.Sub(s.Injection.ClosedAt).Abs() < duplicateWindow
	if elsewhere && (s.Injection.Open(now) && !s.Injection.early(now) || again) {
		s.Injection = s.Injection.close(keptBack, now)
		return s.because(notTyped(keptBack)), Action{Kind: Refuse, Why: keptBack, Hint: "send the line in the chat that it is for"}
	}
	if !elsewhere {
		s = s.arrived(now)
	}
	s.ContinueIn, s.ContinueAt = e.Conversation, now
	return s, Action{}
}

// arrived is the evidence that the line reached its conversation.
func (s State) arrived(now time.Time) State {
	if s.Injection.Open(now) {
		s = s.because("the continue line arrived; the agent takes the loop up")
	}
	s.Injection = s.Injection.close(Arrived, now)
	return s
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

// PastLimit tells whether a user's message shows that Cursor's limit is real:
// the last follow-up that it allows was answered by a turn, and no stop hook was
// run after it. Words alone are no turn: those of the turn before may be late.
func (s State) PastLimit(limit int, t Turn) bool {
	n := len(s.History)
	if n == 0 || s.LastStop.Past || s.LastStop.LoopCount != limit-1 || s.LastStop.At.After(s.History[n-1].EndedAt) {
		return false // a stop that was not answered comes after the last iteration
	}
	return s.History[n-1].Action == string(Followup) && (t.Followed || len(t.Tools) > 0)
}
