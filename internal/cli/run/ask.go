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
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
)

// noticeAfter is how long a question waits before a desktop notification says so: a
// user who looks at the terminal needs none.
const noticeAfter = 3 * time.Second

// ask asks the user, and shows everywhere else that the run waits for the answer.
func (s *session) ask(ctx context.Context, r acp.Request) acp.Answer {
	what := inShort(r)
	s.runner.Asking(what)
	defer s.runner.Asking("")
	s.log(hooklog.Line{Action: "asks", Why: what})
	if !s.e.IsSet("no-notify") {
		defer time.AfterFunc(noticeAfter, func() { _ = notify.Later(s.e, s.runner.ID()) }).Stop() // an error is in the log
	}
	answer := s.view.ask(ctx, r, s.quit)
	if answer == acp.Always {
		s.runner.Always(what)
	}
	return answer
}

// What one question shows at first. The user can see all of it.
const (
	askedLines = 40
	askedLine  = 4 << 10 // bytes of one line
	askedEvent = 64 << 10
)

// ask asks the user whether the agent may do something. No answer means no.
func (v *runView) ask(ctx context.Context, r acp.Request, quit func()) acp.Answer {
	all := question(r)
	q := &asked{lines: all, lasts: r.Lasting, runs: r.Execution != nil}
	words := q.begin()
	v.mu.Lock()
	v.event("asks", text.Head(strings.Join(all, "\n"), askedEvent), loop.Record{}, words)
	if v.json {
		v.prompt(words + "\n")
	}
	v.mu.Unlock()
	for {
		line, over := v.waitForAnswer(ctx, q.prompt())
		if over {
			return acp.No
		}
		switch answer := q.answer(line); answer {
		case showAll:
			v.mu.Lock()
			v.prompt(q.rest() + "\n")
			v.mu.Unlock()
		case quitRun:
			quit()
			return acp.No
		case again:
		default:
			return answer
		}
	}
}

// waitForAnswer shows the prompt and returns the line that the user types, or reports
// that the question is over.
func (v *runView) waitForAnswer(ctx context.Context, prompt string) (answer string, over bool) {
	v.mu.Lock()
	line := v.input.expect()
	v.asks = prompt
	v.draw()
	if !v.screen.live {
		v.prompt(prompt)
	}
	v.mu.Unlock()
	select {
	case <-ctx.Done():
	case answer = <-line:
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asks = ""
	v.screen.keep()
	switch over = ctx.Err() != nil; {
	case over:
		v.prompt("\nno longer waiting: the turn is over\n")
	case v.input.isOver(): // no Enter has ended the prompt's line
		v.prompt("\n")
	}
	v.draw()
	return answer, over
}

// prompt writes to the user, not to the reader of the JSON.
func (v *runView) prompt(words string) {
	if v.json {
		_, _ = io.WriteString(v.e.Stderr, words) // errors: see screen.show
		return
	}
	v.put(words)
}

// What a line can mean beside an answer for the agent.
const (
	showAll acp.Answer = -1 - iota
	quitRun
	again
)

type asked struct {
	lines  []string
	lasts  bool // always is a possible answer
	runs   bool // it executes something, which must be seen whole
	hidden int  // lines that were not shown, or not whole
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
	words := "waiting for you: allow it? [y]es, "
	if q.mustShow() {
		words = "waiting for you: this is not all of it; "
	} else if q.lasts && q.runs {
		words += "[a]lways this command, "
	} else if q.lasts {
		words += "[a]lways this file, "
	}
	if q.hidden > 0 {
		words += "[s]how all, "
	}
	return words + "[n]o, [q]uit: "
}

// mustShow reports whether the user has not seen everything that would be executed.
func (q *asked) mustShow() bool { return q.runs && q.hidden > 0 }

// answer returns what a line means. Only a yes permits anything.
func (q *asked) answer(line string) acp.Answer {
	switch line = strings.ToLower(line); {
	case line == "" || line == "n" || line == "no":
		return acp.No
	case line == "q" || line == "quit":
		return quitRun
	case (line == "s" || line == "show") && q.hidden > 0:
		return showAll
	case q.mustShow():
		return again
	case line == "y" || line == "yes":
		return acp.Yes
	case (line == "a" || line == "always") && q.lasts:
		return acp.Always
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
