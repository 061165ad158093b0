package model

import (
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The steps of an injector, in the order of cursor-ralph inject and of
// keystroke's delivery: before each key the state is read once more.
const (
	begins = iota
	isDue
	afterHook
	takesTurn
	isWanted
	permitPaste
	paste
	permitReturn
	pressReturn
	awaits
	reports
)

func (r *run) wanted() bool {
	l := r.w.live[r.p.id]
	return l != 0 && r.pool.states[l].Injecting(r.pool.texts[r.p.inj], r.w.now.time())
}

// typist is one step of an injector; some have two ways to go on.
func (r *run) typist(emit func(string)) {
	w, p := r.w, r.p
	switch p.pc {
	case begins:
		r.typistBegins(emit)
	case isDue, isWanted:
		r.permitted("looks whether the line is wanted", emit)
	case permitPaste, permitReturn:
		if r.variant == blindKeys {
			p.pc++
			emit("does not look")
			return
		}
		r.permitted("looks whether the key is wanted", emit)
	case afterHook:
		if p.after == 0 || w.procs[p.after-1].kind != stopHook {
			p.pc++
			emit("sees that the hook is over")
		}
	case takesTurn:
		if w.typing == 0 || r.variant == sharedKeys {
			w.typing = r.holder()
			p.pc++
			emit("may type")
		}
	case paste:
		if r.beginsChat() {
			r.createsChat(emit)
			return
		}
		r.key(&w.ghost.pastes)
		w.input[w.front] = p.id + 1
		p.pc++
		emit("pastes the line into chat " + names(w.front))
	case pressReturn:
		r.pressReturn(emit)
	case awaits:
		r.awaits(emit)
	case reports:
		r.reports(emit)
	}
}

func (r *run) typistBegins(emit func(string)) {
	p := r.p
	o := r.apply(p.id, event{kind: loop.EventInject})
	switch {
	case o == missing, o == finished && p.did.kind == refuse:
		r.end()
	case o == finished:
		p.inj = r.pool.text(r.pool.states[r.w.live[p.id]].Delivery.ID)
		r.goTo(isDue)
	}
	if o != blocked {
		emit("asks for an injection")
	}
}

// permitted goes on, or gives up: what is over already needs no report.
func (r *run) permitted(label string, emit func(string)) {
	p := r.p
	switch {
	case r.wanted():
		p.pc++
	case p.pc < permitPaste && !r.open():
		r.leave()
	default:
		p.why = r.pool.text("not wanted")
		p.pc = reports
	}
	emit(label)
}

// open reports whether nothing is known yet of what became of the injection.
func (r *run) open() bool {
	l := r.w.live[r.p.id]
	if l == 0 || r.pool.ended(l) {
		l = r.w.recorded(r.model, r.p.id)
	}
	i, ok := r.pool.states[l].LineOf(r.pool.texts[r.p.inj])
	return ok && i.Outcome == ""
}

func (r *run) leave() {
	if r.w.typing == r.holder() && r.variant != keptLock {
		r.w.typing = 0
	}
	r.end()
}

// moment tells an injection by the moment of its opening.
func moment(id string) int {
	n, err := strconv.ParseInt(id, 36, 64)
	if err != nil {
		panic(err)
	}
	return int(time.Duration(n-epoch().UnixNano()) % tick / time.Millisecond)
}

// key is a key that is pressed, for the properties.
func (r *run) key(pressed *[8]uint8) {
	i := moment(r.pool.texts[r.p.inj]) % len(pressed)
	pressed[i]++
	if !r.wanted() {
		r.w.ghost.late[i]++
	}
	for other := firstTypist; other < firstTypist+typists; other++ {
		if p := r.w.procs[other]; other != r.me && p.kind == typist && (p.pc == permitReturn || p.pc == pressReturn) {
			r.violates(twoTypists)
		}
	}
	if pressed[i] > 1 {
		r.violates(typedTwice)
	}
	if r.w.ghost.late[i] > 1 {
		r.violates(typedLate)
	}
}

// isLate reports whether an injector's injection was over already, and not by a
// pause: a Return that is being pressed then sends a line like the user's own.
func (r *run) isLate(p proc) bool {
	l := r.w.live[p.id]
	i, _ := r.pool.states[l].LineOf(r.pool.texts[p.inj])
	return l != 0 && i.Outcome != "" && i.Outcome != "paused by the user"
}

// pressing reports whether such a Return is being pressed.
func (r *run) pressing(id uint8) bool {
	for _, p := range r.w.procs[firstTypist : firstTypist+typists] {
		if p.kind == typist && p.id == id && p.pc == pressReturn && r.isLate(p) {
			return true
		}
	}
	return false
}

func (r *run) pressReturn(emit func(string)) {
	w, p := r.w, r.p
	r.key(&w.ghost.returns)
	if r.isLate(*p) {
		w.ghost.loose |= 1 << r.pool.task(w.live[p.id])
	}
	if line := w.input[w.front]; line != 0 {
		w.send(w.front, lineFor+line-1)
		w.input[w.front] = 0
	}
	p.pc++
	if r.variant == impatient && w.ghost.returns[moment(r.pool.texts[p.inj])] == 1 {
		p.pc = paste
	}
	emit("presses Return in chat " + names(w.front))
}

// awaits sees the evidence, or has waited long enough.
func (r *run) awaits(emit func(string)) {
	p := r.p
	if !r.open() {
		p.pc = reports
		emit("sees what became of the line")
		return
	}
	if !r.w.hooksDone(0) || !r.w.hooksDone(1) {
		return // the editor and its hooks are faster
	}
	p.why, p.pc = r.pool.text("no hook saw it"), reports
	if l := r.w.live[p.id]; l != 0 {
		r.w.ghost.loose |= 1 << r.pool.task(l)
	}
	emit("has waited long enough")
}

func (r *run) reports(emit func(string)) {
	w, p := r.w, r.p
	why := p.why
	if why == 0 {
		why = r.pool.text(string(loop.Arrived))
	}
	o := r.apply(p.id, event{kind: loop.EventInjected, id: p.inj, text: why})
	if o == blocked {
		return
	}
	if o == finished && w.live[p.id] != 0 {
		l := r.pool.states[w.live[p.id]]
		i, _ := l.LineOf(r.pool.texts[p.inj])
		if i.Outcome != loop.Arrived && l.Status == loop.Waiting && l.Idle && l.Delivery.ID == r.pool.texts[p.inj] && r.variant != quietEnd {
			r.tell(w.live[p.id])
		}
	}
	if o == finished || o == missing {
		r.leave()
	}
	emit("reports")
}
