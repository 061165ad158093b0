package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
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

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
)

// runView shows a run while it goes on: what the agent says and does as lines,
// and on a terminal one line below them that says where it stands.
type runView struct {
	e     *env
	json  bool
	drawn bool // there is a line of status
	stop  chan struct{}
	once  sync.Once

	mu    sync.Mutex
	line  bool // one may be drawn
	turn  bool // one goes on: the iteration that it will be counted as is shown
	loop  loop.State
	began time.Time
	tools int
	said  string // how the last of the agent's words end
	input answers
}

// redrawn is how often the status line is drawn, for its clock.
const redrawn = time.Second

func (e *env) newRunView(l loop.State) *runView {
	v := &runView{e: e, loop: l, began: e.now(), json: e.isSet("json"), stop: make(chan struct{})}
	v.line = !v.json && e.colorful() && (runtime.GOOS != "windows" || e.getenv("WT_SESSION") != "")
	if v.line {
		go v.tick()
	}
	if l.Run.Permissions == string(acp.PolicyAsk) {
		go v.input.read(e.stdin)
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
	v.clear()
	v.line = false
}

// see shows what the agent does.
func (v *runView) see(s outer.Seen) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.Text != "" {
		v.said = lastLine(v.said + s.Text)
	}
	switch r := s.Record; {
	case r.Kind == loop.RecordText:
		v.said = lastLine(r.Text)
		v.event("text", r.Text, r, indented(r.Text))
	case r.Kind == loop.RecordTool:
		v.tools++
		if r.Error != "" {
			v.event("tool", "", r, "  ! "+shortened(r.Error, lineWidth))
		} else if s.Tool == "" {
			v.event("tool", "", r, "")
		}
	}
	if s.Tool != "" {
		v.event("begins", s.Tool, loop.Record{}, "  > "+shortened(s.Tool, lineWidth))
	}
	if s.Plan != "" {
		v.event("plan", s.Plan, loop.Record{}, indented(s.Plan))
	}
	v.draw()
}

const (
	lineWidth  = 160
	shownLines = 24      // of one message
	shownBytes = 4 << 10 // and of its text
)

// lastLine is the end of what was said, as one line.
func lastLine(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-lineWidth*4):], " \t\n")
	return shortened(text[strings.LastIndexByte(text, '\n')+1:], lineWidth)
}

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
	if r.Kind != outer.ReportTrouble && r.Kind != outer.ReportVerify {
		v.turn = r.Kind == outer.ReportTurn
	}
	n, most := r.State.Iterations, r.State.MaxIterations
	switch r.Kind {
	case outer.ReportTurn:
		v.tools, v.said = 0, ""
		v.event("turn", "", loop.Record{}, fmt.Sprintf("iteration %d of %d", n+1, most))
	case outer.ReportVerify:
		v.event("verify", r.State.Verify, loop.Record{}, "  verifying: "+shortened(r.State.Verify, lineWidth))
	case outer.ReportDecided:
		v.event("decided", r.Action.Why, loop.Record{}, decidedWords(r))
	case outer.ReportIdle:
		v.event("idle", r.State.Reason, loop.Record{}, idleWords(r.State))
	case outer.ReportTrouble:
		v.event("trouble", r.Err.Error(), loop.Record{}, "  trouble: "+r.Err.Error())
	}
	v.draw()
}

func (v *runView) trouble(err error) { v.told(outer.Report{Kind: outer.ReportTrouble, Err: err}) }

func decidedWords(r outer.Report) string {
	words := cmp.Or(r.Action.Promise, r.Action.Why)
	switch {
	case words == "none":
		words = "no promise"
	case strings.HasPrefix(words, "refused"), strings.HasPrefix(words, "accepted"):
		words = "promise " + words
	}
	if words == "" || r.Action.Kind == loop.Again || r.Action.Why == "continued" {
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
	}{v.e.now(), kind, v.loop.ConversationID, v.loop.Status, v.loop.Iterations, text, r.Tool, r.File, r.Error})
	if err == nil {
		v.print(string(data))
	}
}

// print writes lines above the status line. One who has closed our output gets
// no more; the run goes on.
func (v *runView) print(words string) {
	v.clear()
	_, _ = io.WriteString(v.e.stdout, printable(words)+"\n")
}

func (v *runView) clear() {
	if v.drawn {
		_, _ = io.WriteString(v.e.stdout, "\r\x1b[K") // as print
		v.drawn = false
	}
}

// draw draws the status line, no longer than the terminal is wide.
func (v *runView) draw() {
	if !v.line {
		return
	}
	v.clear()
	l, tools := v.loop, fmt.Sprintf("%d tools  ", v.tools)
	if v.turn {
		l.Iterations++
	}
	if l.Run.NoTools {
		tools = ""
	}
	words := fmt.Sprintf("%s  %s  %s%s", l.Line(v.e.now()), v.e.now().Sub(v.began).Round(time.Second), tools, v.said)
	_, _ = io.WriteString(v.e.stdout, shortened(words, max(20, terminalWidth(v.e.stdout)-2))) // as print
	v.drawn = true
}

// ask asks the user what the agent may do. No answer is a no.
func (v *runView) ask(ctx context.Context, r acp.Request) bool {
	v.mu.Lock()
	v.clear()
	was := v.line
	v.line = false
	words := fmt.Sprintf("the agent asks: %s %s", r.Kind, r.Title)
	if r.Command != "" && strings.TrimPrefix(r.Title, "run ") != r.Command { // the agent's words may tell less, or otherwise
		words += "\n  it would run: " + strings.ReplaceAll(r.Command, "\n", "\n    ")
	}
	for _, path := range r.Paths {
		words += "\n  " + path
	}
	if r.Outside {
		words += "\n  some of that is outside of the workspace"
	}
	if r.Always {
		words += "\n  a yes counts for all that is like it"
	}
	_, _ = io.WriteString(v.e.stdout, printable(words)+"\nallow it? [y/N] ") // as print
	v.mu.Unlock()
	answer := v.input.next(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.line = was
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// answers are the lines that the user types. What is typed while nothing is
// asked answers nothing, so all is read as it comes.
type answers struct {
	mu    sync.Mutex
	asked chan<- string // nil while nothing is asked
	ended bool
}

func (a *answers) read(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		a.give(strings.TrimSpace(lines.Text()), false)
	}
	a.give("", true)
}

func (a *answers) give(line string, end bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked != nil {
		a.asked <- line
	}
	a.asked, a.ended = nil, end
}

// next waits for a line, which is empty where there will be none.
func (a *answers) next(ctx context.Context) string {
	line := make(chan string, 1)
	a.mu.Lock()
	if a.ended {
		line <- ""
	} else {
		a.asked = line
	}
	a.mu.Unlock()
	select {
	case <-ctx.Done():
		return ""
	case text := <-line:
		return text
	}
}

// summary tells at the end where the loop stands, and what was in its way.
func (v *runView) summary(l loop.State) error {
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
	fmt.Fprintf(&b, "\n%s after %d of %d iterations in %s%s: %s\n", l.Status, l.Iterations, l.MaxIterations,
		v.e.now().Sub(l.StartedAt).Round(time.Second), tools, l.Reason)
	fmt.Fprintf(&b, "more: cursor-ralph history %s, cursor-ralph report %s, %s", l.ConversationID, l.ConversationID, filepath.Join(l.Workspace, outer.FolderName))
	return v.e.say("%s", b.String())
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
