package model

import (
	"fmt"
	"strings"
)

const (
	chats   = 2
	copies  = 2 // of the hook
	tasks   = 2
	typists = 3
)

// The processes of a world: the hooks of each chat, its agent's call of
// cursor-ralph continue, the injectors, the user's command, and the watcher.
const (
	firstAgent  = chats * copies
	firstTypist = firstAgent + chats
	command     = firstTypist + typists
	watch       = command + 1
	processes   = watch + 1
)

// world is one state of everything. It is compared as a whole.
type world struct {
	files
	chats [chats]chat
	procs [processes]proc
	front uint8        // the chat that has the focus
	input [chats]uint8 // a line that was pasted and not sent: the chat it is for, plus 1
	now   instant      // what the clock says
	left  budget       // what may still happen
	ghost ghost        // what the properties remember
}

// files is what lies on disk, and who holds which lock.
type files struct {
	pend    [chats + 2]ref // named for each chat, then unbound ones, the older first
	live    [chats]ref
	over    [chats]ref   // the live files of loops that have ended and left
	rec     [tasks]ref   // the records of loops
	chat    [chats]uint8 // the loop that a chat names, plus 1
	journal [chats]ref
	locks   [chats]uint8
	box     uint8 // the pending folder's lock
	typing  uint8 // of those who type
}

// budget bounds a world.
type budget struct {
	kills, acts, turns, ticks, promises, rescues uint8

	astray uint8 // answers that the editor loses, or sends late
	unseen uint8 // follow-ups of which the prompt hook is not told
}

// ghost is what happened, for the properties alone.
type ghost struct {
	counted   [tasks]uint8 // turns of it that ended, each once
	session   [tasks]uint8 // those since the session began
	cancelled uint8        // tasks whose cancel has returned
	slow      uint8        // tasks whose line was on its way for minutes
	paused    uint8        // tasks whose pause has returned, and that the user did not take up since
	loose     uint8        // tasks whose line is on its way by the user's wish, or was given up and may still come
	told      uint8        // tasks whose user was expected to type the line
	killed    bool
	twoLines  bool     // a loop's line was under way in two chats at once
	pastes    [8]uint8 // of each injection, by its moment
	returns   [8]uint8
	late      [8]uint8 // keys after the injection was over
	given     [8]uint8 // continuations that the agent got, of each iteration
	closed    bool     // the user's act closed the last follow-up
	stayed    bool     // the user went on in the old chat while the loop waited for a new one
	went      bool     // the line came to the new chat
	recorded  bool     // a hook saw something of the turn that a follow-up began
}

// The phases of a chat.
const (
	idle       = iota
	submitting // the prompt hooks run
	busy       // the agent works
	stopping   // the stop hooks run
)

// The messages: of a user, of a stop hook, and the continue line of a chat's loop.
const (
	nothing = iota
	ordinary
	followup
	lineFor // plus the chat
)

type chat struct {
	phase   uint8
	lc, gen uint8
	msg     uint8    // that is submitted or answered
	queue   [2]uint8 // what the user, or the typing, sent meanwhile
	follow  ref      // what a stop hook answered
	own     ref      // the text of a follow-up that is submitted
	begun   bool     // a hook has begun with the event
	refused bool
	kept    bool // the line came while it was to be kept back
	counted bool // this turn's end
	aborted bool

	followOf, ownOf uint8 // the iteration that follow and own go on from
	late            ref   // a follow-up that is still to come
	lateOf          uint8
}

// kind is what a process is.
type kind uint8

const (
	none kind = iota
	stopHook
	promptHook
	agent
	typist
	canceller
	pauser
	resumer
	claimant // continue at a user's terminal
	watcher
)

// proc is a process: where it is in its program, and what it remembers.
type proc struct {
	kind   kind
	pc     uint8
	chat   uint8
	id     uint8 // the chat whose loop is meant
	stage  uint8 // of a step of the store that takes several
	next   ref   // what is being saved
	did    result
	begun  bool  // it is the first hook of its event
	typing bool  // it is known whether the line can be typed
	inj    ref   // an injection's id
	why    ref   // an injection did not work
	after  uint8 // the process to wait for, plus 1
	slot   uint8 // of a pending file, plus 1
	done   uint8 // a part of a command that worked
}

// at returns what a label calls a process.
func (w *world) at(i int) string {
	p := w.procs[i]
	switch {
	case p.kind == stopHook || p.kind == promptHook:
		name := map[kind]string{stopHook: "stop hook", promptHook: "prompt hook"}[p.kind]
		return fmt.Sprintf("a %s of chat %s", name, names(p.chat))
	case p.kind == agent:
		return "agent of chat " + names(p.chat)
	case p.kind == typist:
		return fmt.Sprintf("injector %d", i-firstTypist+1)
	case i == watch:
		return "watcher"
	case i == command:
		return "user's command"
	}
	return "nobody"
}

// doing returns what a label calls a step.
func (p proc) doing() string {
	steps := []string{"looks for a loop", "claims", "decides", "claims again", "decides again", "notes the message", "writes the journal", "ends", "starts the watcher"}
	switch p.kind {
	case agent:
		steps = []string{"asks where to go on", "continues"}
	case watcher:
		steps = []string{"looks", "brings what is due", "starts an injector", "sees its injector's end", "lets its lock go", "looks once more"}
	case canceller:
		steps = []string{"cancels what is pending", "cancels what is live"}
	case pauser, resumer, claimant:
		steps = []string{map[kind]string{pauser: "pauses", resumer: "resumes", claimant: "continues"}[p.kind]}
	}
	if p.stage != unlocked {
		return fmt.Sprintf("%s, stage %d", steps[p.pc], p.stage)
	}
	return steps[p.pc]
}

// String shows what matters of a world.
func (m *model) show(w *world) string {
	var b strings.Builder
	for i, r := range w.pend {
		if r != 0 {
			fmt.Fprintf(&b, "  pending[%d]: %s\n", i, m.line(r))
		}
	}
	for c := range w.live {
		if w.live[c] != 0 {
			fmt.Fprintf(&b, "  live %s: %s\n", names(uint8(c)), m.line(w.live[c]))
		}
		if w.over[c] != 0 || w.chat[c] != 0 {
			fmt.Fprintf(&b, "  over %s: %s; names %d\n", names(uint8(c)), m.line(w.over[c]), w.chat[c])
		}
		h := w.chats[c]
		fmt.Fprintf(&b, "  chat %s: %s message %d queue %v\n", names(uint8(c)), [...]string{"idle", "submitting", "busy", "stopping"}[h.phase], h.msg, h.queue)
	}
	for task, l := range w.rec {
		fmt.Fprintf(&b, "  record %d of chat %s: %s\n", task+1, m.pool.states[l].ConversationID, m.line(l))
	}
	for i, p := range w.procs {
		if p.kind != none {
			fmt.Fprintf(&b, "  %s: at %d, stage %d\n", w.at(i), p.pc, p.stage)
		}
	}
	fmt.Fprintf(&b, "  told %b, cancelled %b, paused %b, killed %v, left %+v\n", w.ghost.told, w.ghost.cancelled, w.ghost.paused, w.ghost.killed, w.left)
	return b.String()
}

func (m *model) line(r ref) string {
	l := m.pool.states[r]
	return fmt.Sprintf("task %s, %s (%s), iteration %d, session %d, injection %q %q, rested %v", l.Prompt, l.Status, l.Reason,
		l.Iterations, l.SessionIterations, l.Delivery.ID, l.Delivery.Outcome, l.Idle)
}
