package model

import "github.com/cursor-ralph/cursor-ralph/loop"

// A user's acts.
const (
	cancels = 1 << iota
	pauses
	resumes
	injects
	takesUp
	types  // the continue line, by hand
	talks  // an ordinary message
	clicks // Stop
	looksAway
)

// userSteps is what the user may do now.
func (m *model) userSteps(w *world, emit emitter) {
	if w.left.acts == 0 {
		return
	}
	next := *w
	next.left.acts--
	for id := range uint8(chats) {
		m.userInChat(next, id, emit)
		if next.live[id] != 0 || next.pend[id] != 0 {
			m.userCommands(next, id, emit)
		}
	}
	for slot := uint8(chats); int(slot) < len(next.pend); slot++ {
		if next.pend[slot] != 0 {
			m.begin(next, proc{kind: canceller, id: slot}, cancels, "cancel of a pending loop", emit)
		}
	}
}

func (m *model) userInChat(w world, c uint8, emit emitter) {
	if (m.watched || m.fresh && !m.byHand) && c > 0 {
		return // nothing happens there
	}
	name := " in chat " + names(c)
	if m.acts&talks != 0 {
		next := w
		next.send(c, ordinary)
		emit("the user sends a message"+name, &next)
	}
	for id := range uint8(chats) {
		if m.acts&types != 0 && (w.live[id] != 0 || w.recorded(m, id) != 0) {
			next := w
			next.send(c, lineFor+id)
			m.wanted(&next, id)
			emit("the user types the continue line of "+names(id)+name, &next)
		}
	}
	if m.acts&clicks != 0 && w.chats[c].phase == busy && w.procs[firstAgent+c].kind == none {
		next := w
		next.chats[c].aborted = true
		emit("the user clicks Stop"+name, m.ended(next, c))
	}
	if m.acts&looksAway != 0 && w.front != c {
		next := w
		next.front = c
		emit("the user looks at chat "+names(c), &next)
	}
}

// wanted notes that the user wants a loop to go on, whatever was before.
func (m *model) wanted(w *world, id uint8) {
	if w.live[id] != 0 {
		w.ghost.paused &^= 1 << m.pool.task(w.live[id])
		w.ghost.loose |= 1 << m.pool.task(w.live[id])
	}
}

func (m *model) userCommands(w world, id uint8, emit emitter) {
	m.begin(w, proc{kind: canceller, id: id}, cancels, "cancel "+names(id), emit)
	if w.live[id] == 0 {
		return
	}
	m.begin(w, proc{kind: pauser, id: id}, pauses, "pause "+names(id), emit)
	m.begin(w, proc{kind: resumer, id: id}, resumes, "resume "+names(id), emit)
	m.begin(w, proc{kind: claimant, id: id}, takesUp, "continue "+names(id)+" at a terminal", emit)
	if m.acts&injects == 0 {
		return
	}
	for i := firstTypist; i < firstTypist+typists-1; i++ { // the last is for a hook
		if w.procs[i].kind == none {
			next := w
			next.procs[i] = proc{kind: typist, id: id}
			m.wanted(&next, id)
			emit("the user: cursor-ralph inject "+names(id), &next)
			return
		}
	}
}

func (m *model) begin(w world, p proc, act int, label string, emit emitter) {
	if m.acts&act == 0 || w.procs[command].kind != none {
		return
	}
	p.slot = m.aimed(&w, p.id)
	w.procs[command] = p
	emit("the user: cursor-ralph "+label, &w)
}

// aimed returns the tasks that a command about an id means.
func (m *model) aimed(w *world, id uint8) (tasks uint8) {
	if l := w.pend[id]; l != 0 && !m.pool.ended(l) {
		tasks |= 1 << m.pool.task(l)
	}
	if id < chats && w.live[id] != 0 && !m.pool.ended(w.live[id]) {
		tasks |= 1 << m.pool.task(w.live[id])
	}
	return tasks
}

// canceller is cursor-ralph cancel: a loop goes from pending to live and never
// back, so the pending folder is looked at first.
func (r *run) canceller() bool {
	p := r.p
	first, second := r.cancelsPending, r.cancelsLive
	if r.variant == liveFirst {
		first, second = second, first
	}
	var o outcome
	switch p.pc {
	case 0:
		o = first()
	case 1:
		o = second()
	}
	if o == finished {
		p.done = 1
	}
	if o == finished || o == missing {
		done := p.done
		r.goTo(p.pc + 1)
		if p.pc == 2 {
			r.cancelled(done == 1)
		}
	}
	return o != blocked
}

func (r *run) cancelsPending() outcome {
	if r.p.stage == unlocked && r.w.pend[r.p.id] == 0 {
		return missing
	}
	return r.changePending(int(r.p.id), event{kind: loop.EventCancel})
}

func (r *run) cancelsLive() outcome {
	if r.p.id >= chats {
		return missing
	}
	if r.variant == staleCancel {
		return r.cancelsStale()
	}
	return r.apply(r.p.id, event{kind: loop.EventCancel})
}

// cancelled is the end of a cancel, of which the user learns whether it worked.
func (r *run) cancelled(worked bool) {
	w, p := r.w, r.p
	if left := p.slot & r.aimed(w, p.id); left != 0 {
		r.violates(cancelLost)
	}
	for task := range uint8(tasks) {
		if worked && p.slot&(1<<task) != 0 && !r.active(w, task) {
			w.ghost.cancelled |= 1 << task
		}
	}
	r.end()
}

func (m *model) active(w *world, task uint8) bool {
	is := func(l ref) bool { return l != 0 && !m.pool.ended(l) && m.pool.task(l) == task }
	for _, l := range w.pend {
		if is(l) {
			return true
		}
	}
	return is(w.live[0]) || is(w.live[1])
}

// steerer is pause, resume and continue at a terminal.
func (r *run) steerer() bool {
	w, p := r.w, r.p
	e := event{kind: loop.EventPause}
	switch p.kind {
	case resumer:
		e.kind = loop.EventResume
	case claimant:
		e.kind, e.idle = loop.EventContinue, true
	}
	o := r.apply(p.id, e)
	if o == finished && p.did.kind != refuse && w.live[p.id] != 0 {
		l := w.live[p.id]
		switch {
		case p.kind == pauser && (w.inTwo(p.id) || r.pressing(p.id)) && r.variant != noExcuse: // not promised
		case p.kind == pauser:
			w.ghost.closed = true
			w.ghost.paused |= 1 << r.pool.task(l) &^ w.ghost.loose
		case r.pool.states[l].Status == loop.Waiting:
			r.tell(l)
		case r.watched && p.kind == resumer:
			r.startWatcher()
		}
	}
	if o == finished || o == missing {
		r.end()
	}
	return o != blocked
}
