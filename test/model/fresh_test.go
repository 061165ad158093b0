package model

import "github.com/cursor-ralph/cursor-ralph/loop"

// freshChat is the chat that the editor creates.
const freshChat = 1

// isNew reports whether a chat has its first message and never had a loop.
func (r *run) isNew(c uint8) bool {
	return r.w.live[c] == 0 && r.w.recorded(r.model, c) == 0 && r.w.chats[c].gen <= 1
}

// beginsChat reports whether an injector's line is for a new chat.
func (r *run) beginsChat() bool {
	l := r.w.live[r.p.id]
	i, ok := r.pool.states[l].LineOf(r.pool.texts[r.p.inj])
	return l != 0 && ok && i.Way == loop.WayNewChat
}

// createsChat has the editor create the chat and submit the line there.
func (r *run) createsChat(emit func(string)) {
	r.key(&r.w.ghost.pastes)
	r.w.send(freshChat, lineFor+r.p.id)
	r.p.pc = awaits
	emit("has a new chat created")
}

// stays notes that the user went on in the old chat.
func (r *run) stays(before ref) {
	if l := r.pool.states[before]; before != 0 && l.AwaitsNewChat() && !r.w.ghost.went {
		r.w.ghost.stayed = true
	}
}

// wins looks at a line that was not kept back: of the old chat and the new one, the
// first has the loop.
func (r *run) wins(id uint8, before ref) {
	l, g := r.pool.states[before], &r.w.ghost
	if before == 0 || l.Delivery.Way != loop.WayNewChat || l.Status.Ended() || r.p.did.kind == refuse {
		return
	}
	switch elsewhere := r.p.chat != id; {
	case elsewhere && g.stayed, !elsewhere && g.went && l.Delivery.Outcome == loop.Arrived:
		r.violates(secondChat)
	case elsewhere:
		g.went = true
	default:
		r.stays(before)
	}
}
