// Package tui shows loops in a terminal and lets the user steer them. It gets
// what it shows from functions and runs commands through one: it reads no loop's
// file and decides nothing about a loop.
package tui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ErrNoTerminal means that the input or output is not a terminal.
var ErrNoTerminal = errors.New("not a terminal")

// Panel is what the panel needs.
type Panel struct {
	// Look returns all loops in the order of the screen, and what could not be
	// read.
	Look func() ([]Loop, []error)
	// Whole adds what only the chosen loop shows; nil adds nothing.
	Whole func(Loop) Loop
	// Do runs a command of cursor-ralph and returns what it printed: pause, resume,
	// cancel, history and report with the id of a loop, context with a text too.
	Do func(ctx context.Context, command string, args ...string) (string, error)
	// Save writes the report about a loop into a file, and returns its path.
	Save func(id, report string) (path string, err error)

	Plain   func(text string) string // makes text from outside safe for a terminal
	Now     func() time.Time
	Chosen  string   // the id of the loop that is chosen at first
	Environ []string // of the terminal
}

// framesPerSecond is how often the screen is drawn at most, for keys.
const framesPerSecond = 20

// Run shows the panel until its user leaves it. It returns ErrNoTerminal
// if in or out is not a terminal.
func (p Panel) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	if !isTerminal(in) || !isTerminal(out) {
		return ErrNoTerminal
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	program := tea.NewProgram(p.model(ctx), tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithEnvironment(p.Environ), tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler())
	_, err := program.Run()
	if ctx.Err() != nil {
		return nil // a signal: the terminal is as it was
	}
	return err
}

func isTerminal(stream any) bool {
	file, ok := stream.(term.File)
	return ok && term.IsTerminal(file.Fd())
}

// Loop is the part of a loop that the panel shows. The fields from its history are
// shown for the chosen loop only.
type Loop struct {
	ID          string
	State       loop.State // without what may be large
	Pending     bool
	Refused     int    // promises, of those in its history
	LastRefusal string // why
	Answer      string // how the agent's last words begin
	Files       []string
}

// The sizes of what is kept, in bytes and in pieces.
const (
	keptText  = 2000
	keptParts = 20
)

// Of returns what the panel keeps of a loop.
func Of(id string, l loop.State) Loop {
	kept := Loop{ID: id}
	for _, h := range l.History {
		if h.Promise == "refused" {
			kept.Refused++
			kept.LastRefusal = short(h.Refused)
		}
		kept.Answer = cmp.Or(short(h.Answer), kept.Answer)
	}
	if n := len(l.History); n > 0 {
		kept.Files = shortAll(l.History[n-1].Files)
	}
	s := &kept.State
	*s = l
	s.History, s.Context, s.Injection.Tries = nil, shortAll(l.Context), shortAll(l.Injection.Tries)
	for _, large := range []*string{&s.Prompt, &s.CompletionPromise, &s.LastOutput, &s.Workspace, &s.Reason, &s.Verify, &s.Struggle, &s.Run.Agent, &s.Run.Driver} {
		*large = short(*large)
	}
	return kept
}

func short(s string) string { return text.Head(s, keptText) }

func shortAll(texts []string) (all []string) {
	for _, part := range texts[:min(len(texts), keptParts)] {
		all = append(all, short(part))
	}
	return all
}
