package loop

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TurnIn reads what the journal holds for an event. An unfinished last line is left
// for the next time, an unreadable one is skipped, and calls that were taken in
// before are not counted again. For a continue the part before the user's last
// message counts; while a text is due, or after a stop has brought it, only the stop's own turn.
func (s *State) TurnIn(journal []byte, e *Event) Turn {
	if e.Kind == EventContinue {
		return reading{seen: newest(s.Journal.Tools, keptIDs), last: s.LastStop}.read(beforeMessage(journal))
	}
	t := reading{seen: newest(s.Journal.Tools, keptIDs), generation: e.Generation, stop: e.Stop, last: s.LastStop}
	t.only = s.Due.tellsTurns(s.ConversationID) && e.Generation != ""
	return t.read(journal)
}

// reading reads a journal from where the last one ended.
type reading struct {
	Turn
	seen       []string        // calls and texts of before
	said       map[string]bool // texts of this turn, by textID
	known      map[string]bool // Generations
	generation string          // of the turn; empty if it is not known
	only       bool            // what is of another generation does not count
	prompt     int             // the place of the first message, -1 for none
	active     bool            // the agent was seen at work since the last message
	stop       Stop            // the end of the turn
	last       StopMark        // the end before it
	tokens     reported
}

func (t reading) read(journal []byte) Turn {
	end := bytes.LastIndexByte(journal, '\n') + 1
	t.Turn = Turn{Length: int64(end), Tools: map[string]int{}, IDs: slices.Clone(t.seen), tail: journal[max(0, end-keptTail):end], generations: map[string]bool{}}
	t.said, t.known, t.prompt = map[string]bool{}, map[string]bool{}, firstPrompt(journal[:end])
	for at, r := range records(journal[:end]) {
		r.Tokens = r.Tokens.checked()
		if r.Kind == RecordPrompt && !r.Own && !r.ByLine {
			t.Texts = nil // the user asks for something else: what was said before promises nothing
		}
		t.add(at, r)
	}
	t.IDs = newest(t.IDs, keptIDs)
	t.Turn.Tokens = t.tokens.with(t.stop.Tokens, t.generation)
	t.Turn.ended = t.stop.Status == Completed
	return t.Turn
}

// firstPrompt returns where the first message is in a journal, -1 for none.
func firstPrompt(journal []byte) int {
	if !bytes.Contains(journal, []byte(RecordPrompt)) {
		return -1
	}
	for at, r := range records(journal) {
		if r.Kind == RecordPrompt {
			return at
		}
	}
	return -1
}

// add takes in the record that is at this place of the journal.
func (t *reading) add(at int, r Record) {
	if r.Kind != "" && !t.known[r.Generation] {
		t.known[r.Generation] = true
		t.Generations = append(t.Generations, r.Generation)
	}
	switch r.Kind {
	case RecordPrompt:
		t.Followed, t.Prompted, t.active = t.Followed || r.Own, true, false
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
	if !t.hasCounted(r) {
		t.tokens.add(r)
	}
	switch r.Kind {
	case RecordText:
		t.addText(at, r)
	case RecordTool:
		t.addTool(r)
		t.active = true
	}
}

// addText drops a text without words, and one that came before: our hook may be
// installed in two places, and the second report of a refused promise must not
// count as another promise.
func (t *reading) addText(at int, r Record) {
	n := len(t.Texts)
	if r.Text == "" || n > 0 && t.Texts[n-1] == r.Text {
		return
	}
	if r.Generation != "" {
		id := textID(r)
		if t.said[id] {
			return
		}
		if reported, before := lastReport(t.seen, id); before && t.isCopy(at, r, reported) {
			return
		}
		t.said[id] = true
		t.IDs = append(t.IDs, id+strconv.FormatInt(r.At.Unix(), 10))
	}
	t.Texts, t.active = append(t.Texts, r.Text), true
}

// isCopy reports whether words that were taken in before are the late report of
// a second hook, and not said again in another turn. The generation tells, or a
// message that comes after them, however late they are. Else they are of one
// generation, as all turns of some Cursors are, and only the first words of a
// turn that come soon can be a copy.
func (t *reading) isCopy(at int, r Record, reported time.Time) bool {
	switch {
	case t.generation != "" && r.Generation != t.generation, at < t.prompt:
		return true
	}
	return !t.active && r.At.Sub(reported).Abs() < busyWindow
}

// textID identifies a text of a generation in few bytes. The time of its report
// follows.
func textID(r Record) string {
	h := fnv.New64a()
	h.Write([]byte(r.Text))
	return fmt.Sprintf("text:%s:%x:", r.Generation, h.Sum64())
}

// lastReport returns when a text was last reported.
func lastReport(ids []string, id string) (at time.Time, found bool) {
	for _, was := range slices.Backward(ids) {
		if rest, ok := strings.CutPrefix(was, id); ok {
			seconds, err := strconv.ParseInt(rest, 10, 64)
			return time.Unix(seconds, 0), err == nil
		}
	}
	return at, false
}
