package run

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// display shows a run: what the agent says and does, and what the loop does.
type display struct {
	e *cli.Env

	mu    sync.Mutex
	loop  loop.State
	last  int    // the iteration of the last turn
	words speech // of the agent, on standard output
	asks  string // the question that waits for an answer, in a line
	input answers
}

func newDisplay(e *cli.Env, l loop.State) *display {
	v := &display{e: e, loop: l, words: speech{out: e.Stdout}}
	if l.Run.Permissions == string(outer.PolicyAsk) {
		go v.input.read(e.Stdin)
	}
	return v
}

func (v *display) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.words.end("")
}

func (v *display) see(s outer.Seen) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.Text != "" {
		v.words.say(s.Text)
	}
	switch r := s.Record; {
	case r.Kind == loop.RecordText:
		v.words.end(r.Text)
	case r.Kind == loop.RecordTool && r.Error != "":
		v.print("  ! " + cli.Shortened(r.Error, lineWidth))
	}
	if s.Tool != "" {
		v.print("  > " + cli.Shortened(s.Tool, lineWidth))
	}
	if s.Plan != "" {
		v.print(indented(s.Plan))
	}
}

const (
	lineWidth  = 160
	shownLines = 24      // of one text
	shownBytes = 4 << 10 // of one text
)

func indented(text string) string {
	text = strings.TrimSpace(text)
	cut := len(text) > shownBytes
	lines := strings.Split(text[:min(len(text), shownBytes)], "\n")
	if len(lines) > shownLines {
		lines, cut = lines[:shownLines], true
	}
	if cut {
		lines = append(lines, "…")
	}
	return "  " + strings.Join(lines, "\n  ")
}

func (v *display) report(r outer.Report) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r.Kind != outer.ReportTrouble {
		v.loop = r.State
	}
	switch r.Kind {
	case outer.ReportTurn:
		v.words.end("")
		v.print(v.describeTurn(r.State))
	case outer.ReportVerify:
		v.print("  verifying: " + cli.Shortened(r.State.GateNames(), lineWidth))
	case outer.ReportDecided:
		v.words.end("")
		v.print(describeDecision(r))
	case outer.ReportPausing:
		v.print("  pausing: the loop pauses at the end of this turn")
	case outer.ReportIdle:
		v.print(describeIdle(r.State))
	case outer.ReportTrouble:
		v.print("  trouble: " + r.Err.Error())
	}
}

func (v *display) describeTurn(l loop.State) string {
	words := fmt.Sprintf("iteration %d of %d", l.Iteration(), l.MaxIterations)
	switch v.last {
	case 0:
		words = fmt.Sprintf("run %s: %s (Ctrl-C stops it)\n%s", l.ShortID(), l.Run.Agent, words)
	case l.Iteration():
		words += ", again"
	}
	v.last = l.Iteration()
	return words
}

func (v *display) reviewed(r *loop.Review) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r == nil {
		return
	}
	for _, found := range r.Findings {
		v.print("  found: " + cli.Shortened(found, lineWidth))
	}
}

func (v *display) notice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.print(text)
}

func (v *display) trouble(err error) { v.report(outer.Report{Kind: outer.ReportTrouble, Err: err}) }

// describeDecision describes a decision. It is empty if the next report says the same.
func describeDecision(r outer.Report) string {
	words := cmp.Or(r.Action.Promise, r.Action.Why())
	switch {
	case words == "none":
		words = "no promise"
	case strings.HasPrefix(words, "refused"), strings.HasPrefix(words, "accepted"):
		words = "promise " + words
	}
	if words == "" || r.Action.Reason == loop.ReasonContinued || r.State.Status == loop.Paused {
		return ""
	}
	return "  " + words
}

func describeIdle(l loop.State) string {
	if l.Status == loop.Paused {
		return fmt.Sprintf("%s; the turn so far does not count. To go on: cursor-ralph resume %s", view.Of(l, view.Facts{}).Describe(), l.ShortID())
	}
	return l.Reason
}

// print prints lines, if there are any, above a question that waits.
func (v *display) print(words string) {
	if words == "" {
		return
	}
	v.words.line(words)
	if v.asks != "" {
		v.words.prompt(v.asks)
	}
}
