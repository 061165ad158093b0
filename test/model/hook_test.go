package model

import "github.com/cursor-ralph/cursor-ralph/loop"

// The steps of a hook.
const (
	looks = iota
	claims
	decides
	claimsAgain
	decidesAgain
	speaks
	records
	exits
	watches
)

// end is the end of a process.
func (r *run) end() { *r.p = proc{} }

// goTo is the end of an operation.
func (r *run) goTo(pc uint8) { r.p.pc, r.p.stage, r.p.next, r.p.did = pc, unlocked, 0, result{} }

// isCopy reports whether another hook has begun with the event: our hook may be installed twice.
func (r *run) isCopy() bool {
	h := &r.w.chats[r.p.chat]
	if r.p.begun || r.variant == forgottenStop {
		return false
	}
	isCopy := h.begun
	h.begun, r.p.begun = true, true
	return isCopy
}

// stopHook is the handling of a stop event. It reports whether it could take a
// step.
func (r *run) stopHook() bool {
	w, p := r.w, r.p
	c := p.chat
	completed := !w.chats[c].aborted
	switch p.pc {
	case looks:
		if r.isLost(c) {
			return r.restore(c) != blocked
		}
		switch {
		case w.live[c] != 0:
			r.goTo(decides)
		case w.waiting(c, completed):
			r.goTo(claims)
		default:
			r.end()
		}
		return true
	case exits:
		r.end()
		return true
	case watches:
		r.startWatcher()
		r.end()
		return true
	case claims, claimsAgain:
		o := r.claim(c, completed)
		switch o {
		case finished:
			r.goTo(p.pc + 1)
		case missing:
			r.end()
		}
		return o != blocked
	}
	o := r.apply(c, r.stopEvent())
	switch {
	case o == finished && p.did.kind == askTyping:
		p.typing = true
	case o == finished:
		r.answer()
	case o == missing && p.pc == decides && w.waiting(c, completed):
		r.goTo(claimsAgain)
	case o == missing:
		r.end()
	}
	return o != blocked
}

// isLost reports whether a chat names a loop and has no live file.
func (r *run) isLost(c uint8) bool {
	if r.w.chat[c] == 0 || r.w.hasFile(c) || r.w.pend[c] != 0 || r.p.slot != 0 {
		return false
	}
	r.p.slot = 1 // it is looked once
	return true
}

// answer is the end of a stop hook, whose injector is a process of its own.
func (r *run) answer() {
	w, p := r.w, r.p
	l := w.live[p.chat]
	if p.did.text != 0 {
		w.chats[p.chat].follow = p.did.text
		w.chats[p.chat].followOf = uint8(r.pool.states[p.did.next].Iterations)
	}
	if p.did.kind == handOver && l != 0 {
		w.ghost.told |= 1 << r.pool.task(l)
	}
	if p.did.kind == inject {
		w.ghost.stayed, w.ghost.went = false, false
		id := r.pool.text(r.pool.states[p.did.next].Delivery.ID)
		r.startTypist(proc{kind: typist, id: p.chat, inj: id, after: r.holder(), pc: isDue})
		r.goTo(exits)
		return
	}
	if r.watched && p.did.kind == follow && r.variant != unwatched {
		r.goTo(watches)
		return
	}
	r.end()
}

// startTypist begins an injector, if the world has room for one more.
func (r *run) startTypist(p proc) {
	for i := firstTypist; i < firstTypist+typists; i++ {
		if r.w.procs[i].kind == none {
			r.w.procs[i] = p
			return
		}
	}
	r.violates("there is no room for another injector")
}

// promptHook is the handling of a message.
func (r *run) promptHook() bool {
	w, p := r.w, r.p
	c, h := p.chat, &w.chats[p.chat]
	switch p.pc {
	case looks:
		if h.msg < lineFor && r.isLost(c) {
			return r.restore(c) != blocked
		}
		switch {
		case w.live[c] != 0:
			p.done = 1
			r.goTo(decides)
		case w.waiting(c, false):
			r.goTo(claims)
		default:
			r.goTo(decides)
		}
		if p.pc == decides && h.msg < lineFor && p.done == 0 {
			r.end()
		}
		return true
	case claims:
		o := r.claim(c, false)
		switch {
		case o == finished:
			p.done = 1
			r.goTo(decides)
		case o == missing && h.msg < lineFor:
			r.end()
		case o == missing:
			r.goTo(decides)
		}
		return o != blocked
	case decides:
		if h.msg < lineFor {
			return r.speaks(c)
		}
		return r.lined(h)
	case speaks:
		return r.speaks(p.id)
	}
	w.journal[p.id] = r.pool.record(w.journal[p.id], loop.Record{Kind: loop.RecordPrompt, At: epoch(), Generation: r.generationOf(w, p.chat), Own: p.typing, ByLine: h.msg >= lineFor})
	w.ghost.recorded = w.ghost.recorded || h.msg == followup
	r.end()
	return true
}

// lined continues a loop by its line, or keeps that back.
func (r *run) lined(h *chat) bool {
	w, p := r.w, r.p
	if p.stage == unlocked {
		if p.id = h.msg - lineFor; r.isBrought(p.id) {
			p.id = p.chat
		}
		p.inj = w.live[p.id]
	}
	id := p.id
	o := r.applyIn(id, event{kind: loop.EventContinue, chat: p.chat, in: true, line: true, fresh: r.isNew(p.chat)})
	if o == finished {
		r.wins(id, p.inj)
		r.keeps(h, id, p.inj)
	}
	switch {
	case o == finished && p.did.kind == refuse:
		h.refused = h.refused || r.variant != unhindered
		r.tell(p.did.next)
		r.end()
	case o == finished && w.live[p.chat] != 0:
		p.id, p.typing = p.chat, false
		r.goTo(records)
	case o == finished, o == missing:
		r.end()
	}
	return o != blocked
}

// tell asks the user to send the line.
func (r *run) tell(l ref) {
	if l != 0 {
		r.w.ghost.told |= 1 << r.pool.task(l)
	}
}

// speaks lets a loop know of a message.
func (r *run) speaks(id uint8) bool {
	h := r.w.chats[r.p.chat]
	text := h.own
	switch {
	case h.msg == ordinary:
		text = r.pool.text("Hello.")
	}
	before := r.w.live[id]
	o := r.apply(id, event{kind: loop.EventMessage, text: text})
	switch o {
	case finished:
		if h.msg == ordinary {
			r.stays(before)
		}
		r.said(id, text)
	case missing:
		r.end()
	}
	return o != blocked
}

// said is the end of what a prompt hook does about a message: it is kept back, or
// gets into the journal.
func (r *run) said(id uint8, text ref) {
	h := &r.w.chats[r.p.chat]
	if r.p.did.kind == refuse {
		h.refused = r.variant != lateTwice
		r.end()
		return
	}
	r.w.ghost.closed = r.w.ghost.closed || h.msg == ordinary
	r.p.id, r.p.typing = id, r.pool.states[r.p.did.next].IsOwn(r.pool.texts[text])
	r.goTo(records)
}

// The steps of an agent that has to continue a loop.
const (
	asks = iota
	continues
)

// agent is the agent's call of cursor-ralph continue.
func (r *run) agent() bool {
	w, p := r.w, r.p
	if p.pc == asks {
		r.asks()
		return true
	}
	o := r.applyIn(p.id, event{kind: loop.EventContinue, chat: p.chat, in: true, fresh: w.recorded(r.model, p.chat) == 0})
	switch {
	case o == missing, o == finished && p.did.kind == refuse:
		r.tell(p.did.next)
		r.end()
	case o == finished:
		r.end()
	}
	return o != blocked
}

// isBrought reports whether the loop of a chat is in that of the process now.
func (r *run) isBrought(id uint8) bool {
	here := r.w.live[r.p.chat]
	return id != r.p.chat && r.w.live[id] == 0 && here != 0 && r.pool.states[*r.recordOf(here)].CameFrom == names(id)
}

// asks finds the loop, which the prompt hook may have brought to the agent's chat.
func (r *run) asks() {
	w, p := r.w, r.p
	l := w.live[p.id]
	if l == 0 || r.pool.ended(l) {
		l = w.recorded(r.model, p.id)
	}
	switch {
	case r.isBrought(p.id) && r.pool.states[w.live[p.chat]].IsLineTurn():
		p.id = p.chat
	case p.id != p.chat && w.live[p.chat] != 0:
		r.tell(l)
		r.end()
		return
	}
	r.goTo(continues)
}
