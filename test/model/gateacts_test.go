package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// disturbance is what may happen while the gates are asked. It reports whether it can.
type disturbance struct {
	name string
	do   func(w *roundWorld) bool
}

func disturbances() []disturbance {
	event := func(kind loop.EventKind, closes bool) func(*roundWorld) bool {
		return func(w *roundWorld) bool {
			ended := w.l.Status.Ended()
			if !ended {
				w.apply(loop.Event{Kind: kind})
				w.ghost.closed = closes
			}
			return !ended
		}
	}
	return []disturbance{
		{"pause", event(loop.EventPause, true)},
		{"resume", func(w *roundWorld) bool {
			if w.l.Status != loop.Paused {
				return false
			}
			w.hooks = append(slices.Clip(w.hooks), checker{turn: w.turn, event: loop.Event{Kind: loop.EventResume, Continue: loop.Continue{Gates: true}}})
			w.ghost.closed = false
			return true
		}},
		{"cancel", event(loop.EventCancel, true)},
		{"Stop", func(w *roundWorld) bool {
			if w.l.Status.Ended() {
				return false
			}
			w.apply(loop.Event{Kind: loop.EventStop, Generation: w.generation(), Stop: loop.Stop{Status: loop.Aborted}})
			w.ghost.closed = true
			return true
		}},
		{"the user goes on, and the agent promises again", func(w *roundWorld) bool {
			if slices.ContainsFunc(w.hooks, func(c checker) bool { return c.at == endsTurn }) {
				return false // the editor waits for them
			}
			w.turn++
			w.apply(loop.Event{Kind: loop.EventMessage, Generation: w.generation(), Text: "go on"})
			w.turn--
			w.promises()
			w.stopsAgain()
			w.ghost.closed = w.ghost.closed && w.l.Status != loop.Running
			return true
		}},
		{"the hook is killed", func(w *roundWorld) bool { return w.kills(func(c *checker) { c.gone = true }) }},
		{"the hook and the check are killed", func(w *roundWorld) bool { return w.kills(func(c *checker) { c.at = isDone }) }},
		{"the check is killed", func(w *roundWorld) bool {
			return w.kills(func(c *checker) {
				c.at, c.v = hasResult, loop.Verification{ID: c.v.ID, Exit: -1, Gate: loop.GateVerify, Why: "it could not be run"}
			})
		}},
	}
}

// kills does something to the first hook whose promise is checked.
func (w *roundWorld) kills(how func(c *checker)) bool {
	i := slices.IndexFunc(w.hooks, func(c checker) bool { return c.at > endsTurn && c.at < isDone && !c.gone })
	if i < 0 {
		return false
	}
	w.hooks = slices.Clone(w.hooks)
	if how(&w.hooks[i]); w.hooks[i].gone && w.hooks[i].at == hasResult {
		w.hooks[i].at = isDone
	}
	w.now = w.now.Add(10 * time.Second)
	return true
}

// everyWay goes on from a world in every way, and returns how many ends it has seen.
func everyWay(t *testing.T, w roundWorld, f fate, left int) (ends int) {
	if w.wrong != "" {
		t.Fatalf("%s, %s:\n%s", w.wrong, f, strings.Join(w.steps, "\n"))
	}
	busy := false
	for i, c := range w.hooks {
		if c.at == isDone {
			continue
		}
		busy = true
		next := w
		next.step(i, f)
		ends += everyWay(t, next, f, left)
	}
	if !busy {
		ends++
		w.settles(t, f)
	}
	if left == 0 {
		return ends
	}
	for _, d := range disturbances() {
		next := w
		next.steps = append(slices.Clip(w.steps), d.name)
		next.ghost.disturbs++
		if d.do(&next) {
			ends += everyWay(t, next, f, left-1)
		}
	}
	return ends
}

// settles checks what is left when nothing happens any more: what was spent is counted
// once, and the promise of another turn is checked and accepted.
func (w roundWorld) settles(t *testing.T, f fate) {
	turns := sum(w.l.Tokens)
	exact := w.ghost.disturbs == 0
	if most := int64(w.turn * turnTokens); turns > most || exact && turns != most && f != silent {
		w.violates(fmt.Sprintf("the turns took %d tokens, and %d were counted", most, turns))
	}
	if !w.l.Status.Ended() && w.wrong == "" {
		w.now = w.now.Add(w.l.RoundLimit() + time.Minute) // a check whose processes were killed counts as running until then
		if w.l.Status != loop.Running {
			w.l.Journal.Offset = int64(len(w.journal)) // the user begins anew
			w.apply(loop.Event{Kind: loop.EventMessage, Generation: w.generation(), Text: "go on"})
			if w.l.Promised {
				w.violates("a message of the user left a promise behind")
			}
			w.apply(loop.Event{Kind: loop.EventContinue})
		}
		w.promises()
		w.hooks, w.ghost.closed = nil, false
		w.stopsAgain()
		for i := 0; i < int(isDone)+1 && w.hooks[0].at != isDone; i++ {
			w.step(0, allPass)
		}
		if w.l.Status != loop.PromiseAccepted {
			w.violates("the next promise was not accepted, but " + string(w.l.Status) + ", " + w.l.Reason)
		}
	}
	if w.wrong != "" {
		t.Fatalf("%s, %s:\n%s", w.wrong, f, strings.Join(w.steps, "\n"))
	}
}

func sum(t *loop.Tokens) int64 {
	if t == nil {
		return 0
	}
	return t.Sum()
}

// The gates of a promise, with up to two of the things that can happen meanwhile, each at every step.
func TestTheGatesOfAPromise(t *testing.T) {
	most := 2
	if testing.Short() {
		most = 1
	}
	for _, f := range fates() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			if ends := everyWay(t, newRound(), f, most); ends < 20 {
				t.Errorf("got %d ends, want more", ends)
			}
		})
	}
}
