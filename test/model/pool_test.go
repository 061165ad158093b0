package model

import (
	"fmt"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ref stands for a state of a loop or a text; 0 means none.
type ref = uint16

// pool keeps every state and text of a search once, so that a world is a few
// numbers, and what was decided on them.
type pool struct {
	states  []loop.State
	stateOf map[string]ref
	texts   []string
	textOf  map[string]ref
	decided map[decision]result
}

func newPool() *pool {
	return &pool{
		states: make([]loop.State, 1), stateOf: map[string]ref{},
		texts: make([]string, 1), textOf: map[string]ref{"": 0}, decided: map[decision]result{},
	}
}

// state returns a state's number. It is kept as it is read from its file.
func (p *pool) state(l loop.State) ref {
	written := encoded(l)
	if r, ok := p.stateOf[written]; ok {
		return r
	}
	l, err := loop.Parse([]byte(written))
	if err != nil {
		panic(err)
	}
	read := encoded(l)
	if _, ok := p.stateOf[read]; !ok {
		p.states = append(p.states, l)
		p.stateOf[read] = number(len(p.states))
	}
	p.stateOf[written] = p.stateOf[read]
	return p.stateOf[read]
}

func encoded(l loop.State) string {
	data, err := l.Encode()
	if err != nil {
		panic(err)
	}
	return string(data)
}

func (p *pool) text(s string) ref {
	if r, ok := p.textOf[s]; ok {
		return r
	}
	p.texts = append(p.texts, s)
	p.textOf[s] = number(len(p.texts))
	return p.textOf[s]
}

func number(n int) ref {
	if n > 1<<16 {
		panic("more states than a ref can tell")
	}
	return ref(n - 1)
}

// event is a loop.Event in a form that can be compared.
type event struct {
	kind   loop.EventKind
	chat   uint8 // in which it happened
	lc     uint8 // loop count
	gen    uint8
	typing loop.Typing
	status loop.StopStatus
	limit  uint8
	text   ref
	id     ref // of an injection
	idle   bool
	line   bool // the prompt hook saw the continue line
	in     bool // of a continue: chat is the one in which it was requested
	busy   bool // that one has a loop of its own
	fresh  bool // nothing shows that it had a message before
}

func (p *pool) event(e event) loop.Event {
	out := loop.Event{
		Kind:     e.kind,
		Text:     p.texts[e.text],
		Stop:     loop.Stop{LoopCount: int(e.lc), Typing: e.typing, Status: e.status, SessionLimit: int(e.limit), Waited: true},
		Continue: loop.Continue{Idle: e.idle, FromLine: e.line, NewChat: e.fresh, Occupied: e.busy},
	}
	if e.in {
		out.Conversation = names(e.chat)
	}
	switch e.kind {
	case loop.EventStop:
		out.Generation = fmt.Sprintf("g%d-%d", e.chat, e.gen)
	case loop.EventFollowupLost:
		out.Followup = p.texts[e.id]
	case loop.EventInjected:
		out.Line = loop.Delivery{ID: p.texts[e.id], Outcome: loop.Outcome(p.texts[e.text]), Method: "keys"}
	}
	return out
}

// instant is a moment of a world: openings of injections are a millisecond
// apart, for their ids, and ticks are long.
type instant struct{ ticks, opens uint8 }

const tick = 3 * time.Minute

func epoch() time.Time { return time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC) }

func (i instant) time() time.Time {
	return epoch().Add(time.Duration(i.ticks)*tick + time.Duration(i.opens)*time.Millisecond)
}

// decision is what loop.Decide is asked.
type decision struct {
	state   ref
	id      uint8
	e       event
	journal ref
	now     instant
}

// result is what it answers.
type result struct {
	next ref
	kind action
	text ref
}

// action is a loop.ActionKind as a number.
type action uint8

const (
	rest action = iota
	follow
	handOver
	inject
	askTyping
	refuse
	unknown
)

func actionOf(k loop.ActionKind) action {
	switch k {
	case loop.Rest:
		return rest
	case loop.Followup:
		return follow
	case loop.HandOver:
		return handOver
	case loop.Inject:
		return inject
	case loop.AskTyping:
		return askTyping
	case loop.Refuse:
		return refuse
	}
	return unknown
}

// decide asks loop.Decide, as the store does.
func (p *pool) decide(d decision) result {
	if r, ok := p.decided[d]; ok {
		return r
	}
	l, e := p.states[d.state], p.event(d.e)
	l.ConversationID = names(d.id)
	if folds(e.Kind) {
		if l.Journal.Of != names(d.id) {
			l.Journal = loop.Mark{Of: names(d.id)}
		}
		var rest []byte
		rest, l.Journal = unfolded([]byte(p.texts[d.journal]), l.Journal)
		e.Turn = l.TurnIn(rest, &e)
	}
	now := d.now.time()
	if e.Kind == loop.EventFollowupLost && now.Before(l.Delivery.DueAt) {
		now = l.Delivery.DueAt // a moment of the model is any time
	}
	next, action := loop.Decide(l, e, now)
	r := result{p.state(next), actionOf(action.Kind), p.text(action.Text)}
	if r.kind == unknown {
		panic("the model knows no action " + action.Kind)
	}
	p.decided[d] = r
	return r
}

// folds reports which events the store makes of what the journal holds.
func folds(k loop.EventKind) bool {
	switch k {
	case loop.EventStop, loop.EventContinue, loop.EventFollowupLost, loop.EventInject:
		return true
	}
	return false
}

// unfolded is what a journal holds beyond a mark; of another journal than the
// marked one, all.
func unfolded(journal []byte, m loop.Mark) ([]byte, loop.Mark) {
	if int64(len(journal)) >= m.Offset {
		if rest, known := m.Rest(journal[m.Start():]); known {
			return rest, m
		}
	}
	m.Offset, m.TailBytes, m.TailSum = 0, 0, ""
	return journal, m
}

// names returns the ids of the chats.
func names(chat uint8) string { return string('A' + rune(chat)) }

// task tells the loops apart, from 0.
func (p *pool) task(r ref) uint8 { return p.states[r].Prompt[0] - '1' }

func (p *pool) ended(r ref) bool { return p.states[r].Status.Ended() }

// record is a line for a journal.
func (p *pool) record(journal ref, r loop.Record) ref {
	line, err := r.Line()
	if err != nil {
		panic(err)
	}
	return p.text(p.texts[journal] + string(line))
}

func TestStateIsKeptOnce(t *testing.T) {
	p := newPool()
	l := loop.New()
	l.Prompt = "1"
	a, b := p.state(l), p.state(l)
	l.Stop = true
	if c := p.state(l); a != b || a == c {
		t.Errorf("got %d, %d and %d, want the first two alike", a, b, c)
	}
}
