package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// roundWorld is a loop whose agent has given its promise, the stop hooks that have it
// checked, and what the user and others do meanwhile.
type roundWorld struct {
	l       loop.State
	now     time.Time
	journal []byte
	turn    int // of the agent
	hooks   []checker
	ghost   struct {
		closed   bool // by a pause, a cancel or Stop, and not opened since
		answered int  // the last turn whose stop brought a continuation
		disturbs int
	}
	steps []string
	wrong string
}

// checker is a stop hook and the process that checks the promise for it; or a resume at a terminal.
type checker struct {
	at    phase
	turn  int
	event loop.Event
	v     loop.Verification
	asked bool // all gates
	gone  bool // the hook was killed
	stale bool // nobody waited for its result any more
}

// phase is what a checker does next.
type phase int

const (
	endsTurn phase = iota
	readsTasks
	runsCommand
	asksReviewer
	hasResult
	isDone
)

// fate is how the gates of every round go.
type fate string

const (
	allPass   fate = "all gates pass"
	openTasks fate = "tasks are open"
	fails     fate = "the command fails"
	finds     fate = "the reviewer finds something"
	silent    fate = "the reviewer cannot answer"
)

func fates() []fate { return []fate{allPass, openTasks, fails, finds, silent} }

const (
	turnTokens = 10
)

func newRound() roundWorld {
	l := loop.New()
	l.ID, l.ConversationID, l.Prompt, l.Tasks, l.Verify, l.Review, l.Workspace = "k7f2m", "chat-1", "make it green", "T.md", "make", "codex", "/w"
	w := roundWorld{now: time.Unix(1_800_000_000, 0).UTC()}
	w.l = l.In("chat-1", w.now)
	w.l.Status, w.l.StartedAt, w.l.EventAt, w.l.Journal.Of = loop.Running, w.now, w.now, "chat-1"
	w.promises()
	w.stopsAgain()
	return w
}

func (w *roundWorld) generation() string { return fmt.Sprint("g", w.turn) }

// promises is a turn in which the agent works and gives its promise.
func (w *roundWorld) promises() {
	w.turn++
	w.note(loop.Record{Kind: loop.RecordPrompt}, loop.Record{Kind: loop.RecordTool, Tool: "Shell"},
		loop.Record{Kind: loop.RecordText, Text: fmt.Sprintf("Turn %d. <promise>COMPLETE</promise>", w.turn)})
}

func (w *roundWorld) note(records ...loop.Record) {
	w.journal = slices.Clip(w.journal) // another world goes on from here too
	for _, r := range records {
		r.At, r.Generation = w.now, w.generation()
		line, err := r.Line()
		if err != nil {
			panic(err) // a record of a test
		}
		w.journal = append(w.journal, line...)
	}
}

// stopsAgain is a stop hook for the turn.
func (w *roundWorld) stopsAgain() {
	w.hooks = append(slices.Clip(w.hooks), checker{turn: w.turn, event: loop.Event{Kind: loop.EventStop, Generation: w.generation(),
		Stop: loop.Stop{Status: loop.Completed, Tokens: loop.TokensOf(turnTokens, 0, 0, 0)}}})
}

// apply is an event as the store applies it: a decision with what the journal holds.
func (w *roundWorld) apply(e loop.Event) loop.Action {
	if w.l.Status.Ended() && e.Kind != loop.EventVerified {
		return loop.Action{} // it is in the archive
	}
	w.now = w.now.Add(time.Second)
	if e.Kind == loop.EventStop || e.Kind == loop.EventContinue {
		e.Turn = w.l.TurnIn(w.journal[min(int(w.l.Journal.Offset), len(w.journal)):], &e)
	}
	next, action := loop.Decide(w.l, e, w.now)
	if !slices.Contains([]loop.ActionKind{loop.AwaitText, loop.AskTyping}, action.Kind) {
		w.l = next
	}
	return action
}

// wants reports whether the loop still waits for a round.
func (w *roundWorld) wants(c checker) bool {
	asked := loop.Running
	if c.event.Kind == loop.EventResume {
		asked = loop.Paused
	}
	return w.l.Verifying.ID == c.event.Verified.ID && w.l.Status == asked
}

// step is the next thing that a hook does, or the process that checks for it.
func (w *roundWorld) step(i int, f fate) {
	w.hooks = slices.Clone(w.hooks)
	c, was := &w.hooks[i], w.l.Status
	w.steps = append(slices.Clip(w.steps), fmt.Sprintf("hook %d: %d", i, c.at))
	switch {
	case c.at == endsTurn:
		if a := w.apply(c.event); a.Kind == loop.AskVerify {
			c.at, c.event.Verified.ID = readsTasks, w.l.Verifying.ID
			c.v = loop.Verification{ID: c.event.Verified.ID, Passed: true}
		} else {
			w.answer(c, a, was)
		}
	case c.at == hasResult:
		c.event.Verified, c.stale = c.v, w.l.Verifying.ID != c.v.ID
		w.answer(c, w.apply(c.event), was)
	case c.gone:
		c.at = isDone
		w.apply(loop.Event{Kind: loop.EventVerified, Continue: loop.Continue{Idle: true}, Answers: loop.Answers{Verified: loop.Verification{ID: c.v.ID}}})
	case !w.wants(*c):
		c.at, c.v.Passed, c.v.Exit, c.v.Why = hasResult, false, -1, "it was given up"
	default:
		w.check(c, f)
	}
}

// check is one gate.
func (w *roundWorld) check(c *checker, f fate) {
	switch c.at {
	case readsTasks:
		c.v.Tasks = &loop.TaskCount{Done: 2, Total: 2}
		if f == openTasks {
			c.v.Passed, c.v.Gate, c.v.Refusal = false, loop.GateTasks, "a task is open"
		}
	case runsCommand:
		c.v.Seconds = 1
		if f == fails {
			c.v.Passed, c.v.Gate, c.v.Exit = false, loop.GateVerify, 1
		}
	case asksReviewer:
		r := loop.Review{Agent: "codex", Verdict: loop.ReviewClear}
		if f == finds {
			r.Verdict, r.Findings = loop.ReviewFound, []string{"a bug"}
		} else if f == silent {
			r.Verdict, r.Why = loop.ReviewFailed, "not logged in"
		}
		c.v, c.asked = c.v.With(r), true
	}
	if c.at++; !c.v.Passed {
		c.at = hasResult
	}
}

// answer is what the editor gets.
func (w *roundWorld) answer(c *checker, a loop.Action, was loop.Status) {
	c.at = isDone
	accepted := w.l.Status == loop.PromiseAccepted && was != w.l.Status
	switch {
	case accepted && (!c.asked || !c.v.Passed):
		w.violates("a promise was accepted that not all gates have let pass")
	case c.stale && (a.Kind == loop.Followup || accepted):
		w.violates("the result of another round counted")
	case w.ghost.closed && (a.Kind == loop.Followup || accepted):
		w.violates("a pause, a cancel or Stop did not win")
	case a.Kind == loop.Followup && w.ghost.answered == c.turn:
		w.violates("a stop was answered twice")
	case a.Kind == loop.Followup:
		w.ghost.answered = c.turn
	}
}

func (w *roundWorld) violates(what string) {
	if w.wrong == "" {
		w.wrong = what
	}
}
