// Package tui shows loops in a terminal and lets the user steer them. It gets
// what it shows from functions and runs commands through one: it reads no loop's
// file and decides nothing about a loop.
package tui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// ErrNoTerminal means that the input or output is not a terminal.
var ErrNoTerminal = errors.New("not a terminal")

// Panel is what the panel needs.
type Panel struct {
	// Loops returns all loops in the order of the screen, those that have ended last, and
	// what could not be read.
	Loops func() ([]Loop, []error)
	// Do runs a command of cursor-ralph for a loop and returns what it printed: pause,
	// resume, cancel, or context with a text.
	Do func(ctx context.Context, command, id string, args ...string) (string, error)

	Now     func() time.Time
	Home    string   // the folder that is shown as ~
	ASCII   bool     // the terminal shows no other characters
	Chosen  string   // the id of the loop that is chosen at first
	Environ []string // of the terminal
}

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

// Loop is a loop in the list.
type Loop struct {
	view.Loop        // without what may be large
	Key       string // that no other loop has
	// Details returns what is known about it, the most important first.
	Details func() []view.Detail
}

const keptText = 2000

// Of returns what the panel keeps of a loop.
func Of(key string, l view.Loop, details func() []view.Detail) Loop {
	for _, large := range []*string{&l.Prompt, &l.CompletionPromise, &l.LastOutput, &l.Workspace, &l.Reason, &l.Verify} {
		*large = text.Head(*large, keptText)
	}
	return Loop{l, key, details}
}
