package loop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fold reads what the journal holds for an event. An unfinished last line is left
// for the next time, an unreadable one is skipped, and calls that were folded in
// before are not counted again. For a continue the part before the user's last
// message counts; in the turn in which the loop was requested, only that turn.
func (s *State) Fold(journal []byte, e *Event) Turn {
	if e.Kind == EventContinue {
		return folding{seen: s.Journal.Tools, last: s.LastStop}.read(beforeMessage(journal))
	}
	f := folding{seen: s.Journal.Tools, generation: e.Generation, stop: e.Stop, last: s.LastStop}
	f.only = s.AskedIn != "" && s.AskedIn != s.ConversationID && e.Generation != ""
	if s.PassedIn != s.ConversationID && s.PassedIn != e.Generation {
		f.passed = s.PassedIn
	}
	return f.read(journal)
}

// folding reads a journal from where the last fold ended.
type folding struct {
	Turn
	seen       []string // calls and texts of before
	generation string   // of the turn; empty if it is not known
	only       bool     // what is of another generation does not count
	passed     string   // a turn before the agent had the task: its late reports do not count
	prompt     int      // the place of the first message, -1 for none
	active     bool     // the agent was seen at work since the last message
	stop       Stop     // the end of the turn
	last       StopMark // the end before it
	tokens     reported
}

func (f folding) read(journal []byte) Turn {
	end := bytes.LastIndexByte(journal, '\n') + 1
	f.Turn = Turn{Length: int64(end), Tools: map[string]int{}, IDs: slices.Clone(f.seen), tail: journal[max(0, end-keptTail):end]}
	var records []Record
	for line := range bytes.Lines(journal[:end]) {
		var r Record
		if json.Unmarshal(line, &r) == nil {
			r.Tokens = r.Tokens.checked()
			records = append(records, r)
		}
	}
	f.prompt = slices.IndexFunc(records, func(r Record) bool { return r.Kind == RecordPrompt })
	for i, r := range records {
		f.add(i, r)
	}
	f.IDs = newest(f.IDs, keptIDs)
	f.Turn.Tokens = f.tokens.with(f.stop.Tokens, f.generation)
	f.Turn.ended = f.stop.Status == Completed
	return f.Turn
}

func (f *folding) add(i int, r Record) {
	if r.Kind != "" && !slices.Contains(f.Generations, r.Generation) {
		f.Generations = append(f.Generations, r.Generation)
	}
	switch r.Kind {
	case RecordPrompt:
		f.Followed, f.Prompted, f.active = f.Followed || r.Own, true, false
		f.tokens.next()
		return
	case RecordCompact:
		f.Compacted = true
		return
	}
	if r.Kind == RecordTool && r.Own {
		f.ours = addMissing(f.ours, r.Generation)
	}
	f.generations = addMissing(f.generations, r.Generation)
	if r.Generation != "" && (r.Generation == f.passed || f.only && r.Generation != f.generation) {
		return
	}
	if !f.hasCounted(r) {
		f.tokens.add(r)
	}
	switch r.Kind {
	case RecordText:
		f.addText(i, r)
	case RecordTool:
		f.addTool(r)
		f.active = true
	}
}

// addText drops a text without words, and one that came before: our hook may be
// installed in two places, and the second report of a refused promise must not
// count as another promise.
func (f *folding) addText(i int, r Record) {
	n := len(f.Texts)
	if r.Text == "" || n > 0 && f.Texts[n-1] == r.Text {
		return
	}
	if r.Generation != "" {
		id := textID(r)
		if _, twice := lastReport(f.IDs[min(len(f.seen), len(f.IDs)):], id); twice {
			return
		}
		if at, before := lastReport(f.seen, id); before && f.isCopy(i, r, at) {
			return
		}
		f.IDs = append(f.IDs, id+strconv.FormatInt(r.At.Unix(), 10))
	}
	f.Texts, f.active = append(f.Texts, r.Text), true
}

// isCopy reports whether words that were folded in before are the late report of
// a second hook, and not said again in another turn. The generation tells, or a
// message that comes after them, however late they are. Else they are of one
// generation, as all turns of some Cursors are, and only the first words of a
// turn that come soon can be a copy.
func (f *folding) isCopy(i int, r Record, at time.Time) bool {
	switch {
	case f.generation != "" && r.Generation != f.generation, i < f.prompt:
		return true
	}
	return !f.active && r.At.Sub(at).Abs() < busyWindow
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
