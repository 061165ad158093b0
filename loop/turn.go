package loop

import (
	"bytes"
	"slices"
	"time"
)

// TurnIn reads what the journal holds for an event. An unfinished last line is left
// for the next time, an unreadable one is skipped, and calls that were taken in
// before are not counted again. For a continue by the agent the part before the user's last
// message counts: the line itself, if a hook saw it; while a text is due, or after a stop has brought it, only the stop's own turn.
func (s *State) TurnIn(journal []byte, e *Event) Turn {
	if e.Kind == EventContinue {
		if !e.FromLine {
			journal = beforeMessage(journal)
		}
		return reading{seen: newest(s.Journal.Events, keptEvents), last: s.LastStop, since: s.seenAt()}.read(journal)
	}
	t := reading{seen: newest(s.Journal.Events, keptEvents), generation: e.Generation, stop: e.Stop, last: s.LastStop, since: s.seenAt()}
	t.only = s.Due.tellsTurns(s.ConversationID) && e.Generation != ""
	return t.read(journal)
}

// reading reads a journal from where the last one ended.
type reading struct {
	Turn
	seen       []string        // events of before
	known      map[string]bool // Generations
	generation string          // of the turn; empty if it is not known
	only       bool            // what is of another generation does not count
	stop       Stop            // the end of the turn
	last       StopMark        // the end before it
	tokens     reported
	since      time.Time // the last event seen
}

func (t reading) read(journal []byte) Turn {
	end := bytes.LastIndexByte(journal, '\n') + 1
	t.Turn = Turn{Length: int64(end), Tools: map[string]int{}, Events: slices.Clone(t.seen), tail: journal[max(0, end-keptTail):end], generations: map[string]bool{}}
	t.known = map[string]bool{}
	for _, r := range records(journal[:end]) {
		r.Tokens = r.Tokens.checked()
		if r.Kind == RecordPrompt && !r.Own && !r.ByLine {
			t.Texts = nil // the user asks for something else: what was said before promises nothing
		}
		if r.At.After(t.since) {
			t.silent += Silence(t.since, r.At)
			t.since = r.At
		}
		if r.Kind == RecordInbox {
			if r.Adds.IsForInbox() {
				t.Inbox = append(t.Inbox, Event{Kind: r.Adds, Text: r.Text, By: ByAgent})
			}
			continue
		}
		t.add(r)
	}
	t.seenAt = t.since
	t.Events = newest(t.Events, keptEvents)
	t.Turn.Tokens = t.tokens.with(t.stop.Tokens, t.generation)
	return t.Turn
}

// add takes in a record, unless another hook has written it too.
func (t *reading) add(r Record) {
	if t.isCopy(r) {
		return
	}
	if r.Kind != "" && !t.known[r.Generation] {
		t.known[r.Generation] = true
		t.Generations = append(t.Generations, r.Generation)
	}
	switch r.Kind {
	case RecordPrompt:
		t.Followed, t.Prompted = t.Followed || r.Own, true
		t.tokens.next()
		return
	case RecordUnread:
		t.Unread = "an event that is too large"
		return
	}
	if r.Generation != "" {
		t.generations[r.Generation] = true
		if t.only && r.Generation != t.generation {
			return
		}
	}
	t.hasOwn = t.hasOwn || r.Kind == RecordTool && r.Own
	if !t.last.isCounted(r, t.generation) {
		t.tokens.add(r)
	}
	switch r.Kind {
	case RecordText:
		if r.Text != "" {
			t.Texts = append(t.Texts, r.Text)
		}
	case RecordTool:
		t.addTool(r)
	}
}
