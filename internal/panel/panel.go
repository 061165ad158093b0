// Package panel shows loops in a terminal, and lets its user steer them. It is
// given what it shows, and hands on what it is told: it reads no loop's file and
// decides nothing about one.
package panel

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/fsnotify/fsnotify"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ErrNoTerminal tells that there is no terminal to show anything in.
var ErrNoTerminal = errors.New("not a terminal")

// Panel is what a panel works with.
type Panel struct {
	// Look gives the loops there are, in the order in which they are shown, and
	// what could not be read.
	Look func() ([]Loop, []error)
	// Do runs a command of cursor-ralph and gives what it printed: pause, resume,
	// cancel, history and report with the id of a loop, context with a text too.
	Do func(ctx context.Context, command string, args ...string) (string, error)
	// Save puts the report about a loop into a file, and tells which.
	Save func(id, report string) (path string, err error)

	Folders []string                 // in which changes are seen
	Ours    func(path string) bool   // whether a change there matters
	Plain   func(text string) string // makes text from outside safe for a terminal
	Now     func() time.Time
	Chosen  string   // the id of the loop that is chosen at first
	Environ []string // of the terminal

	watch func() (*fsnotify.Watcher, error) // fsnotify.NewWatcher; tests have none
}

// framesPerSecond is how often the screen is drawn at most, for keys.
const framesPerSecond = 20

// Run shows the panel until its user leaves it. It gives ErrNoTerminal where
// either end is none.
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

// Loop is what is kept of a loop to show it.
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

// Of gives what is kept of a loop.
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
	kept.State = loop.State{
		Prompt: short(l.Prompt), MaxIterations: l.MaxIterations, Iterations: l.Iterations, SessionIterations: l.SessionIterations,
		CompletionPromise: short(l.CompletionPromise), Stop: l.Stop, LastOutput: short(l.LastOutput),
		ConversationID: id, Workspace: short(l.Workspace), Status: loop.Status(short(string(l.Status))),
		PauseReason: short(l.PauseReason), Reason: short(l.Reason), MaxDuration: l.MaxDuration, Verify: short(l.Verify),
		VerifyTimeout: l.VerifyTimeout, Plan: l.Plan, PlanMode: l.PlanMode, StaleAfter: l.StaleAfter,
		CreatedAt: l.CreatedAt, StartedAt: l.StartedAt, EndedAt: l.EndedAt, EventAt: l.EventAt, Rested: l.Rested,
		ToolCalls: l.ToolCalls, Context: shortAll(l.Context), Struggle: short(l.Struggle), Verifying: l.Verifying,
		Retries: l.Retries, RetryAt: l.RetryAt, Run: loop.Run{Agent: short(l.Run.Agent), Driver: short(l.Run.Driver), NoTools: l.Run.NoTools},
	}
	kept.State.Injection = l.Injection
	kept.State.Injection.Tries = shortAll(l.Injection.Tries)
	kept.State.Injection.Outcome, kept.State.Injection.Method = short(l.Injection.Outcome), short(l.Injection.Method)
	return kept
}

func shortAll(texts []string) (all []string) {
	for _, text := range texts[:min(len(texts), keptParts)] {
		all = append(all, short(text))
	}
	return all
}
