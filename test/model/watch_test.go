package model

import "github.com/cursor-ralph/cursor-ralph/loop"

// The steps of the watcher. It holds its lock until the last of them.
const (
	looksOut = iota
	brings
	delivers
	awaitsChild
	letsGo
	looksAgain
)

// watcher is one step of the user's watcher. That a follow-up is overdue may be
// at any moment after it was sent: the model has no duration.
func (r *run) watcher() bool {
	p := r.p
	switch p.pc {
	case looksOut:
		return r.looksOut()
	case brings:
		return r.brings()
	case delivers:
		r.startTypist(proc{kind: typist, id: p.id, inj: p.inj, pc: isDue})
		p.after, p.pc = r.typistOf(p.inj), awaitsChild
		return true
	case awaitsChild:
		return r.awaitsChild()
	case letsGo:
		if p.pc = looksAgain; r.variant == hastyEnd {
			r.end()
		}
		return true
	}
	if r.anyRuns() {
		r.watchOn()
	} else {
		r.end()
	}
	return true
}

func (r *run) watchOn() { *r.p = proc{kind: watcher} }

func (r *run) anyRuns() bool {
	runs := func(l ref) bool { return l != 0 && r.pool.states[l].Status == loop.Running }
	return runs(r.w.live[0]) || runs(r.w.live[1])
}

func (r *run) looksOut() bool {
	p := r.p
	if !r.anyRuns() {
		p.pc = letsGo
		return true
	}
	for id, l := range r.w.live {
		if r.w.chats[id].phase == stopping {
			continue // the editor and its hooks are faster
		}
		if s := r.pool.states[l]; l != 0 && (!r.unshown || r.variant == anyVersion) && s.IsOverdue(s.Delivery.DueAt) {
			p.id, p.inj, p.pc = uint8(id), r.pool.text(s.Delivery.ID), brings
			return true
		}
	}
	return false
}

func (r *run) brings() bool {
	p := r.p
	o := r.apply(p.id, event{kind: loop.EventFollowupLost, id: p.inj})
	switch {
	case o == finished && p.did.kind == inject:
		p.inj = r.pool.text(r.pool.states[p.did.next].Delivery.ID)
		r.goTo(delivers)
	case o == finished, o == missing:
		r.watchOn()
	}
	return o != blocked
}

// awaitsChild reports what the injector could not report itself.
func (r *run) awaitsChild() bool {
	w, p := r.w, r.p
	if r.typistOf(p.inj) != 0 {
		return false
	}
	if l := w.live[p.id]; p.stage == unlocked && (l == 0 || !r.pool.states[l].Injecting(r.pool.texts[p.inj], w.now.time())) {
		r.watchOn()
		return true
	}
	o := r.apply(p.id, event{kind: loop.EventInjected, id: p.inj, text: r.pool.text("it could not be sent")})
	if o == finished {
		r.tell(w.live[p.id])
	}
	if o == finished || o == missing {
		r.watchOn()
	}
	return o != blocked
}

// typistOf returns the injector of an injection, plus 1.
func (r *run) typistOf(inj ref) uint8 {
	for i := firstTypist; i < firstTypist+typists; i++ {
		if p := r.w.procs[i]; p.kind == typist && p.inj == inj {
			return uint8(i + 1)
		}
	}
	return 0
}

// startWatcher is the end of a stop hook that goes on. One whose lock is free is
// as good as none.
func (r *run) startWatcher() {
	if p := &r.w.procs[watch]; p.kind == none || p.pc == looksAgain {
		*p = proc{kind: watcher}
	}
}

// proof is the journal, as far as an event sees it.
func (r *run) proof(id uint8, e event) ref {
	switch {
	case !folds(e.kind):
		return 0
	case e.kind == loop.EventFollowupLost && r.variant == silentProof:
		return 0
	}
	return r.w.journal[id]
}

// opensFollowup reports whether what is being saved has another follow-up on its
// way. Time passes then, for its id.
func (r *run) opensFollowup(before ref) bool {
	is := r.pool.states[r.p.next].Delivery
	if !r.watched || is.Way != loop.WayFollowup || is.ID == r.pool.states[before].Delivery.ID {
		return false
	}
	r.w.ghost.closed, r.w.ghost.recorded = false, false
	return true
}

// generationOf names a chat's turn, where that matters.
func (m *model) generationOf(w *world, c uint8) string {
	if !m.watched {
		return ""
	}
	return m.pool.event(event{kind: loop.EventStop, chat: c, gen: w.chats[c].gen}).Generation
}

// sends is a chat that rests, and sends what the user or the typing sent, or a
// follow-up that is late.
func (m *model) sends(w *world, c uint8, emit emitter) {
	h := w.chats[c]
	if h.queue[0] != nothing {
		emit("chat "+names(c)+": sends what waited", m.submitNext(*w, c))
	}
	if h.late != 0 {
		next := *w
		h := &next.chats[c]
		h.msg, h.own, h.ownOf, h.late, h.lateOf = followup, h.late, h.lateOf, 0, 0
		m.follows(next, c, "sends the follow-up, late", emit)
	}
}

// follows is a follow-up of which the prompt hook sees, or not.
func (m *model) follows(w world, c uint8, what string, emit emitter) {
	w.chats[c].lc++
	m.submit(&w, c)
	hidden := w
	for i := range uint8(copies) {
		hidden.procs[c*copies+i] = proc{}
	}
	if !m.unshown {
		emit("chat "+names(c)+": "+what, &w)
	}
	if w.left.unseen > 0 {
		hidden.left.unseen--
	}
	if m.unshown || w.left.unseen > 0 {
		emit("chat "+names(c)+": "+what+", and no prompt hook is run", &hidden)
	}
}

// goesAstray loses an answer, or lets it wait.
func (m *model) goesAstray(w world, c uint8, emit emitter) {
	if w.left.astray == 0 {
		return
	}
	h := &w.chats[c]
	late, of := h.follow, h.followOf
	w.left.astray--
	h.phase, h.follow, h.followOf = idle, 0, 0
	lost := w
	emit("chat "+names(c)+": loses the follow-up", &lost)
	h.late, h.lateOf = late, of
	emit("chat "+names(c)+": lets the follow-up wait", &w)
}

// works has a hook see the agent at work, where no prompt hook told of the turn.
func (m *model) works(w *world, c uint8, emit emitter) {
	if !m.watched || w.ghost.recorded || w.chats[c].msg != followup || w.live[c] == 0 {
		return
	}
	next := *w
	next.ghost.recorded = true
	next.journal[c] = m.pool.record(w.journal[c], loop.Record{Kind: loop.RecordTool, At: epoch(), Generation: m.generationOf(w, c), Tool: "Shell"})
	emit("chat "+names(c)+": the agent works", &next)
}

// given is a continuation that the agent gets, of an iteration.
func (m *model) given(w *world, iteration uint8) {
	if !m.watched {
		return
	}
	n := &w.ghost.given[iteration]
	if *n++; *n > 1 {
		m.violates(givenTwice)
	}
}

// countGiven looks at what a decision has given to the agent, and at what it
// sends.
func (r *run) countGiven(before loop.State, e event, did result) {
	g := &r.w.ghost
	switch {
	case e.kind == loop.EventContinue && did.text != 0 && did.kind != refuse && !before.IsLineTurn(): // else it is the same text, in the same turn
		of := r.pool.states[did.next].Iterations
		if before.Delivery.Again {
			of = before.Delivery.Iteration
		}
		r.given(r.w, uint8(of))
	case e.kind == loop.EventFollowupLost && did.kind == inject && g.closed:
		r.violates(closedSent)
	case e.kind == loop.EventFollowupLost && did.kind == inject && g.given[before.Delivery.Iteration] > 0 && (g.recorded || r.unshown):
		r.violates(needless)
	}
}

// insists is a watcher that takes no notice of what a decision says.
func (r *run) insists(before ref, e event) result {
	l := r.pool.states[before]
	l.Delivery.ID, l.Delivery.Way, l.Delivery.Outcome, l.Status, l.Stop = r.pool.texts[e.id], loop.WayFollowup, "", loop.Running, false
	return r.pool.decide(decision{r.pool.state(l), r.p.id, e, 0, r.w.now})
}
