package model

import "github.com/cursor-ralph/cursor-ralph/loop"

// A chat of the editor. Hooks of one event run at once, and the editor waits for
// all of them; one that was killed has no answer. A user's message waits for the
// end of a turn, and is sent before a follow-up.

// chatSteps is what the editor and the agent do by themselves.
func (m *model) chatSteps(w *world, c uint8, emit emitter) {
	h := w.chats[c]
	switch {
	case h.phase == idle && w.left.turns > 0 && (h.queue[0] != nothing || h.late != 0):
		m.sends(w, c, emit)
	case h.phase == submitting && w.hooksDone(c):
		emit("chat "+names(c)+": the prompt hooks are over", m.submitted(*w, c))
	case h.phase == busy && w.procs[firstAgent+c].kind == none:
		m.works(w, c, emit)
		m.turnEnds(w, c, emit)
	case h.phase == stopping && w.hooksDone(c):
		m.stopped(w, c, emit)
	}
}

func (w *world) hooksDone(c uint8) bool {
	return w.procs[c*copies].kind == none && w.procs[c*copies+1].kind == none
}

func (m *model) startHooks(w *world, c uint8, k kind) {
	w.chats[c].begun = false
	for i := range m.installed() {
		w.procs[c*copies+i] = proc{kind: k, chat: c}
	}
}

// installed is how often the hook is.
func (m *model) installed() uint8 {
	if m.single {
		return 1
	}
	return copies
}

// send is a message on its way into a chat.
func (w *world) send(c, msg uint8) {
	for other := range w.chats {
		if h := w.chats[other]; msg >= lineFor && other != int(c) && (h.msg == msg || h.queue[0] == msg || h.queue[1] == msg) {
			w.ghost.twoLines = true
		}
	}
	q := &w.chats[c].queue
	switch {
	case q[0] == nothing:
		q[0] = msg
	case q[1] == nothing:
		q[1] = msg
	}
}

// inTwo reports whether a line was under way in two chats at once, and still is in
// one: of two agents that have to continue the second is not known of.
func (w *world) inTwo(id uint8) bool {
	line := lineFor + id
	for _, h := range w.chats {
		if w.ghost.twoLines && (h.msg == line || h.queue[0] == line || h.queue[1] == line) {
			return true
		}
	}
	return false
}

func (m *model) submitNext(w world, c uint8) *world {
	h := &w.chats[c]
	h.msg, h.queue, h.own, h.ownOf = h.queue[0], [2]uint8{h.queue[1]}, 0, 0
	h.lc, h.follow, h.followOf = 0, 0, 0
	m.submit(&w, c)
	return &w
}

func (m *model) submit(w *world, c uint8) {
	h := &w.chats[c]
	h.phase, h.refused, h.counted, h.aborted = submitting, false, false, false
	h.gen++
	w.left.turns--
	m.startHooks(w, c, promptHook)
}

func (m *model) submitted(w world, c uint8) *world {
	h := &w.chats[c]
	if h.kept && !h.refused {
		m.violates(notKept)
	}
	h.kept = false
	if h.refused {
		h.phase, h.msg, h.own, h.ownOf = idle, nothing, 0, 0
		return &w
	}
	h.phase = busy
	if h.msg == followup && (w.live[c] != 0 || m.variant == noExcuse) { // no hook knows the text of a loop that is over
		m.given(&w, h.ownOf)
	}
	if h.msg >= lineFor {
		m.arrived(&w, c, h.msg-lineFor)
		w.procs[firstAgent+c] = proc{kind: agent, chat: c, id: h.msg - lineFor}
	}
	return &w
}

// arrived notes that a line is not on its way any more. That one came to another
// chat is forgotten at the next stop in the loop's own, so it stays the user's.
func (m *model) arrived(w *world, c, id uint8) {
	if l := w.live[id]; l != 0 && c == id {
		w.ghost.loose &^= 1 << m.pool.task(l)
	}
}

// turnEnds has the agent say its promise, or not.
func (m *model) turnEnds(w *world, c uint8, emit emitter) {
	emit("chat "+names(c)+": the turn ends", m.ended(*w, c))
	if w.left.promises > 0 && w.live[c] != 0 {
		next := *w
		next.left.promises--
		next.journal[c] = m.pool.record(w.journal[c], loop.Record{Kind: loop.RecordText, At: epoch(), Generation: m.generationOf(w, c), Text: "<promise>COMPLETE</promise>"})
		emit("chat "+names(c)+": the agent gives its promise, and the turn ends", m.ended(next, c))
	}
}

func (m *model) ended(w world, c uint8) *world {
	h := &w.chats[c]
	h.msg, h.own, h.ownOf = nothing, 0, 0
	if m.limit > 0 && h.lc >= m.limit {
		h.phase = idle // the editor runs no stop hook any more
		return &w
	}
	h.phase = stopping
	m.startHooks(&w, c, stopHook)
	return &w
}

// stopped goes on with the follow-up, or with what the user sent.
func (m *model) stopped(w *world, c uint8, emit emitter) {
	next := *w
	h := &next.chats[c]
	switch {
	case h.follow == 0 || h.queue[0] != nothing:
		h.phase, h.follow, h.followOf = idle, 0, 0
		emit("chat "+names(c)+": the stop hooks are over", &next)
	case w.left.turns > 0:
		m.goesAstray(*w, c, emit)
		h.msg, h.own, h.ownOf, h.follow, h.followOf = followup, h.follow, h.followOf, 0, 0
		m.follows(next, c, "sends the follow-up", emit)
	}
}

// stopEvent is what a stop hook tells the loop.
func (r *run) stopEvent() event {
	h := r.w.chats[r.p.chat]
	status := loop.Completed
	if h.aborted {
		status = loop.Aborted
	}
	e := event{kind: loop.EventStop, chat: r.p.chat, lc: h.lc, gen: h.gen, status: status, limit: r.limit}
	switch {
	case r.p.typing && r.byHand:
		e.typing = loop.TypingImpossible
	case r.p.typing:
		e.typing = loop.TypingPossible
	}
	return e
}
