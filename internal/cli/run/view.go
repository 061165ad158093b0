package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/tui"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// runView shows a run while it goes on: what the agent says and does as lines,
// and on a terminal one line below them that says where it stands.
type runView struct {
	e     *cli.Env
	json  bool
	drawn string // the line of status that is on the screen; empty if none is
	at    time.Time
	width func() int
	stop  chan struct{}
	once  sync.Once

	mu    sync.Mutex
	line  bool // one may be drawn
	loop  loop.State
	began time.Time
	tools int
	words speech
	input answers
}

// How often the status line is drawn: for its clock, and at most.
const (
	redrawn  = 250 * time.Millisecond
	drawRest = 50 * time.Millisecond
)

func newRunView(e *cli.Env, l loop.State) *runView {
	v := &runView{e: e, loop: l, began: e.Now(), json: e.IsSet("json"), stop: make(chan struct{}), width: func() int { return terminalWidth(e.Stdout) }}
	v.line = !v.json && e.Colorful() && (runtime.GOOS != "windows" || e.Getenv("WT_SESSION") != "")
	if v.line {
		go v.tick()
	}
	if l.Run.Permissions == string(outer.PolicyAsk) {
		go v.input.read(e.Stdin)
	}
	return v
}

func (v *runView) tick() {
	ticker := time.NewTicker(redrawn)
	defer ticker.Stop()
	for {
		select {
		case <-v.stop:
			return
		case <-ticker.C:
			v.mu.Lock()
			v.draw()
			v.mu.Unlock()
		}
	}
}

// close takes the status line away.
func (v *runView) close() {
	v.once.Do(func() { close(v.stop) })
	v.mu.Lock()
	defer v.mu.Unlock()
	v.say(v.words.end(""))
	v.clear()
	v.line = false
}

// see shows what the agent does.
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

// say prints lines of the agent's. In JSON its messages come whole, as events.
func (v *runView) say(lines []string) {
	if v.json || len(lines) == 0 {
		return
	}
	v.print(strings.Join(lines, "\n"))
}

const (
	lineWidth  = 160
	shownLines = 24      // of one message
	shownBytes = 4 << 10 // and of its text
)

// indented is text of the agent, as much of it as is good to read.
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

// told shows what became of it.
func (v *runView) told(r outer.Report) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r.Kind != outer.ReportTrouble {
		v.loop = r.State
	}
	n, most := r.State.Iterations, r.State.MaxIterations
	switch r.Kind {
	case outer.ReportTurn:
		v.say(v.words.end(""))
		v.tools, v.words = 0, speech{}
		v.event("turn", "", loop.Record{}, fmt.Sprintf("iteration %d of %d", n+1, most))
	case outer.ReportVerify:
		v.event("verify", r.State.Verify, loop.Record{}, "  verifying: "+cli.Shortened(r.State.Verify, lineWidth))
	case outer.ReportDecided:
		v.say(v.words.end(""))
		v.event("decided", r.Action.Why(), loop.Record{}, decidedWords(r))
	case outer.ReportIdle:
		v.event("idle", r.State.Reason, loop.Record{}, idleWords(r.State))
	case outer.ReportTrouble:
		v.event("trouble", r.Err.Error(), loop.Record{}, "  trouble: "+r.Err.Error())
	}
	v.draw()
}

// notice shows what the user should know before the agent begins.
func (v *runView) notice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.event("notice", text, loop.Record{}, text)
}

func (v *runView) trouble(err error) { v.told(outer.Report{Kind: outer.ReportTrouble, Err: err}) }

func decidedWords(r outer.Report) string {
	words := cmp.Or(r.Action.Promise, r.Action.Why())
	switch {
	case words == "none":
		words = "no promise"
	case strings.HasPrefix(words, "refused"), strings.HasPrefix(words, "accepted"):
		words = "promise " + words
	}
	if words == "" || r.Action.Kind == loop.Again || r.Action.Reason == loop.ReasonContinued {
		return "" // it is told as what the agent waits for, or nothing to tell
	}
	return "  " + words
}

func idleWords(l loop.State) string {
	if l.Status == loop.Paused {
		return fmt.Sprintf("paused: %s. To go on: cursor-ralph resume %s", l.Reason, l.ConversationID)
	}
	return l.Reason
}

// event prints one thing that happens: lines for people, or an object.
func (v *runView) event(kind, text string, r loop.Record, words string) {
	if !v.json {
		if words != "" {
			v.print(words)
		}
		return
	}
	data, err := json.Marshal(struct {
		At        time.Time   `json:"at"`
		Event     string      `json:"event"`
		Loop      string      `json:"loop"`
		Status    loop.Status `json:"status"`
		Iteration int         `json:"iteration"`
		Text      string      `json:"text,omitempty"`
		Tool      string      `json:"tool,omitempty"`
		File      string      `json:"file,omitempty"`
		Error     string      `json:"error,omitempty"`
	}{v.e.Now(), kind, v.loop.ConversationID, v.loop.Status, v.loop.Iterations, text, r.Tool, r.File, r.Error})
	if err == nil {
		v.print(string(data))
	}
}

// print writes lines above the status line. One who has closed our output gets
// no more; the run goes on.
func (v *runView) print(words string) {
	v.clear()
	_, _ = io.WriteString(v.e.Stdout, cli.Printable(words)+"\n")
}

func (v *runView) clear() {
	if v.drawn != "" {
		_, _ = io.WriteString(v.e.Stdout, "\r\x1b[K") // as print
		v.drawn = ""
	}
}

// drawSoon draws the status line, unless it was drawn just now: words may come in
// many small pieces.
func (v *runView) drawSoon() {
	if v.drawn == "" || v.e.Now().Sub(v.at) >= drawRest {
		v.draw()
	}
}

// draw draws the status line anew if it says something else. It leaves the last
// column of the window free: a terminal that is written full begins a new line.
func (v *runView) draw() {
	if !v.line {
		return
	}
	l, tools := v.loop, fmt.Sprintf("  %d tools", v.tools)
	if l.Run.NoTools {
		tools = ""
	}
	begins := fmt.Sprintf("%s  %s%s", l.Line(v.e.Now()), v.e.Now().Sub(v.began).Round(time.Second), tools)
	line := tui.StatusLine(cli.Printable(begins), cli.Printable(v.words.tail()), v.width()-1)
	if v.at = v.e.Now(); line == v.drawn {
		return
	}
	v.clear()
	_, _ = io.WriteString(v.e.Stdout, line) // as print
	v.drawn = line
}

// summary prints at the end where the loop stands, and what was in its way. A
// broken run is one that could not save where it stands: it does not run, whatever
// its file says.
func (v *runView) summary(l loop.State, broken bool) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.loop = l
	if v.json {
		v.event("end", l.Reason, loop.Record{}, "")
		return nil
	}
	var b bytes.Buffer
	tools := fmt.Sprintf(", %d tool calls", l.ToolCalls)
	if l.Run.NoTools {
		tools = ""
	}
	status, why := string(l.Status), ": "+l.Reason
	if broken {
		status, why = "stopped", ""
	}
	fmt.Fprintf(&b, "\n%s after %d of %d iterations in %s%s%s\n", status, l.Iterations, l.MaxIterations,
		l.Worked(v.e.Now()).Round(time.Second), tools, why)
	fmt.Fprintf(&b, "more: cursor-ralph history %s, cursor-ralph report %s, %s", l.ConversationID, l.ConversationID, filepath.Join(l.Workspace, outer.FolderName))
	return v.e.Say("%s", b.String())
}

const usualWidth = 80

// terminalWidth is how many characters fit into a line.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return usualWidth
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width <= 0 {
		return usualWidth
	}
	return width
}
