package run

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/outer/acp"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// noticeAfter is how long a question waits before a desktop notification says so: a
// user who looks at the terminal needs none.
const noticeAfter = 3 * time.Second

// ask asks the user, and shows everywhere else that the run waits for the answer.
func (s *session) ask(ctx context.Context, r acp.Request) bool {
	what := inShort(r)
	s.runner.Asking(what)
	defer s.runner.Asking("")
	s.log(hooklog.Line{Action: "asks", Why: what})
	if !s.e.IsSet("no-notify") {
		defer time.AfterFunc(noticeAfter, func() { _ = notify.Later(s.e, s.runner.ID()) }).Stop() // an error is in the log
	}
	return s.view.ask(ctx, r, s.quit)
}

// What one question shows at first. The user can see all of it.
const (
	askedLines = 40
	askedLine  = 4 << 10 // bytes of one line
)

// ask asks the user whether the agent may do something. No answer means no.
func (v *display) ask(ctx context.Context, r acp.Request, quit func()) bool {
	all := question(r)
	q := &asked{lines: all}
	words := q.begin()
	v.mu.Lock()
	v.print(words)
	v.mu.Unlock()
	for {
		line, over := v.waitForAnswer(ctx, q.prompt())
		if over {
			return false
		}
		switch q.answer(line) {
		case yes:
			return true
		case no:
			return false
		case showAll:
			v.mu.Lock()
			v.person(q.rest() + "\n")
			v.mu.Unlock()
		case quitRun:
			quit()
			return false
		}
	}
}

// waitForAnswer shows the prompt and returns the line that the user types, or reports
// that the question is over.
func (v *display) waitForAnswer(ctx context.Context, prompt string) (answer string, over bool) {
	v.mu.Lock()
	line := v.input.expect()
	v.asks = prompt
	v.words.prompt(prompt)
	v.mu.Unlock()
	select {
	case <-ctx.Done():
	case answer = <-line:
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asks, v.words.open = "", false // the user's Enter has ended the line
	switch over = ctx.Err() != nil; {
	case over:
		v.person("\nno longer waiting: the turn is over\n")
	case v.input.isOver(): // there was no Enter
		v.person("\n")
	}
	return answer, over
}

// person writes to the user on a line of its own.
func (v *display) person(words string) {
	v.words.endLine()
	v.words.put(words)
}

// answer is what a line means.
type answer int

const (
	again answer = iota // it means nothing
	yes
	no
	showAll
	quitRun
)

type asked struct {
	lines  []string
	hidden int // lines that were not shown, or not whole
}

func (q *asked) begin() string {
	lines := slices.Clone(q.lines[:min(len(q.lines), askedLines)])
	q.hidden = len(q.lines) - len(lines)
	for i, line := range lines {
		if more := len(line) - askedLine; more > 0 {
			q.hidden++
			lines[i] = fmt.Sprintf("%s… and %d more bytes", text.Prefix(line, askedLine), more)
		}
	}
	if more := len(q.lines) - len(lines); more > 0 {
		lines = append(lines, "… and "+text.Count(more, "more line"))
	}
	return strings.Join(lines, "\n  ")
}

func (q *asked) rest() string {
	q.hidden = 0
	return strings.Join(q.lines, "\n  ")
}

func (q *asked) prompt() string {
	if q.hidden > 0 {
		return "waiting for you: this is not all of it; [s]how all, [n]o, [q]uit: "
	}
	return "waiting for you: allow it? [y]es, [n]o, [q]uit: "
}

// answer returns what a line means. Only a yes permits anything, and only what the user
// has seen whole.
func (q *asked) answer(line string) answer {
	switch line = strings.ToLower(line); {
	case line == "" || line == "n" || line == "no":
		return no
	case line == "q" || line == "quit":
		return quitRun
	case q.hidden > 0 && (line == "s" || line == "show"):
		return showAll
	case q.hidden == 0 && (line == "y" || line == "yes"):
		return yes
	}
	return again
}

// answers reads the lines that the user types. It reads on between questions, so
// that what was typed before a question does not answer it.
type answers struct {
	mu    sync.Mutex
	asked chan<- string // nil between questions
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

func (a *answers) expect() <-chan string {
	line := make(chan string, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		line <- ""
	} else {
		a.asked = line
	}
	return line
}

func (a *answers) isOver() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}
