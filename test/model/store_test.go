package model

import (
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// outcome is how far a step of a process brought an operation.
type outcome uint8

const (
	blocked  outcome = iota // a lock is held by another
	more                    // it goes on with the next step
	finished                // it is done
	missing                 // there is no such loop
)

// The stages of an operation under a loop's lock: between two of them the
// process may be killed, and others may read.
const (
	unlocked = iota
	held
	retiring  // an ended loop that a kill left: its record is written
	recording // the state is saved; its copy is not
	removing  // an ended loop's record is written; it has not left its chat
	assigned  // of a claim: the record names the chat
	entered   // the chat names the loop
	claimed   // the file is renamed; the loop has not begun
	copied    // by a broken claim: read, and not yet written
	pasted    // by a broken claim: written, and not yet removed
	announced // of a move, in its order: the new chat names the loop
	readdressed
	renamed
	rewritten
)

// run is one process that takes one step in a copy of a world.
type run struct {
	*model
	w  *world
	me int
	p  *proc
}

func (r *run) holder() uint8 { return uint8(r.me + 1) }

func (r *run) lock(id uint8) { r.w.locks[id] = r.holder() }

// release ends an operation.
func (r *run) release(o outcome) outcome {
	for id, who := range r.w.locks {
		if who == r.holder() {
			r.w.locks[id] = 0
		}
	}
	if r.w.box == r.holder() {
		r.w.box = 0
	}
	r.p.stage, r.p.next = unlocked, 0
	return o
}

// recordOf is the record of the loop of a state.
func (r *run) recordOf(l ref) *ref { return &r.w.rec[r.pool.task(l)] }

// load settles an ended loop, as every look under the lock does. It reports whether a step
// of that was all for now: after a kill in the middle there are some.
func (r *run) load(id uint8) (busy bool) {
	w, p := r.w, r.p
	if l := w.over[id]; l != 0 {
		r.lastWords(id, l)
		if w.now.time().Sub(r.pool.states[l].EndedAt) > loop.AfterEnd {
			w.over[id], w.journal[id] = 0, 0
		}
	}
	if w.live[id] == 0 || !r.pool.ended(w.live[id]) {
		return false
	}
	r.lock(id)
	if p.stage == retiring {
		r.leaves(id)
		p.stage = held
	} else {
		*r.recordOf(w.live[id]), p.stage = r.pool.whole(w.live[id], *r.recordOf(w.live[id])), retiring
	}
	return true
}

// leaves is the end of an end: the live file stays for a while, and is no loop.
func (r *run) leaves(id uint8) {
	w := r.w
	l := w.live[id]
	w.live[id], w.over[id] = 0, l
	if w.chat[id] == r.pool.task(l)+1 {
		w.chat[id] = 0
	}
	r.lastWords(id, l)
}

// lastWords takes in what another hook has recorded meanwhile.
func (r *run) lastWords(id uint8, over ref) {
	record := r.recordOf(over)
	if r.pool.states[*record].ConversationID == names(id) && r.pool.ended(*record) {
		*record = r.pool.withLastWords(*record, id, r.w.journal[id], r.w.now)
	}
}

// entry returns the record of the loop that a chat names, 0 for none.
func (w *world) entry(m *model, id uint8) ref {
	if w.chat[id] == 0 {
		return 0
	}
	l := w.rec[w.chat[id]-1]
	if s := m.pool.states[l]; l == 0 || s.ConversationID != names(id) && (s.CameFrom != names(id) || w.isFileOf(m, s.ConversationID, w.chat[id]-1)) {
		return 0
	}
	return l
}

// isFileOf reports whether a chat's live file is of a loop.
func (w *world) isFileOf(m *model, id string, task uint8) bool {
	l := max(w.live[id[0]-'A'], w.over[id[0]-'A'])
	return l != 0 && m.pool.task(l) == task
}

func (w *world) hasFile(id uint8) bool { return w.live[id] != 0 || w.over[id] != 0 }

// justEnded returns the record of the loop whose ended live file is there.
func (w *world) justEnded(m *model, id uint8) ref {
	if w.over[id] == 0 {
		return 0
	}
	l := w.rec[m.pool.task(w.over[id])]
	if l == 0 || m.pool.states[l].ConversationID != names(id) || !m.pool.ended(l) {
		return 0
	}
	return l
}

// recorded is state.Store.Recorded.
func (w *world) recorded(m *model, id uint8) ref {
	if l := w.entry(m, id); l != 0 {
		return l
	}
	if l := w.justEnded(m, id); l != 0 {
		return l
	}
	newest := ref(0)
	for _, l := range w.rec {
		s := m.pool.states[l]
		if l == 0 || s.IsAsked() || s.ConversationID != names(id) {
			continue
		}
		if n := m.pool.states[newest]; newest == 0 || seenLast(&s).After(seenLast(&n)) {
			newest = l
		}
	}
	return newest
}

func seenLast(l *loop.State) time.Time {
	if l.EndedAt.IsZero() {
		return l.EventAt
	}
	return l.EndedAt
}

// restore is state.Store.Restore, of a chat that names a loop and has no live file.
func (r *run) restore(id uint8) outcome {
	w := r.w
	if w.locks[id] != 0 && w.locks[id] != r.holder() {
		return blocked
	}
	if w.hasFile(id) {
		return finished
	}
	l := w.entry(r.model, id)
	s := r.pool.states[l]
	switch {
	case l == 0 || r.pool.ended(l):
		w.chat[id] = 0
	case s.IsAsked() || s.CameFrom != "" && w.chat[s.CameFrom[0]-'A'] == r.pool.task(l)+1 && w.isFileOf(r.model, s.CameFrom, r.pool.task(l)) && r.variant != eagerRestore:
	default:
		w.live[id], w.journal[id] = r.pool.bare(l), 0
	}
	return finished
}

// apply is state.Store.Apply, one step of it.
func (r *run) apply(id uint8, e event) outcome {
	w, p := r.w, r.p
	switch {
	case w.locks[id] != 0 && w.locks[id] != r.holder():
		return blocked
	case p.stage == recording && r.variant == removedFirst && r.pool.ended(p.next):
		w.live[id], w.journal[id], p.stage = 0, 0, removing
		return more
	case p.stage == removing && r.variant == removedFirst:
		*r.recordOf(p.next) = p.next
		return r.release(finished)
	case p.stage == recording:
		*r.recordOf(p.next) = p.next
		if !r.pool.ended(p.next) {
			return r.release(finished)
		}
		p.stage = removing
		return more
	case p.stage == removing:
		r.leaves(id)
		return r.release(finished)
	case r.load(id):
		return more
	}
	return r.decide(id, e)
}

// applyIn is state.Store.Apply of a continue in another chat: the loop is moved there
// under both locks.
func (r *run) applyIn(id uint8, e event) outcome {
	w, p := r.w, r.p
	if e.chat == id {
		return r.apply(id, e)
	}
	for _, one := range []uint8{id, e.chat} {
		if w.locks[one] != 0 && w.locks[one] != r.holder() {
			return blocked
		}
	}
	if p.stage >= announced {
		return r.move(id, e.chat)
	}
	if p.stage < recording && r.load(e.chat) {
		return more
	}
	r.lock(id)
	r.lock(e.chat)
	e.busy = w.live[e.chat] != 0
	o := r.apply(id, e)
	if o != finished || p.did.kind != follow {
		if o == finished || o == missing {
			r.release(o)
		}
		return o
	}
	return r.move(id, e.chat) // which locks them again in the same step
}

// concerned is the record that an event is about in a chat without a live loop.
func (r *run) concerned(id uint8, k loop.EventKind) (l ref) {
	switch k {
	case loop.EventMessage:
		l = r.w.justEnded(r.model, id)
	case loop.EventCancel:
		l = r.w.entry(r.model, id)
	case loop.EventContinue, loop.EventInjected:
		l = r.w.recorded(r.model, id)
	}
	if s := r.pool.states[l]; s.IsAsked() {
		return 0
	}
	return l
}

// decide is the step that saves.
func (r *run) decide(id uint8, e event) outcome {
	w, p := r.w, r.p
	live := w.live[id] != 0
	before := r.concerned(id, e.kind)
	if live {
		before = r.pool.whole(w.live[id], *r.recordOf(w.live[id]))
	}
	if before == 0 {
		return r.release(missing)
	}
	if !live {
		before = r.pool.silent(before)
	}
	if !live && e.kind == loop.EventContinue {
		w.journal[id] = 0
	}
	p.did = r.bend(before, e, r.pool.decide(decision{before, id, e, r.proof(id, e), w.now}))
	if p.did.kind == askTyping || p.did.kind == refuse && !live && !e.line {
		return r.release(finished)
	}
	if task := r.pool.task(before); !live && e.kind == loop.EventContinue && !r.pool.ended(p.did.next) && w.chat[id] != task+1 {
		r.lock(id)
		w.chat[id], p.stage = task+1, held
		return more
	}
	return r.save(id, before, e, live)
}

// save puts the state where it belongs.
func (r *run) save(id uint8, before ref, e event, live bool) outcome {
	w, p := r.w, r.p
	r.count(before, e, p.did)
	r.begins(before, p.did.next, e)
	p.next = p.did.next
	switch ended := r.pool.ended(p.next); {
	case !live && (ended || e.kind != loop.EventContinue):
		*r.recordOf(p.next) = p.next
		if ended && w.chat[id] == r.pool.task(p.next)+1 {
			w.chat[id] = 0
		}
		return r.release(finished)
	case live && !r.pool.states[before].StartedAt.IsZero() && r.variant != removedFirst: // the record is written first, with each change
		*r.recordOf(p.next) = p.next
		if ended {
			r.lock(id)
			p.stage = removing
		}
	case !live || ended || e.kind == loop.EventStop || e.kind == loop.EventContinue || r.pool.states[before].StartedAt.IsZero():
		r.lock(id)
		p.stage = recording
	}
	w.live[id], w.over[id] = r.pool.bare(p.next), 0
	if r.opensFollowup(before) {
		w.now.opens++
	}
	was, is := r.pool.states[before].Delivery, r.pool.states[p.next].Delivery
	if is.IsLine() && is.OpenedAt.Equal(w.now.time()) && (is.ID != was.ID || !was.IsLine()) {
		w.now.opens++
	}
	if p.stage == recording || p.stage == removing {
		return more
	}
	return r.release(finished)
}

// claim is state.Store.Claim with pending.Box.Claim in it. A loop that is there
// already is as good as one that was claimed.
func (r *run) claim(chat uint8, stop bool) outcome {
	w, p := r.w, r.p
	switch {
	case w.locks[chat] != 0 && w.locks[chat] != r.holder():
		return blocked
	case p.stage == claimed:
		o := r.decide(chat, event{})
		if o == more {
			p.stage = recording
		}
		return o
	case p.stage == recording:
		*r.recordOf(p.next) = p.next
		return r.release(finished)
	case p.stage == copied:
		w.live[chat], w.over[chat], p.stage = p.next, 0, pasted
		return more
	case p.stage == pasted:
		w.pend[p.slot-1], p.stage = 0, claimed
		return more
	case p.stage == assigned:
		w.chat[chat], p.stage = r.pool.task(w.pend[p.slot-1])+1, entered
		return more
	case p.stage == entered:
		w.live[chat], w.over[chat], w.pend[p.slot-1], p.stage = w.pend[p.slot-1], 0, 0, claimed
		w.box = 0
		return more
	case r.load(chat):
		return more
	case w.live[chat] != 0:
		return r.release(finished)
	case w.box != 0:
		return blocked
	}
	w.journal[chat] = 0 // whether there is a loop or not
	return r.take(chat, stop)
}

// take begins a claim; the rename is what counts.
func (r *run) take(chat uint8, stop bool) outcome {
	w, p := r.w, r.p
	slot := r.choose(chat, stop)
	if slot < 0 {
		return r.release(missing)
	}
	record := r.recordOf(w.pend[slot])
	s := r.pool.states[*record]
	s.ConversationID = names(chat)
	p.slot = uint8(slot + 1)
	if r.variant == copiedClaim || r.variant == unlockedClaim {
		w.chat[chat], *record = r.pool.task(w.pend[slot])+1, r.pool.state(s)
		p.next, p.stage = w.pend[slot], copied
		if r.variant == copiedClaim {
			r.lock(chat)
			w.box = r.holder()
		}
		return more
	}
	r.lock(chat)
	w.box = r.holder()
	*record, p.stage = r.pool.state(s), assigned
	return more
}

// choose returns the pending file that a chat may have, or -1.
func (r *run) choose(chat uint8, stop bool) int {
	usable := func(i int) bool {
		l := r.w.pend[i]
		if l == 0 || r.pool.ended(l) {
			return false
		}
		s := r.pool.states[*r.recordOf(l)]
		if s.Status.Ended() { // a kill left the file
			r.w.pend[i] = 0
			return false
		}
		return s.ConversationID == "" || s.ConversationID == names(chat)
	}
	if usable(int(chat)) {
		return int(chat)
	}
	for i := len(r.w.pend) - 1; stop && i >= chats; i-- {
		if usable(i) {
			return i
		}
	}
	return -1
}

// waiting is pending.Box.Waiting: a look without a lock.
func (w *world) waiting(chat uint8, stop bool) bool {
	if w.pend[chat] != 0 {
		return true
	}
	for _, l := range w.pend[chats:] {
		if stop && l != 0 {
			return true
		}
	}
	return false
}

// changePending is pending.Box.Apply of an event that ends the loop.
func (r *run) changePending(slot int, e event) outcome {
	w, p := r.w, r.p
	if p.stage == removing {
		w.pend[slot] = 0
		return r.release(finished)
	}
	if w.box != 0 {
		return blocked
	}
	if w.pend[slot] == 0 || r.pool.ended(*r.recordOf(w.pend[slot])) {
		return missing
	}
	p.next = r.pool.decidePending(w.pend[slot], e, w.now)
	if !r.pool.ended(p.next) {
		w.pend[slot], p.next = p.next, 0
		return finished
	}
	w.box, p.stage = r.holder(), removing
	if r.variant == unlinkedFirst {
		w.pend[slot] = 0
		return more
	}
	*r.recordOf(p.next) = p.next
	return more
}

// decidePending keeps what a pending loop must not lose.
func (p *pool) decidePending(r ref, e event, now instant) ref {
	l := p.states[r]
	after, _ := loop.Decide(l, p.event(e), now.time())
	after.StartedAt, after.Replace = l.StartedAt, l.Replace
	return p.state(after)
}

// move is state.Store.Move.
func (r *run) move(from, to uint8) outcome {
	w, p := r.w, r.p
	for _, id := range []uint8{from, to} {
		if w.locks[id] != 0 && w.locks[id] != r.holder() {
			return blocked
		}
	}
	switch p.stage {
	case announced:
		p.next = r.pool.movedTo(r.pool.whole(w.live[from], *r.recordOf(w.live[from])), from, to)
		*r.recordOf(p.next), p.stage = p.next, readdressed
	case readdressed:
		w.journal[to], w.live[to], w.over[to], w.live[from], p.stage = 0, w.live[from], 0, 0, renamed
	case renamed:
		w.live[to], p.stage = r.pool.bare(p.next), rewritten
	case rewritten:
		if w.chat[from] == r.pool.task(p.next)+1 {
			w.chat[from] = 0
		}
		w.journal[from] = 0
		return r.release(finished)
	default:
		return r.beginMove(from, to)
	}
	return more
}

func (r *run) beginMove(from, to uint8) outcome {
	w := r.w
	switch {
	case r.load(from):
		return more
	case w.live[from] == 0:
		return r.release(missing)
	case r.load(to):
		return more
	case w.live[to] != 0:
		return r.release(missing)
	}
	r.lock(from)
	r.lock(to)
	w.chat[to], r.p.stage = r.pool.task(w.live[from])+1, announced
	return more
}

func (p *pool) movedTo(r ref, from, to uint8) ref {
	l := p.states[r]
	l.EnterChat(names(to))
	l.Journal, l.CameFrom = loop.Mark{Of: names(to), Events: l.Journal.Events}, names(from)
	return p.state(l)
}

// whole is a loop as its live file and its record have it together.
func (p *pool) whole(live, record ref) ref {
	l := p.states[live]
	l.Archive = p.states[record].Archive
	return p.state(l)
}

// bare is a loop as its live file has it.
func (p *pool) bare(r ref) ref { return p.state(p.states[r].InTmp()) }

// silent is an interrupted loop: nothing is at work there.
func (p *pool) silent(r ref) ref {
	l := p.states[r]
	if l.Status.Ended() {
		return r
	}
	l.EventAt = time.Time{}
	return p.state(l)
}

func (p *pool) withLastWords(r ref, id uint8, journal ref, now instant) ref {
	l, e := p.states[r], loop.Event{Kind: loop.EventStop}
	rest, mark := unfolded([]byte(p.texts[journal]), l.Journal)
	if l.Journal.Of != names(id) || len(rest) == 0 {
		return r
	}
	l.Journal = mark
	if e.Turn = l.TurnIn(rest, &e); len(e.Turn.Texts) == 0 {
		return r
	}
	e.Kind, e.Generation = loop.EventLateText, l.LastStop.Generation
	next, action := loop.Decide(l, e, now.time())
	if action.Reason == "" {
		return r
	}
	return p.state(next)
}
