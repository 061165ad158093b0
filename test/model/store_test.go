package model

import "github.com/cursor-ralph/cursor-ralph/loop"

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
	removing  // an ended loop's record is written; its live file is there
	claimed   // the file is renamed; the loop has not begun
	copied    // by a broken claim: read, and not yet written
	pasted    // by a broken claim: written, and not yet removed
	forwarded // of a move, in its order
	cleared
	renamed
	rewritten
	moved
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

// load brings an ended loop's live file to the archive first, as every look
// under the lock does. It reports whether that step was all for now.
func (r *run) load(id uint8) (busy bool) {
	w, p := r.w, r.p
	if w.live[id] == 0 || !r.pool.ended(w.live[id]) {
		return false
	}
	r.lock(id)
	if p.stage == retiring {
		w.live[id], w.journal[id], p.stage = 0, 0, held
	} else {
		w.arch[id], p.stage = w.live[id], retiring
	}
	return true
}

// rotate renames the newest record, because a new loop begins.
func (r *run) rotate(id uint8) (busy bool) {
	w := r.w
	if w.arch[id] == 0 {
		return false
	}
	r.lock(id)
	r.keepOlder(w.arch[id])
	w.arch[id] = 0
	return true
}

func (r *run) keepOlder(l ref) {
	if r.pool.ended(l) {
		r.w.older |= 1 << r.pool.task(l)
	}
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
		w.arch[id] = p.next
		return r.release(finished)
	case p.stage == recording:
		w.arch[id] = p.next
		if !r.pool.ended(p.next) {
			return r.release(finished)
		}
		p.stage = removing
		return more
	case p.stage == removing:
		w.live[id], w.journal[id] = 0, 0
		return r.release(finished)
	case r.load(id):
		return more
	}
	return r.decide(id, e)
}

func concernsEnded(k loop.EventKind) bool {
	switch k {
	case loop.EventContinue, loop.EventTyped, loop.EventInjected:
		return true
	}
	return false
}

// decide is the step that saves.
func (r *run) decide(id uint8, e event) outcome {
	w, p := r.w, r.p
	before, live := w.live[id], w.live[id] != 0
	if !live && concernsEnded(e.kind) {
		if before = w.arch[id]; before != 0 && r.pool.states[before].MovedTo != "" {
			before = 0
		}
	}
	if before == 0 {
		return r.release(missing)
	}
	if live && r.pool.states[before].StartedAt.IsZero() && r.rotate(id) {
		p.stage = held
		return more
	}
	if !live && e.kind == loop.EventContinue {
		w.journal[id] = 0
	}
	p.did = r.bend(before, e, r.pool.decide(decision{before, id, e, r.proof(id, e), w.now}))
	if p.did.kind == askTyping || p.did.kind == refuse && !live {
		return r.release(finished)
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
		w.arch[id] = p.next
		return r.release(finished)
	case ended || e.kind == loop.EventStop || e.kind == loop.EventContinue:
		r.lock(id)
		p.stage = recording
	}
	w.live[id] = p.next
	if r.opensFollowup(before) {
		w.now.opens++
	}
	if opened := r.pool.states[p.next].Injection; opened.OpenedAt.Equal(w.now.time()) && opened.ID != r.pool.states[before].Injection.ID {
		w.now.opens++
	}
	if p.stage == recording {
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
			p.stage = claimed
		}
		return o
	case p.stage == copied:
		w.live[chat], p.stage = p.next, pasted
		return more
	case p.stage == pasted:
		w.pend[p.slot-1], p.stage = 0, claimed
		return more
	case r.load(chat):
		return more
	case w.live[chat] != 0:
		return r.release(finished)
	case stop && r.justEnded(chat):
		return r.release(missing)
	case w.box != 0:
		return blocked
	}
	return r.take(chat, stop)
}

// justEnded reports whether this stop ended the chat's loop in the other copy of
// the hook.
func (r *run) justEnded(chat uint8) bool {
	l := r.w.arch[chat]
	stop := r.pool.event(r.stopEvent())
	return l != 0 && r.pool.states[l].MovedTo == "" && r.pool.states[l].SawStop(&stop, r.w.now.time())
}

// take renames the file, which is the claim.
func (r *run) take(chat uint8, stop bool) outcome {
	w, p := r.w, r.p
	w.journal[chat] = 0 // whether there is a loop or not
	slot := r.choose(chat, stop)
	if slot < 0 {
		return r.release(missing)
	}
	if r.variant == copiedClaim || r.variant == unlockedClaim {
		p.next, p.slot, p.stage = w.pend[slot], uint8(slot+1), copied
		if r.variant == copiedClaim {
			r.lock(chat)
			w.box = r.holder()
		}
		return more
	}
	r.lock(chat)
	w.live[chat], w.pend[slot], p.stage = w.pend[slot], 0, claimed
	return more
}

// choose returns the pending file that a chat may have, or -1.
func (r *run) choose(chat uint8, stop bool) int {
	usable := func(i int) bool { return r.w.pend[i] != 0 && !r.pool.ended(r.w.pend[i]) }
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
	switch p.stage {
	case unlocked:
		if w.change != 0 || w.box != 0 {
			return blocked
		}
		return r.markEnded(slot, e)
	case recording:
		id := uint8(slot)
		if slot < chats && w.locks[id] != 0 {
			return blocked
		}
		switch {
		case slot < chats && w.live[id] == 0 && w.arch[id] == 0:
			w.arch[id] = p.next
		case slot < chats && w.arch[id] == p.next: // by one that was killed
		default:
			r.keepOlder(p.next)
		}
		p.stage = removing
		return more
	}
	if w.box != 0 {
		return blocked
	}
	if w.pend[slot] != 0 && r.pool.ended(w.pend[slot]) {
		w.pend[slot] = 0
	}
	w.change = 0
	return r.release(finished)
}

func (r *run) markEnded(slot int, e event) outcome {
	w, p := r.w, r.p
	if w.pend[slot] == 0 {
		return missing
	}
	p.next = w.pend[slot]
	if !r.pool.ended(p.next) {
		p.next = r.pool.decidePending(p.next, e, w.now)
		w.pend[slot] = p.next
	}
	if !r.pool.ended(p.next) {
		p.next = 0
		return finished
	}
	w.change, p.stage = r.holder(), recording
	return more
}

// decidePending keeps what a pending loop must not lose.
func (p *pool) decidePending(r ref, e event, now instant) ref {
	l := p.states[r]
	after, _ := loop.Decide(l, p.event(e), now.time())
	after.StartedAt, after.Token, after.Replace = l.StartedAt, l.Token, l.Replace
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
	case forwarded:
		if w.arch[to] != 0 {
			r.keepOlder(w.arch[to])
		}
		w.arch[to], w.journal[to], p.stage = 0, 0, cleared
	case cleared:
		w.live[to], w.live[from], p.stage = w.live[from], 0, renamed
	case renamed:
		w.live[to] = r.pool.movedTo(w.live[to], to)
		p.stage = rewritten
	case rewritten:
		w.arch[to], p.stage = w.live[to], moved
	case moved:
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
	if l := w.arch[from]; l != 0 {
		s := r.pool.states[l]
		s.MovedTo = names(to)
		w.arch[from] = r.pool.state(s)
	}
	r.p.stage = forwarded
	return more
}

func (p *pool) movedTo(r ref, to uint8) ref {
	l := p.states[r]
	l.EnterChat(names(to))
	l.Journal = loop.Mark{Of: names(to), Tools: l.Journal.Tools}
	return p.state(l)
}
