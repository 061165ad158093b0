package model

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// bounds is a family of worlds that is explored together.
type bounds struct {
	limit   uint8 // of follow-ups in a session, 0 for none
	byHand  bool  // nothing can type here
	single  bool  // the hook is installed once
	watched bool  // answers get lost, and there is a watcher
	fresh   bool  // after each iteration the loop goes on in a new chat
	unshown bool  // the prompt hook sees no follow-up
	acts    int   // what the user does
	left    budget
	begin   func(m *model, w *world)
	most    int // iterations of a loop
}

// model is a search.
type model struct {
	bounds
	variant variant
	pool    *pool

	worlds  []world
	parents []int32
	seed    maphash.Seed
	met     map[uint64]int32 // by hash, the last one
	chain   []int32          // to the one before with that hash
	steps   int
	broken  violation // by the step that is being taken
	exists  uint8     // the tasks that were asked for
	took    time.Duration
	telling bool // labels are read
}

// emitter takes what a step makes of a world.
type emitter func(label string, next *world)

// trace is how a property was violated.
type trace struct {
	property violation
	labels   []string
	last     string
}

func (t *trace) String() string {
	if t == nil {
		return "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.property)
	for i, label := range t.labels {
		fmt.Fprintf(&b, "%4d. %s\n", i+1, label)
	}
	b.WriteString(t.last)
	return b.String()
}

// explore looks at every state, those with the fewest steps first, and returns the
// first violation.
func explore(b bounds, v variant) (*model, *trace) {
	m := &model{bounds: b, variant: v, pool: newPool(), seed: maphash.MakeSeed(), met: map[uint64]int32{}}
	began := time.Now()
	defer func() { m.took = time.Since(began) }()
	first := world{left: b.left}
	b.begin(m, &first)
	m.meet(&first, -1)
	for i := 0; i < len(m.worlds); i++ {
		if found := m.look(int32(i)); found != nil {
			return m, found
		}
	}
	return m, nil
}

// meet takes in a world that was not met before. Worlds are found by a hash and
// then compared, whole.
func (m *model) meet(w *world, from int32) {
	m.same(w)
	hash := maphash.Comparable(m.seed, *w)
	first, known := m.met[hash]
	for i := first; known && i >= 0; i = m.chain[i] {
		if m.worlds[i] == *w {
			return
		}
	}
	if !known {
		first = -1
	}
	m.met[hash] = int32(len(m.worlds))
	m.chain = append(m.chain, first)
	m.worlds = append(m.worlds, *w)
	m.parents = append(m.parents, from)
}

// same puts the copies of the hook, and the injectors, into one order: worlds
// that differ in that alone are one.
func (m *model) same(w *world) {
	for c := 0; c < firstAgent; c += copies {
		w.order(c, c+1)
	}
	w.order(firstTypist, firstTypist+1)
	w.order(firstTypist+1, firstTypist+2)
	w.order(firstTypist, firstTypist+1)
}

// order exchanges two processes if the second is the lesser, with all that names them.
func (w *world) order(a, b int) {
	if w.procs[a].compare(w.procs[b]) <= 0 {
		return
	}
	w.procs[a], w.procs[b] = w.procs[b], w.procs[a]
	was, is := uint8(a+1), uint8(b+1)
	rename := func(who *uint8) {
		switch *who {
		case was:
			*who = is
		case is:
			*who = was
		}
	}
	for _, lock := range w.holders() {
		rename(lock)
	}
	for i := firstTypist; i < firstTypist+typists; i++ {
		rename(&w.procs[i].after)
	}
	rename(&w.procs[watch].after)
}

func (p proc) compare(q proc) int {
	return cmp.Or(cmp.Compare(p.kind, q.kind), cmp.Compare(p.pc, q.pc), cmp.Compare(p.stage, q.stage), cmp.Compare(p.id, q.id),
		cmp.Compare(p.inj, q.inj), cmp.Compare(p.next, q.next), cmp.Compare(p.slot, q.slot), cmp.Compare(p.why, q.why),
		cmp.Compare(p.done, q.done), cmp.Compare(p.after, q.after), cmp.Compare(p.did.next, q.did.next), cmp.Compare(p.did.text, q.did.text))
}

// holders are the locks, each with its holder.
func (f *files) holders() []*uint8 {
	return []*uint8{&f.locks[0], &f.locks[1], &f.box, &f.typing}
}

// look takes every step that is possible in a world.
func (m *model) look(i int32) (found *trace) {
	w := m.worlds[i]
	if bad := m.invariant(&w); bad != "" {
		return m.trace(i, bad, "")
	}
	emit := func(label string, next *world) {
		m.steps++
		if m.broken != "" && found == nil {
			label = cmp.Or(label, "a process takes the step that violates it")
			found = m.trace(i, m.broken, label)
			found.last = m.show(next)
		}
		m.broken = ""
		m.meet(next, i)
	}
	if quiet := m.successors(&w, emit); quiet && found == nil {
		if bad := m.lasting(&w); bad != "" {
			return m.trace(i, bad, "nothing happens any more")
		}
	}
	return found
}

// successors returns every step, and reports whether nothing happens unless the user,
// a kill or the clock makes it happen.
func (m *model) successors(w *world, emit emitter) (quiet bool) {
	quiet = true
	system := func(label string, next *world) {
		quiet = false
		emit(label, next)
	}
	for c := range uint8(chats) {
		m.chatSteps(w, c, system)
	}
	for i := range w.procs {
		m.procSteps(w, i, system)
	}
	m.userSteps(w, emit)
	m.faults(w, emit)
	if quiet && w.ghost.killed && w.left.rescues > 0 {
		m.rescue(w, emit)
	}
	return quiet
}

func (m *model) procSteps(w *world, i int, emit emitter) {
	if w.procs[i].kind == none {
		return
	}
	next := *w
	r := &run{m, &next, i, &next.procs[i]}
	step := false
	switch kind := w.procs[i].kind; kind {
	case stopHook, promptHook:
		if step = r.isCopy(); step {
			r.end()
			break
		}
		step = map[bool]func() bool{true: r.stopHook, false: r.promptHook}[kind == stopHook]()
	case agent:
		step = r.agent()
	case canceller:
		step = r.canceller()
	case watcher:
		step = r.watcher()
	case typist:
		r.typist(func(label string) { emit(m.says(w, i, label), &next) })
	default:
		step = r.steerer()
	}
	if step {
		emit(m.says(w, i, ""), &next)
	}
}

// faults are kills, and long times in which nothing was done.
func (m *model) faults(w *world, emit emitter) {
	for i, p := range w.procs {
		if p.kind != none && w.left.kills > 0 {
			next := *w
			next.kill(i)
			emit(m.says(w, i, "is killed"), &next)
		}
	}
	if w.left.ticks > 0 && w.hooksDone(0) && w.hooksDone(1) {
		next := *w
		next.left.ticks--
		next.now.ticks++
		m.slow(&next)
		emit("three minutes pass", &next)
	}
}

// late notes that a loop's line was on its way for minutes: it counts after a cancel too.
func (m *model) late(w *world, id uint8) {
	m.wanted(w, id)
	if l := w.recorded(m, id); l != 0 {
		w.ghost.slow |= 1 << m.pool.task(l)
	}
}

// slow lets a line that is on its way for so long count as the user's, and so one
// that hangs on a key.
func (m *model) slow(w *world) {
	for _, p := range w.procs {
		if p.kind == typist && (p.pc == paste || p.pc == pressReturn) {
			m.late(w, p.id)
		}
	}
	for _, h := range w.chats {
		for _, msg := range h.queue {
			if msg >= lineFor {
				m.late(w, msg-lineFor)
			}
		}
	}
}

// kill frees what the system frees.
func (w *world) kill(i int) {
	w.left.kills--
	w.ghost.killed = true
	holder := uint8(i + 1)
	for _, lock := range w.holders() {
		if *lock == holder {
			*lock = 0
		}
	}
	w.procs[i] = proc{}
}

// rescue is the user who finds a loop that does not go on after a kill, and types
// its line.
func (m *model) rescue(w *world, emit emitter) {
	for c, l := range w.live {
		if l == 0 {
			continue
		}
		next := *w
		next.left.rescues--
		next.left.kills, next.left.acts, next.left.turns = 0, 0, max(2, w.left.turns)
		next.ghost.killed, next.ghost.went = false, false
		next.ghost.given = [8]uint8{} // he wants another
		next.now.ticks++              // and took his time
		next.send(uint8(c), lineFor+uint8(c))
		m.wanted(&next, uint8(c))
		emit("the user types the line after a kill", &next)
	}
}

// trace finds the steps that lead to a world once more.
func (m *model) trace(i int32, bad violation, last string) *trace {
	t := &trace{property: bad, last: m.show(&m.worlds[i])}
	if last != "" {
		t.labels = append(t.labels, last)
	}
	for ; m.parents[i] >= 0; i = m.parents[i] {
		t.labels = append(t.labels, m.label(m.parents[i], i))
	}
	slices.Reverse(t.labels)
	return t
}

func (m *model) label(from, to int32) (found string) {
	m.telling = true
	w := m.worlds[from]
	m.successors(&w, func(label string, next *world) {
		m.same(next)
		if *next == m.worlds[to] && found == "" {
			found = label
		}
	})
	m.broken = ""
	return found
}

// says makes a label, where somebody reads it.
func (m *model) says(w *world, i int, what string) string {
	switch {
	case !m.telling:
		return ""
	case what == "":
		what = w.procs[i].doing()
	}
	return w.at(i) + ": " + what
}

func (m *model) violates(v violation) { m.broken = v }

// begun is a loop that runs in a chat.
func (m *model) begun(w *world, task, c uint8) {
	l := m.asked(task)
	l.ConversationID = names(c)
	l, _ = loop.Decide(l, loop.Event{}, w.now.time())
	w.rec[task], w.chat[c] = m.pool.state(l), task+1
	w.live[c] = m.pool.bare(w.rec[task])
}

// asked is a loop that was asked for.
func (m *model) asked(task uint8) loop.State {
	l := loop.New()
	l.Shown = true
	l.Prompt, l.MaxIterations, l.MinToolCalls, l.Status = string('1'+rune(task)), m.most, 0, loop.Running
	if m.fresh {
		l.FreshChat = 1
	}
	l.ID = "k7f2" + l.Prompt
	return l
}
