package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Fresh chats
//
// With --fresh-chat N a loop goes on in a new chat after every N iterations. At the
// stop that is due the editor's extension creates that chat and submits the continue
// line in it. Where it cannot, the loop waits for the user to do so.
// The prompt hook of the new chat, or its agent's cursor-ralph continue, is the proof,
// and moves the loop there. Whatever comes first decides: the line in a new chat, the
// line or a message of the user in the old one. What comes later moves nothing.

// isFreshDue reports whether the next iteration belongs in a new chat.
func (s *State) isFreshDue() bool {
	return s.FreshChat > 0 && s.Iterations-s.ChatSince >= s.FreshChat
}

// nextChat goes on in a new chat, which the extension or the user creates.
func (s *State) nextChat(e *Event, now time.Time, a Action) Action {
	a.Detail = a.Why()
	if e.Typing != TypingPossible {
		a.Kind, a.Reason = HandOver, reasonFreshChat
		s.open(wayHand, now)
		s.Delivery.Way = WayNewChat
		s.setWaiting("open a new chat and send the continue line there")
		return a
	}
	s.openLine(e, now)
	s.Delivery.Way = WayNewChat
	s.setWaiting("the loop goes on in a new chat, which is being opened")
	return Action{Kind: Inject, Reason: reasonFreshChat, Detail: a.Detail, Promise: a.Promise}
}

// stayHere has the loop go on in its chat, though it was to begin a new one: the user
// went on here, or a turn that was not ours to end did. The line that may still come to
// a new chat then moves nothing.
func (s *State) stayHere(now time.Time) {
	if !s.AwaitsNewChat() {
		return
	}
	s.ChatSince = s.Iterations
	if d := &s.Delivery; d.IsLine() {
		d.Outcome, d.ClosedAt = lineStayed, now
		s.recordLine(*d)
	}
}

// stayByLine is stayHere for a line in the old chat, unless we sent it: a follow-up was
// lost there.
func (s *State) stayByLine(now time.Time) {
	if s.lostText() == "" {
		s.stayHere(now)
	}
}

// AwaitsNewChat reports whether the loop goes on in a new chat that has not begun. A
// line in the old one would have two agents work.
func (s *State) AwaitsNewChat() bool { return s.Delivery.Way == WayNewChat && s.isFreshDue() }

// refuseNewChat keeps back a line in another chat, of a loop that begins a new one.
func (s *State) refuseNewChat(e *Event, now time.Time) (refused Action, ok bool) {
	d := &s.Delivery
	switch {
	case s.IsLate(now):
		d.Outcome = lineTooLate
		return Action{Kind: Refuse, Reason: reasonTooLate, Hint: "to bring the loop here, send the line once more"}, true
	case d.Way == WayNewChat && d.IsTyping(now) && !e.NewChat:
		return Action{Kind: Refuse, Reason: reasonNotNew, Hint: "send the line in a new chat"}, true
	}
	return Action{}, false
}

// IsLate reports whether the line that we sent to a new chat comes after the loop
// went on without it, or was paused. The next line is the user's.
func (s *State) IsLate(now time.Time) bool {
	d := s.Delivery
	stayed := d.Outcome == lineStayed || d.Outcome == deliveryPaused && s.Status == Paused
	return d.Way == WayNewChat && stayed && now.Sub(d.OpenedAt).Abs() < lineWait
}

// EnterChat takes in that the loop is in another conversation now.
func (s *State) EnterChat(id string) {
	s.ConversationID, s.ChatSince = id, s.Iterations
}

// BeginsSession reports whether the agent of an outer loop needs a new session for
// the next turn.
func (s *State) BeginsSession() bool {
	return s.Outer() && s.FreshChat > 0 && s.Iterations > 0 && s.ChatSince == s.Iterations
}

// comesToNewChat reports whether a continue was requested in another chat than the
// loop's. Where no hook sees that, the loop that waits for a new chat has got one.
func (s *State) comesToNewChat(e *Event) bool {
	return s.FreshChat > 0 && !s.Outer() && (s.isElsewhere(e) || e.Conversation == "" && s.AwaitsNewChat())
}

// enterFresh is a continue: in a new chat its agent learns what was done, in the old
// one the loop stays there.
func (s *State) enterFresh(e *Event, why string, now time.Time) string {
	if s.comesToNewChat(e) {
		s.ChatSince = s.Iterations
		return s.withDone(cmp.Or(strings.TrimPrefix(why, userContinues), "The loop goes on in this new chat."))
	}
	s.stayByLine(now)
	if s.BeginsSession() {
		why = s.withDone(why)
	}
	return why
}

// How much of what was done an agent that knows nothing of it gets: bytes of a text,
// and files.
const (
	keptDone  = 600
	doneFiles = 12
)

// withDone adds to the first line of a continuation what was done so far, for an
// agent that knows nothing of it.
func (s *State) withDone(why string) string {
	facts := []string{"iterations done: " + strconv.Itoa(s.Iterations)}
	add := func(what, fact string) {
		if fact != "" {
			facts = append(facts, what+": "+text.FirstHead(Unmarked(fact), keptDone))
		}
	}
	add("last progress note", cmp.Or(s.LastOutput, s.Note))
	if t := s.TaskCount; t != nil && t.Error == "" {
		facts = append(facts, fmt.Sprintf("tasks done: %d of %d", t.Done, t.Total))
		add("next task", t.Next)
	}
	for _, h := range slices.Backward(s.History) {
		if h.Refused != "" {
			add(fmt.Sprintf("the promise of iteration %d was refused", h.Number), h.Refused)
			break
		}
	}
	add("files changed lately", strings.Join(s.lastFiles(), ", "))
	return why + " You know nothing of the turns before, so look at the work first. What is known of them:\n- " + strings.Join(facts, "\n- ")
}

// lastFiles are the files that the last iterations changed, the newest first.
func (s *State) lastFiles() (files []string) {
	for _, h := range slices.Backward(s.History) {
		for _, file := range h.Files {
			if len(files) < doneFiles && !slices.Contains(files, file) {
				files = append(files, text.FirstHead(file, keptDone/doneFiles))
			}
		}
	}
	return files
}

// nameForAgent is the id that the agent's commands have, empty if its chat is not known.
func (s *State) nameForAgent() string {
	if s.ConversationID == "" {
		return ""
	}
	return s.ShortID()
}
