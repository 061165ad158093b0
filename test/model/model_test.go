package model

import (
	"flag"
	"runtime"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

var deep = flag.Bool("deep", false, "explore larger worlds")

// family is bounds for every change, and more of them for a search by hand.
type family struct {
	name string
	bounds
	deep budget
}

const everything = cancels | pauses | resumes | injects | takesUp | types | talks | clicks | looksAway

func families() []family {
	return []family{
		{"two loops wait for two chats", bounds{acts: cancels, left: budget{kills: 1, acts: 1, turns: 1, rescues: 1}, most: 1, begin: twoWait},
			budget{kills: 2, acts: 2, turns: 2, rescues: 1}},
		{"a loop is armed for a chat", bounds{acts: cancels | talks, left: budget{kills: 1, acts: 1, turns: 1, rescues: 1}, most: 1, begin: armed},
			budget{kills: 2, acts: 3, turns: 3, rescues: 1}},
		{"a loop is armed beside one that runs", bounds{acts: cancels | talks | clicks, left: budget{kills: 1, acts: 1, turns: 1, rescues: 1}, most: 1, begin: armedBeside},
			budget{kills: 2, acts: 2, turns: 2, rescues: 1}},
		{"the session is over, and the user steers", bounds{limit: 1, acts: cancels | pauses | resumes | takesUp, left: budget{acts: 2, turns: 2}, most: 2, begin: running},
			budget{acts: 3, turns: 3}},
		{"the session is over, and the user types", bounds{limit: 1, acts: injects | types | talks | clicks, left: budget{acts: 1, turns: 2}, most: 2, begin: running},
			budget{acts: 1, turns: 3}},
		{"a loop was started elsewhere", bounds{limit: 2, acts: pauses | resumes | talks | clicks, left: budget{acts: 1, turns: 2}, most: 2, begin: startedElsewhere},
			budget{kills: 1, acts: 2, turns: 3, rescues: 1}},
		{"the session is over, and something is killed", bounds{limit: 1, left: budget{kills: 1, turns: 2, rescues: 1}, most: 2, begin: running},
			budget{kills: 2, acts: 0, turns: 3, rescues: 1}},
		{"the session is over, and time passes", bounds{limit: 1, acts: pauses | cancels, left: budget{acts: 1, ticks: 1, turns: 2}, most: 2, begin: running},
			budget{acts: 2, ticks: 1, turns: 2}},
		{"another chat is in front", bounds{limit: 1, acts: cancels | pauses | types | looksAway, left: budget{acts: 1, turns: 2}, most: 2, begin: otherInFront},
			budget{acts: 2, turns: 3}},
		{"nothing can type here", bounds{limit: 2, byHand: true, acts: everything &^ injects, left: budget{acts: 1, turns: 3}, most: 3, begin: running},
			budget{kills: 1, acts: 1, turns: 3, rescues: 1}},
		{"a new chat is due, and the user steers", bounds{fresh: true, acts: cancels | pauses | resumes | takesUp, left: budget{acts: 1, turns: 3}, most: 2, begin: running},
			budget{acts: 2, turns: 3}},
		{"a new chat is due, and the user goes on in the old one", bounds{fresh: true, acts: types | talks | clicks, left: budget{acts: 1, turns: 2}, most: 3, begin: running},
			budget{acts: 2, turns: 4}},
		{"a new chat is due, and something is killed", bounds{fresh: true, left: budget{kills: 1, turns: 2, rescues: 1}, most: 2, begin: running},
			budget{kills: 2, turns: 3, rescues: 1}},
		{"a new chat is due, and nothing can create it", bounds{fresh: true, byHand: true, acts: cancels | pauses | types | talks, left: budget{acts: 1, turns: 3}, most: 3, begin: running},
			budget{acts: 2, turns: 4}},
		{"the agent gives its promise", bounds{limit: 2, acts: cancels | pauses, left: budget{acts: 1, promises: 1, turns: 3}, most: 3, begin: running},
			budget{kills: 1, acts: 1, promises: 1, turns: 3, rescues: 1}},
		{"an answer goes astray", bounds{watched: true, single: true, left: budget{astray: 1, turns: 2}, most: 3, begin: running},
			budget{astray: 1, turns: 3}},
		{"two answers go astray", bounds{watched: true, single: true, left: budget{astray: 2, turns: 2}, most: 4, begin: running},
			budget{astray: 3, turns: 3}},
		{"an answer goes astray, and the user steers", bounds{watched: true, single: true, acts: pauses | clicks, left: budget{acts: 1, astray: 1, turns: 2}, most: 3, begin: running},
			budget{acts: 2, astray: 1, turns: 2}},
		{"an answer goes astray, and the user speaks", bounds{watched: true, single: true, acts: talks | cancels, left: budget{acts: 1, astray: 1, turns: 1}, most: 3, begin: running},
			budget{acts: 1, astray: 1, turns: 3}},
		{"an answer goes astray, and the user pauses", bounds{watched: true, single: true, acts: pauses | resumes, left: budget{acts: 2, astray: 1, turns: 1}, most: 3, begin: running},
			budget{acts: 3, astray: 1, turns: 2}},
		{"an answer goes astray, and the user types", bounds{watched: true, single: true, acts: injects, left: budget{acts: 1, astray: 1, turns: 1}, most: 3, begin: running},
			budget{acts: 1, astray: 1, turns: 2}},
		{"an answer goes astray, and something is killed", bounds{watched: true, single: true, left: budget{kills: 1, astray: 1, turns: 1, rescues: 1}, most: 3, begin: running},
			budget{kills: 1, astray: 1, turns: 2, rescues: 1}},
		{"the prompt hook misses a follow-up", bounds{watched: true, single: true, left: budget{unseen: 1, turns: 2}, most: 3, begin: running},
			budget{unseen: 1, astray: 1, turns: 2}},
		{"no follow-up is shown to the prompt hook", bounds{watched: true, unshown: true, left: budget{turns: 2}, most: 3, begin: running},
			budget{turns: 3}},
	}
}

func twoWait(m *model, w *world) {
	m.exists = 3
	w.pend[2], w.pend[3] = m.pool.state(m.asked(0)), m.pool.state(m.asked(1))
	w.rec[0], w.rec[1] = w.pend[2], w.pend[3]
	w.chats[0].phase, w.chats[1].phase = busy, busy
}

func armed(m *model, w *world) {
	m.exists = 1
	l := m.asked(0)
	w.pend[0] = m.pool.state(l)
	l.ConversationID = names(0)
	w.rec[0] = m.pool.state(l)
	w.chats[0].phase, w.chats[1].phase = busy, busy
}

func armedBeside(m *model, w *world) {
	armed(m, w)
	m.exists = 3
	m.begun(w, 1, 0)
}

func running(m *model, w *world) {
	m.exists = 1
	m.begun(w, 0, 0)
	w.chats[0].phase = busy
}

func startedElsewhere(m *model, w *world) {
	running(m, w)
	l := m.pool.states[w.rec[0]].Started()
	w.rec[0] = m.pool.state(l)
	w.live[0] = m.pool.bare(w.rec[0])
}

func otherInFront(m *model, w *world) {
	running(m, w)
	w.front = 1
}

// inTwoChats is after the hooks have noted our own line and the user's own, in
// two chats at once.
func inTwoChats(m *model, w *world) {
	m.exists = 1
	m.begun(w, 0, 0)
	did := m.pool.decide(decision{w.rec[0], 0, event{kind: loop.EventContinue, in: true, line: true}, 0, instant{ticks: w.now.ticks + 1}})
	w.live[0], w.rec[0] = m.pool.bare(did.next), did.next
	w.now.ticks++
	w.ghost.twoLines = true
	for c := range uint8(chats) {
		w.chats[c].phase, w.chats[c].msg = busy, lineFor
		w.procs[firstAgent+c] = proc{kind: agent, chat: c}
	}
}

// answerLost is after the editor has lost an answer.
func answerLost(m *model, w *world) {
	running(m, w)
	did := m.pool.decide(decision{w.live[0], 0, event{kind: loop.EventStop, status: loop.Completed}, 0, w.now})
	w.live[0], w.rec[0], w.ghost.counted[0], w.ghost.session[0] = m.pool.bare(did.next), did.next, 1, 1
	w.chats[0].phase = idle
	w.now.opens++
	w.procs[watch] = proc{kind: watcher}
}

// answerGivenUp is after the watcher has saved that, and before it acts.
func answerGivenUp(m *model, w *world) {
	answerLost(m, w)
	lost := event{kind: loop.EventFollowupLost, id: m.pool.text(m.pool.states[w.live[0]].Delivery.ID)}
	w.live[0] = m.pool.decide(decision{w.live[0], 0, lost, 0, w.now}).next
	w.now.opens++
	w.procs[watch] = proc{kind: watcher, pc: delivers, inj: m.pool.text(m.pool.states[w.live[0]].Delivery.ID)}
}

func TestEveryInterleaving(t *testing.T) {
	for _, f := range short.First(families(), 4) {
		t.Run(f.name, func(t *testing.T) {
			b := f.bounds
			if *deep {
				b.left = f.deep
			}
			m, found := explore(b, asItIs)
			t.Logf("%d states, %d steps, %d states of loops, %.1f s", len(m.worlds), m.steps, len(m.pool.states)-1, m.took.Seconds())
			if found != nil {
				t.Error(found)
			}
			runtime.GC()
		})
	}
}

// What is not promised, and does happen: our own line and the user's own reach
// the agents of two chats at once, a watcher is killed, a loop's answer comes after
// the loop.
func TestKnownLimits(t *testing.T) {
	for _, tt := range []struct {
		name string
		bounds
		want violation
	}{
		{"the agent of the second chat undoes a pause",
			bounds{limit: 1, acts: pauses, left: budget{acts: 1, turns: 1}, most: 2, begin: inTwoChats}, unpaused},
		{"the watcher is killed before it sees a lost answer",
			bounds{watched: true, left: budget{kills: 1, turns: 1}, most: 2, begin: answerLost}, lostRunning},
		{"the watcher is killed between its decision and its injector",
			bounds{watched: true, left: budget{kills: 1, turns: 1}, most: 2, begin: answerGivenUp}, lostWaiting},
		{"a late answer comes after it was given again and the user stopped the loop",
			bounds{watched: true, single: true, acts: clicks, left: budget{acts: 1, astray: 1, turns: 2}, most: 3, begin: running}, givenTwice},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, found := explore(tt.bounds, noExcuse)
			if found == nil || found.property != tt.want {
				t.Fatalf("got %v want %s", found, tt.want)
			}
			t.Log(found)
		})
	}
}

// Each variant of the protocol is broken in one way, and that is found.
func TestABrokenProtocolIsFound(t *testing.T) {
	for _, tt := range short.First([]struct {
		name   string
		broken variant
		family string
		want   violation
	}{
		{"a claim that reads, writes and removes", unlockedClaim, "two loops wait for two chats", twoPlaces},
		{"the same under the locks, killed", copiedClaim, "two loops wait for two chats", twoPlaces},
		{"keys without a look at the state", blindKeys, "the session is over, and the user steers", typedLate},
		{"a line that is typed again before it is known", impatient, "the session is over, and the user steers", typedTwice},
		{"a cancel that sets a flag in a copy that it read before", staleCancel, "the session is over, and the user steers", cancelLost},
		{"a cancel that looks at the live loop first", liveFirst, "a loop is armed for a chat", cancelLost},
		{"an iteration counted at the typing and at the stop", doubleCount, "the session is over, and the user steers", miscounted},
		{"a stop that is reported twice, not known again", forgottenStop, "the session is over, and the user steers", miscounted},
		{"a pause that the line does not know of", deafLine, "the session is over, and the user steers", unpaused},
		{"an injection that did not work, and is not told", quietEnd, "another chat is in front", lostWaiting},
		{"an ended loop that is removed before its record is written", removedFirst, "the session is over, and something is killed", noPlace},
		{"a pending loop whose file goes before its record says cancelled", unlinkedFirst, "a loop is armed for a chat", noPlace},
		{"a loop that is restored in a chat which it has not come to", eagerRestore, "a new chat is due, and something is killed", twoPlaces},
		{"a cancelled loop that its line revives", revivedByLine, "the session is over, and the user steers", revived},
		{"an injection that begins beside another", secondInject, "the session is over, and the user types", openedTwice},
		{"a message that leaves the line on its way", deafMessage, "the session is over, and the user types", lineStays},
		{"a task that is not brought", keptText, "a loop was started elsewhere", textMissing},
		{"an injector that does not wait for its turn", sharedKeys, "the session is over, and the user types", twoTypists},
		{"a line that is taken wherever it comes", movesAnywhere, "another chat is in front", notKept},
		{"a line that is kept back by no answer", unhindered, "another chat is in front", notKept},
		{"a stop hook that starts no watcher", unwatched, "an answer goes astray", lostRunning},
		{"a watcher that ends without a second look", hastyEnd, "an answer goes astray, and the user pauses", lostRunning},
		{"a watcher that delivers what it saw before", hearsay, "an answer goes astray, and the user speaks", closedSent},
		{"a watcher that does not read the journal", silentProof, "the prompt hook misses a follow-up", needless},
		{"keys without a look at the journal", silentKeys, "the prompt hook misses a follow-up", typedLate},
		{"a watcher that trusts a Cursor which shows no follow-ups", anyVersion, "no follow-up is shown to the prompt hook", needless},
		{"a follow-up that comes late and is not kept back", lateTwice, "two answers go astray", givenTwice},
		{"a line that takes the loop from the chat in which the user went on", lateWins, "a new chat is due, and the user goes on in the old one", secondChat},
		{"a typer that keeps its lock", keptLock, "the session is over, and the user types", stuckProcess},
	}, 8) {
		t.Run(tt.name, func(t *testing.T) {
			for _, f := range families() {
				if f.name != tt.family {
					continue
				}
				if tt.broken == eagerRestore {
					f.left.kills = 2
				}
				m, found := explore(f.bounds, tt.broken)
				if found == nil || found.property != tt.want {
					t.Fatalf("got %v want %s", found, tt.want)
				}
				t.Logf("after %d states: %s, in %d steps", len(m.worlds), found.property, len(found.labels))
			}
		})
	}
}
