package model

import (
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// violation names a property that does not hold.
type violation string

const (
	twoPlaces    violation = "a loop is in two places"
	noPlace      violation = "a loop is in no place"
	miscounted   violation = "a turn was not counted once"
	typedTwice   violation = "one request was typed twice"
	typedLate    violation = "more than one key was pressed after the request was over"
	revived      violation = "a loop goes on after its cancel has returned"
	unpaused     violation = "a loop goes on after its pause has returned"
	cancelLost   violation = "a cancel has returned, and the loop that it meant is there"
	lostRunning  violation = "a loop runs, and nobody works on it"
	lostWaiting  violation = "a loop waits, and the user was not told"
	stuckProcess violation = "a process waits for ever"
	openedTwice  violation = "an injection begins while another is open"
	twoTypists   violation = "two injectors type at once"
	givenTwice   violation = "the agent got two continuations of one stop"
	notGiven     violation = "an answer was lost, and the agent got no other"
	closedSent   violation = "what the user's act closed is sent again"
	needless     violation = "what arrived is sent again"
	secondChat   violation = "a line takes the loop to a second chat"
	notKept      violation = "a line that came to another chat was not kept back"
	lineStays    violation = "the user's message leaves a line on its way"
	textMissing  violation = "the agent does not get the task of a loop that was started elsewhere"
)

// invariant holds in every state.
func (m *model) invariant(w *world) violation {
	for task := range uint8(tasks) {
		if bad := m.placed(w, task); bad != "" {
			return bad
		}
	}
	for _, l := range w.live {
		if l == 0 || m.pool.states[l].StartedAt.IsZero() {
			continue
		}
		s, task := m.pool.states[l], m.pool.task(l)
		switch {
		case s.Iterations != int(w.ghost.counted[task]), s.SessionIterations != int(w.ghost.session[task]):
			return miscounted
		case s.Status.Ended():
		case w.ghost.cancelled&^w.ghost.slow&(1<<task) != 0:
			return revived
		case w.ghost.paused&(1<<task) != 0 && s.Status != loop.Paused:
			return unpaused
		}
	}
	return ""
}

// placed looks for a loop that was asked for: once it is pending or live, or it
// has ended and has a record.
func (m *model) placed(w *world, task uint8) violation {
	active, over := 0, w.rec[task] != 0 && m.pool.ended(w.rec[task])
	see := func(l ref) {
		if l == 0 || m.pool.task(l) != task {
			return
		}
		if m.pool.ended(l) {
			over = true
		} else {
			active++
		}
	}
	for _, l := range w.pend {
		if l != 0 && !m.pool.ended(w.rec[m.pool.task(l)]) { // else it was cancelled, and a kill left the file
			see(l)
		}
	}
	for _, l := range w.live {
		see(l)
	}
	switch {
	case active > 1:
		return twoPlaces
	case active == 0 && !over && m.exists&(1<<task) != 0:
		return noPlace
	}
	return ""
}

// lasting holds where nothing happens any more by itself.
func (m *model) lasting(w *world) violation {
	for _, p := range w.procs {
		if p.kind != none && (p.kind != watcher || p.pc != looksOut) {
			return stuckProcess
		}
	}
	for c, l := range w.live {
		if l == 0 || w.ghost.killed && (m.variant != noExcuse || !m.watched) || w.ghost.twoLines && m.variant != noExcuse || m.goesOn(w, uint8(c)) {
			continue
		}
		switch s := m.pool.states[l]; {
		case s.Status == loop.Running:
			return lostRunning
		case s.Status == loop.Waiting && w.ghost.told&(1<<m.pool.task(l)) == 0:
			return lostWaiting
		case s.Status == loop.Waiting && m.acts == 0 && m.watched && !w.ghost.killed:
			return notGiven
		}
	}
	return ""
}

// goesOn reports whether a chat would go on if the world had more turns.
func (m *model) goesOn(w *world, c uint8) bool {
	if w.chats[c].phase != idle {
		return true
	}
	for _, h := range w.chats {
		for _, msg := range h.queue {
			if msg == lineFor+c {
				return true
			}
		}
	}
	return w.chats[c].queue[0] != nothing
}

// begins looks at an injection that begins: none is open then, unless a stop
// closes it.
func (r *run) begins(before, next ref, e event) {
	was, now := r.pool.states[before], r.w.now.time()
	if e.kind == loop.EventStop || !was.Delivery.IsTyping(now) || r.pool.states[next].Delivery.ID == was.Delivery.ID {
		return
	}
	r.violates(openedTwice)
}

// keeps looks at a line that came to another chat than the loop's while an
// injection was open: the editor has to keep it back, and no copy of the hook
// lets the loop move there.
func (r *run) keeps(h *chat, id uint8, before ref) {
	l := r.pool.states[before]
	if before == 0 || l.Status.Ended() || r.p.chat == id {
		return
	}
	if l.Delivery.Way == loop.WayNewChat {
		return // wins looks at it
	}
	h.kept = h.kept || l.Delivery.IsTyping(r.w.now.time())
	if h.kept && r.p.did.kind != refuse {
		r.violates(notKept)
	}
}

// count keeps, beside the loop, how many turns of it have ended: each once.
func (r *run) count(before ref, e event, did result) {
	s, after, task, g := r.pool.states[before], r.pool.states[did.next], r.pool.task(before), &r.w.ghost
	if after.Status != loop.Waiting {
		g.told &^= 1 << task
	}
	if after.Status == loop.Running && e.kind == loop.EventResume {
		g.paused &^= 1 << task
	}
	if r.watched {
		r.countGiven(s, e, did)
	}
	if e.kind == loop.EventContinue && after.Status == loop.PromiseAccepted && s.Status != loop.PromiseAccepted {
		g.counted[task]++ // the turn of a stop that did not count, with the promise in it
	}
	switch {
	case s.Status.Ended() && e.kind != loop.EventContinue:
	case e.kind == loop.EventStop:
		r.countStop(s, e, did)
	case e.kind == loop.EventContinue && did.kind != refuse:
		g.session[task] = 0
		if !e.idle {
			g.loose &^= 1 << task
		}
	case e.kind == loop.EventMessage && did.kind != refuse && r.pool.texts[e.text] != s.LastFollowup:
		g.session[task] = 0
		now := r.w.now.time()
		if !s.IsLine(r.pool.texts[e.text]) && s.Delivery.IsTyping(now) && after.Delivery.IsTyping(now) {
			r.violates(lineStays)
		}
	}
	if e.kind == loop.EventContinue && e.idle || e.kind == loop.EventResume && did.kind != refuse {
		g.paused &^= 1 << task
	}
}

func (r *run) countStop(s loop.State, e event, did result) {
	h, g := &r.w.chats[e.chat], &r.w.ghost
	task := s.Prompt[0] - '1'
	if h.counted {
		return
	}
	h.counted = true
	if int(e.lc) < s.LastStop.LoopCount {
		g.session[task] = 0
	}
	if e.status != loop.Completed || s.Stop || s.Status != loop.Running && s.Status != loop.Waiting {
		return
	}
	g.session[task]++
	brings := s.IsLineTurn() && !s.Due.Known && r.pool.states[did.next].Iterations == s.Iterations
	if !s.LacksTask() && !brings {
		g.counted[task]++
		return
	}
	// The agent calls no tool here, so it lacks the text: the turn does not count.
	if did.kind != inject && !strings.Contains(r.pool.texts[did.text], s.Prompt+"\n") {
		r.violates(textMissing)
	}
}

// variant is a protocol that is broken on purpose.
type variant uint8

const (
	asItIs        variant = iota
	unlockedClaim         // reads, writes and removes, without a lock
	copiedClaim           // the same under the locks
	blindKeys             // the state is not read before each key
	staleCancel           // cancel sets a flag in a state that it read without a lock
	doubleCount           // an iteration is counted when the line is typed, and at the stop
	forgottenStop         // the second report of a stop is taken for another stop
	liveFirst             // cancel looks for a live loop first, then for a pending one
	impatient             // an injector types once more before it knows
	quietEnd              // an injection that did not work is not told
	deafLine              // a pause does not hold against a line that is under way
	removedFirst          // an ended loop's live file is removed before its record is written
	revivedByLine         // a cancelled loop may be taken up again
	keptLock              // an injector leaves the lock of those who type behind
	secondInject          // an injection is not refused while another is open
	sharedKeys            // an injector does not wait for its turn
	movesAnywhere         // a line that came to another chat is not kept back
	unhindered            // the hook's answer does not keep it back
	unwatched             // a stop hook starts no watcher
	hastyEnd              // a watcher does not look once more when its lock is free
	hearsay               // a watcher delivers what it saw, whatever the loop says by now
	silentProof           // what the journal proves does not count for the watcher
	silentKeys            // it does not count before the keys either
	anyVersion            // the watcher is sure of every Cursor
	lateTwice             // a follow-up that was delivered again is not kept back
	lateWins              // the line for a new chat counts whatever was before
	unlinkedFirst         // a cancelled pending file is removed before its record is written
	deafMessage           // a message of the user's does not close a line
	keptText              // the text of a loop that was started elsewhere is not brought
	eagerRestore          // a loop that a kill kept from coming is taken for one that was lost
	noExcuse              // as it is; what is not promised is looked at, too
)

// bend makes of a decision what a broken variant would.
func (r *run) bend(before ref, e event, did result) result {
	switch {
	case r.variant == deafLine && did.kind == refuse:
		if l := r.pool.states[before]; l.Status == loop.Paused {
			did = r.unpaused(l, e)
		}
	case r.variant == revivedByLine && e.kind == loop.EventContinue && r.pool.states[before].Status == loop.Cancelled:
		l := r.pool.states[before]
		l.Status = loop.UserStopped
		did = r.pool.decide(decision{r.pool.state(l), r.p.id, e, 0, r.w.now})
	}
	if l := r.pool.states[before]; did.kind == refuse && r.pretends(l.Delivery, e) {
		l.Delivery.Outcome, l.Delivery.ClosedAt = "closed", time.Time{}
		did = r.pool.decide(decision{r.pool.state(l), r.p.id, e, 0, r.w.now})
	}
	if was, l := r.pool.states[before], r.pool.states[did.next]; r.variant == deafMessage && e.kind == loop.EventMessage && was.Delivery.IsTyping(r.w.now.time()) {
		l.Delivery = was.Delivery
		did.next = r.pool.state(l)
	}
	if r.variant == keptText && e.kind == loop.EventStop && r.pool.states[before].LacksTask() {
		did.text = 0
	}
	if l := r.pool.states[before]; r.variant == lateWins && e.line && did.kind == refuse && l.Delivery.Way == loop.WayNewChat {
		l.Delivery.Outcome = "closed"
		did = r.pool.decide(decision{r.pool.state(l), r.p.id, e, 0, r.w.now})
	}
	if r.variant == hearsay && e.kind == loop.EventFollowupLost && did.kind != inject {
		did = r.insists(before, e)
	}
	if r.variant == doubleCount && did.kind == inject && e.kind == loop.EventStop {
		l := r.pool.states[did.next]
		l.Iterations++
		did.next = r.pool.state(l)
	}
	return did
}

// pretends reports whether a broken variant takes no notice of an injection.
func (r *run) pretends(i loop.Delivery, e event) bool {
	switch r.variant {
	case secondInject:
		return e.kind == loop.EventInject
	case movesAnywhere:
		return e.line
	}
	return false
}

// unpaused decides as if the user had not paused.
func (r *run) unpaused(l loop.State, e event) result {
	l.Delivery.ClosedAt, l.Due = l.Delivery.OpenedAt.Add(-tick), loop.Due{}
	return r.pool.decide(decision{r.pool.state(l), r.p.id, e, r.w.journal[r.p.id], r.w.now})
}

// cancelsStale reads, and later writes what it read, with a flag in it.
func (r *run) cancelsStale() outcome {
	w, p := r.w, r.p
	if p.stage == unlocked {
		if w.live[p.id] == 0 {
			return missing
		}
		p.next, p.stage = w.live[p.id], copied
		return more
	}
	l := r.pool.states[p.next]
	l.Stop = true
	w.live[p.id] = r.pool.state(l)
	return r.release(finished)
}
