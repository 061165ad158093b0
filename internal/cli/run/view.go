package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// runView displays a run: what the agent says and does as lines or JSON, and on a
// terminal its unfinished words and a status line below them.
type runView struct {
	e      *cli.Env
	json   bool
	screen *screen
	stop   chan struct{}
	once   sync.Once

	mu      sync.Mutex
	drawnAt time.Time
	closed  bool // no rows are drawn any more
	loop    loop.State
	last    int // the iteration of the last turn
	tools   int // calls of this turn
	words   speech
	asks    string // the question that waits for an answer, in a line
	input   answers
}

func newRunView(e *cli.Env, l loop.State) *runView {
	v := &runView{e: e, loop: l, json: e.IsSet("json"), stop: make(chan struct{}), screen: newScreen(e)}
	v.screen.live = v.screen.live && !v.json
	if v.screen.live {
		go v.tick()
	}
	if l.Run.Permissions == string(outer.PolicyAsk) {
		go v.input.read(e.Stdin)
	}
	return v
}

func (v *runView) close() {
	v.once.Do(func() { close(v.stop) })
	v.mu.Lock()
	defer v.mu.Unlock()
	v.say(v.words.end(""))
	v.closed = true
	v.draw()
}

func (v *runView) see(s outer.Seen) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.Text != "" {
		v.say(v.words.add(s.Text))
	}
	if s.Thought != "" {
		v.words.think(s.Thought)
	}
	switch r := s.Record; {
	case r.Kind == loop.RecordText:
		v.say(v.words.end(r.Text))
		v.event("text", r.Text, r, "")
	case r.Kind == loop.RecordTool:
		v.tools++
		if r.Error != "" {
			v.event("tool", "", r, "  ! "+cli.Shortened(r.Error, lineWidth))
		} else if s.Tool == "" {
			v.event("tool", "", r, "")
		}
	}
	if s.Tool != "" {
		v.event("begins", s.Tool, loop.Record{}, "  > "+cli.Shortened(s.Tool, lineWidth))
	}
	if s.Plan != "" {
		v.event("plan", s.Plan, loop.Record{}, indented(s.Plan))
	}
	v.drawSoon()
}

// say prints the agent's lines. In JSON its messages are events.
func (v *runView) say(lines []string) {
	if v.json || len(lines) == 0 {
		return
	}
	v.print(strings.Join(lines, "\n"))
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

func (v *runView) report(r outer.Report) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r.Kind != outer.ReportTrouble {
		v.loop = r.State
	}
	switch r.Kind {
	case outer.ReportTurn:
		v.say(v.words.end(""))
		v.tools = 0
		v.event("turn", "", loop.Record{}, v.turnWords(r.State))
	case outer.ReportVerify:
		v.event("verify", r.State.GateWords(), loop.Record{}, "  verifying: "+cli.Shortened(r.State.GateWords(), lineWidth))
	case outer.ReportDecided:
		v.say(v.words.end(""))
		v.tools = 0 // the loop has counted them
		v.event("decided", r.Action.Why(), loop.Record{}, decidedWords(r))
	case outer.ReportIdle:
		v.event("idle", r.State.Reason, loop.Record{}, idleWords(r.State))
	case outer.ReportTrouble:
		v.event("trouble", r.Err.Error(), loop.Record{}, "  trouble: "+r.Err.Error())
	}
	v.draw()
}

func (v *runView) turnWords(l loop.State) string {
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

func (v *runView) reviewed(r *loop.Review) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r == nil {
		return
	}
	for _, found := range r.Findings {
		v.event("finding", found, loop.Record{}, "  found: "+cli.Shortened(found, lineWidth))
	}
}

func (v *runView) notice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.event("notice", text, loop.Record{}, text)
}

func (v *runView) trouble(err error) { v.report(outer.Report{Kind: outer.ReportTrouble, Err: err}) }

// decidedWords describes a decision. It is empty if the next report says the same.
func decidedWords(r outer.Report) string {
	words := cmp.Or(r.Action.Promise, r.Action.Why())
	switch {
	case words == "none":
		words = "no promise"
	case strings.HasPrefix(words, "refused"), strings.HasPrefix(words, "accepted"):
		words = "promise " + words
	}
	if words == "" || r.Action.Kind == loop.Again || r.Action.Reason == loop.ReasonContinued || r.State.Status == loop.Paused {
		return ""
	}
	return "  " + words
}

func idleWords(l loop.State) string {
	if l.Status == loop.Paused {
		return fmt.Sprintf("%s; the turn so far does not count. To go on: cursor-ralph resume %s", view.Of(l, view.Facts{}).Words(), l.ShortID())
	}
	return l.Reason
}

// event prints an event: words for people, or a JSON object.
func (v *runView) event(kind, text string, r loop.Record, words string) {
	if !v.json {
		if words != "" {
			v.print(words)
		}
		return
	}
	data, err := json.Marshal(struct {
		At         time.Time   `json:"at"`
		Event      string      `json:"event"`
		ID         string      `json:"id"`
		Loop       string      `json:"loop"`
		Status     loop.Status `json:"status"`
		Iteration  int         `json:"iteration"`
		Iterations int         `json:"iterations"`
		Text       string      `json:"text,omitempty"`
		Tool       string      `json:"tool,omitempty"`
		File       string      `json:"file,omitempty"`
		Error      string      `json:"error,omitempty"`
	}{v.e.Now(), kind, v.loop.ShortID(), v.loop.ConversationID, v.loop.Status, v.loop.Iteration(), v.loop.Iterations, text, r.Tool, r.File, r.Error})
	if err == nil {
		v.print(string(data))
	}
}

func (v *runView) print(words string) { v.put(cli.Printable(words) + "\n") }
