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
	f := reading{seen: newest(s.Journal.Tools, keptIDs), generation: e.Generation, stop: e.Stop, last: s.LastStop}
	f.only = s.Due.tellsTurns(s.ConversationID) && e.Generation != ""
	return f.read(journal)
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

func (f reading) read(journal []byte) Turn {
	end := bytes.LastIndexByte(journal, '\n') + 1
	f.Turn = Turn{Length: int64(end), Tools: map[string]int{}, IDs: slices.Clone(f.seen), tail: journal[max(0, end-keptTail):end], generations: map[string]bool{}}
	f.said, f.known, f.prompt = map[string]bool{}, map[string]bool{}, firstPrompt(journal[:end])
	for at, r := range records(journal[:end]) {
		r.Tokens = r.Tokens.checked()
		if r.Kind == RecordPrompt && !r.Own && !r.ByLine {
			f.Texts = nil // the user asks for something else: what was said before promises nothing
		}
		f.add(at, r)
	}
	f.IDs = newest(f.IDs, keptIDs)
	f.Turn.Tokens = f.tokens.with(f.stop.Tokens, f.generation)
	f.Turn.ended = f.stop.Status == Completed
	return f.Turn
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
func (f *reading) add(at int, r Record) {
	if r.Kind != "" && !f.known[r.Generation] {
		f.known[r.Generation] = true
		f.Generations = append(f.Generations, r.Generation)
	}
	switch r.Kind {
	case RecordPrompt:
		f.Followed, f.Prompted, f.active = f.Followed || r.Own, true, false
		f.tokens.next()
		return
	case RecordUnread:
		f.Unread = "an event that is too large"
		return
	}
	if r.Generation != "" {
		f.generations[r.Generation] = true
		if f.only && r.Generation != f.generation {
			return
		}
	}
	f.hasOwn = f.hasOwn || r.Kind == RecordTool && r.Own
	if !f.hasCounted(r) {
		f.tokens.add(r)
	}
	switch r.Kind {
	case RecordText:
		f.addText(at, r)
	case RecordTool:
		f.addTool(r)
		f.active = true
	}
}

// addText drops a text without words, and one that came before: our hook may be
// installed in two places, and the second report of a refused promise must not
// count as another promise.
func (f *reading) addText(at int, r Record) {
	n := len(f.Texts)
	if r.Text == "" || n > 0 && f.Texts[n-1] == r.Text {
		return
	}
	if r.Generation != "" {
		id := textID(r)
		if f.said[id] {
			return
		}
		if reported, before := lastReport(f.seen, id); before && f.isCopy(at, r, reported) {
			return
		}
		f.said[id] = true
		f.IDs = append(f.IDs, id+strconv.FormatInt(r.At.Unix(), 10))
	}
	f.Texts, f.active = append(f.Texts, r.Text), true
}

// isCopy reports whether words that were taken in before are the late report of
// a second hook, and not said again in another turn. The generation tells, or a
// message that comes after them, however late they are. Else they are of one
// generation, as all turns of some Cursors are, and only the first words of a
// turn that come soon can be a copy.
func (f *reading) isCopy(at int, r Record, reported time.Time) bool {
	switch {
	case f.generation != "" && r.Generation != f.generation, at < f.prompt:
		return true
	}
	return !f.active && r.At.Sub(reported).Abs() < busyWindow
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
