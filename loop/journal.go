package loop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// The kinds of a journal record.
const (
	RecordTool   = "tool"   // a finished tool call
	RecordText   = "text"   // something the assistant said
	RecordPrompt = "prompt" // a message that reached the agent

	RecordUnread = "unread" // an event that was too large to be read
	RecordTokens = "tokens" // tokens that a driver reports: added up
	RecordInbox  = "inbox"  // what the agent's own call adds, where it cannot write the loop's record
)

// Record is one line of a loop's journal: what another hook than stop saw.
type Record struct {
	Kind       string    `json:"e"`
	At         time.Time `json:"t"`
	Generation string    `json:"gen,omitempty"`
	Event      string    `json:"ev,omitempty"`    // a hash of the event's bytes, see HashEvent
	Entry      string    `json:"by,omitempty"`    // a hash of the name of the entry that called the hook
	Tool       string    `json:"tool,omitempty"`  // tool name
	Own        bool      `json:"own,omitempty"`   // the call ran cursor-ralph or wrote our files; the message was our follow-up
	ByLine     bool      `json:"line,omitempty"`  // the message was the continue line
	File       string    `json:"file,omitempty"`  // written by the call
	Error      string    `json:"error,omitempty"` // first line of a failed call's message
	Command    string    `json:"cmd,omitempty"`   // of a shell command that failed
	Text       string    `json:"text,omitempty"`  // the assistant's words
	Tokens     *Tokens   `json:"tok,omitempty"`   // of a text those of its turn
	Adds       EventKind `json:"adds,omitempty"`  // of RecordInbox: what happens at the next stop
}

// IsForInbox reports whether an event may come by the journal: it can be an agent's, and makes no loop run that does not.
func (k EventKind) IsForInbox() bool {
	switch k {
	case EventNote, EventContext, EventBlocked, EventPause, EventCancel:
		return true
	}
	return false
}

// Line encodes a record for the journal. It begins with a newline too, so that
// a line which a killed writer left unfinished cannot swallow this one.
func (r Record) Line() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('\n')
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Turn is what the journal says about the time since the last stop.
type Turn struct {
	Texts     []string
	Tools     map[string]int // every call, by tool name
	ToolCalls int            // the calls that count as work
	Files     []string
	Errors    []string
	Failed    []string // shell commands
	Events    []string // the last ones with their times, the newest last
	Followed  bool     // our own follow-up reached the agent
	Prompted  bool     // a message reached the agent, whoever sent it
	Length    int64    // bytes of the journal that were read
	Tokens    *Tokens  // those of the event too; nil is unknown
	Unread    string   // what of it could not be read
	Inbox     []Event  // what calls have added that could not write the record

	Generations []string // of the turns whose events these are, as Cursor named them

	tail        []byte          // the last of them
	generations map[string]bool // of the calls and texts
	hasOwn      bool            // a call ran cursor-ralph
	silent      time.Duration   // that is no work
	seenAt      time.Time       // the last event
}

// isActive reports whether the agent did anything.
func (t Turn) isActive() bool { return len(t.Texts) > 0 || len(t.Tools) > 0 }

// hasCalls reports whether the agent made any call, one of cursor-ralph too.
func (t Turn) hasCalls() bool { return len(t.Tools) > 0 || t.hasOwn }

// withoutWork is a turn of which nothing counts.
func (t Turn) withoutWork() Turn {
	return Turn{Events: t.Events, Length: t.Length, tail: t.tail}
}

// isSilent reports whether nothing was seen since the last decision: no work, no words, no message.
func (t Turn) isSilent() bool { return !t.isActive() && !t.Followed && !t.Prompted }

const (
	keptTail   = 512 // bytes before what is not read yet: a record or more, with its time and its id
	keptEvents = 64  // events remembered, to know them again
	keptFacts  = 50  // files and errors kept of a turn
	keptErrors = 200 // bytes of an error line
)

// past is the mark behind a turn that was read.
func (m Mark) past(t Turn) Mark {
	m.Offset += t.Length
	if len(t.tail) > 0 {
		m.TailBytes, m.TailSum = int64(len(t.tail)), sum(t.tail)
	}
	return m
}

// Unread is the turn of a journal of this size that is too large to be read; tail are
// its last bytes. lines is how many there are to read, 0 if nobody has counted them. The
// next turn begins behind it.
func (m Mark) Unread(size int64, lines int, tail []byte) Turn {
	length := size - m.Offset
	many := fmt.Sprintf("%d lines", lines)
	if lines == 0 {
		many = fmt.Sprintf("%d MiB", length>>20)
	}
	return Turn{Unread: many + " of words and tool calls, more than cursor-ralph reads", Events: newest(m.Events, keptEvents), Length: length, tail: tail}
}

// Start is the byte from which on a journal is read: some of what was read
// already is there to know it by.
func (m Mark) Start() int64 { return max(0, m.Offset-m.TailBytes) }

// Rest is what was not read yet of a journal that was read from Start on. Known
// is false for another journal than the one of which that was remembered.
func (m Mark) Rest(data []byte) (rest []byte, known bool) {
	if int64(len(data)) < m.TailBytes || m.TailBytes > 0 && sum(data[:m.TailBytes]) != m.TailSum {
		return nil, false
	}
	return data[m.TailBytes:], true
}

func sum(data []byte) string {
	h := fnv.New64a()
	h.Write(data)
	return fmt.Sprintf("%x", h.Sum64())
}

// beforeMessage returns the journal up to the last message that was not our own
// follow-up: what the agent did before the user, or the typing, spoke to it again.
func beforeMessage(journal []byte) []byte {
	cut := len(journal)
	for at, r := range records(journal) {
		if r.Kind == RecordPrompt && !r.Own {
			cut = at
		}
	}
	return journal[:cut]
}

// records reads the lines of a journal one after another, each with the place where it
// ends. An empty or unreadable one is skipped.
func records(journal []byte) iter.Seq2[int, Record] {
	return func(yield func(int, Record) bool) {
		at := 0
		for line := range bytes.Lines(journal) {
			at += len(line)
			var r Record
			if len(line) > 1 && json.Unmarshal(line, &r) == nil && !yield(at, r) {
				return
			}
		}
	}
}

// CopyWindow is how far apart two hooks begin at most that get one event: our hook may be installed in two places.
const CopyWindow = 300 * time.Millisecond

// HashEvent returns what tells the bytes of one event from those of another.
func HashEvent(event []byte) string {
	h := fnv.New64a()
	h.Write(event)
	return strconv.FormatUint(h.Sum64(), 36)
}

// lateCopy is how far apart two hooks may begin whose entries have different names: a machine may be busy.
const lateCopy = 5 * time.Second

// isCopy reports whether another hook has recorded the same event, and remembers it. An entry that has recorded it less often
// than another records it once more.
func (t *Turn) isCopy(r Record) bool {
	if r.Event == "" {
		return false
	}
	isNear, mine, others := false, 0, 0
	var last time.Time // of the others
	for _, before := range t.Events[max(0, len(t.Events)-keptEvents):] {
		event, at, _ := strings.Cut(before, ":")
		at, entry, _ := strings.Cut(at, ":")
		ms, err := strconv.ParseInt(at, 10, 64)
		switch when := time.UnixMilli(ms); {
		case err != nil || event != r.Event:
		case entry == r.Entry || entry == "" || r.Entry == "":
			mine++
			isNear = isNear || r.At.Sub(when).Abs() < CopyWindow
		default:
			others++
			last = when
		}
	}
	isLate := others > mine && r.At.Sub(last).Abs() < lateCopy
	if !isNear || isLate {
		t.Events = append(t.Events, strings.TrimSuffix(r.Event+":"+strconv.FormatInt(r.At.UnixMilli(), 10)+":"+r.Entry, ":"))
	}
	return isNear || isLate
}

func (t *Turn) addTool(r Record) {
	if r.Own {
		return
	}
	t.Tools[r.Tool]++
	t.ToolCalls++
	t.Files = addFact(t.Files, r.File)
	t.Errors = addFact(t.Errors, text.FirstHead(r.Error, keptErrors))
	t.Failed = addFact(t.Failed, text.FirstHead(r.Command, keptErrors))
}

// addFact adds a fact that is not there yet, while there is room.
func addFact(facts []string, fact string) []string {
	if fact == "" || len(facts) >= keptFacts || slices.Contains(facts, fact) {
		return facts
	}
	return append(facts, fact)
}

func newest[T any](list []T, n int) []T {
	return slices.Clone(list[max(0, len(list)-n):])
}
