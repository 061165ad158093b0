package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/tui"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// watch shows all loops in the terminal until the user leaves it.
func watch(ctx context.Context, e *env, args []string) error {
	chosen := ""
	if found, err := e.Target(args); err == nil {
		chosen = found.State.ShortID()
	} else if len(args) > 0 { // otherwise the keys would steer a loop that the user did not name
		return err
	}
	err := tui.Panel{
		Loops: newLoopsToShow(e).read, Do: e.forPanel,
		Now: e.Now, Home: e.HomeFolder(), ASCII: e.Screen().ASCII, Chosen: chosen, Environ: os.Environ(),
	}.Run(ctx, e.Stdin, e.Stdout)
	if errors.Is(err, tui.ErrNoTerminal) {
		return hint.New("watch needs a terminal for what it shows and for your keys", "`cursor-ralph list` and `cursor-ralph status` print the same")
	}
	return err
}

// forPanel runs a command of the panel for a loop.
func (e *env) forPanel(ctx context.Context, command, id string, args ...string) (string, error) {
	if command == "set" {
		return e.through(ctx, append(append([]string{command}, args...), "--", id))
	}
	return e.through(ctx, append([]string{command, "--", id}, args...)) // a text may begin with a dash
}

// through runs a command line and returns its output.
func (e *env) through(ctx context.Context, args []string) (string, error) {
	var out bytes.Buffer
	inner := &env{&cli.Env{Terminal: cli.Terminal{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: e.Getenv}, Now: e.Now}}
	err := inner.execute(ctx, args)
	return out.String(), err
}

// loopsToShow reads all loops for the panel.
type loopsToShow struct {
	*env
	changes *loops.Changes
	shown   map[string]tui.Loop
	ended   int // of them, at most
	whole   *whole
}

func newLoopsToShow(e *env) *loopsToShow {
	return &loopsToShow{env: e, changes: e.Loops.Changes(), shown: map[string]tui.Loop{}, whole: &whole{env: e}}
}

// read returns the loops in the order of the screen, of those that have ended the
// newest.
func (s *loopsToShow) read() (all []tui.Loop, problems []error) {
	problems = s.changes.Poll(func(c loops.Change) {
		delete(s.shown, c.Key)
		if c.Gone {
			return
		}
		s.shown[c.Key] = tui.Of(c.Key, s.View(c.State, c.IsInterrupted()), s.whole.details(c))
		if !c.State.Status.Ended() {
			return
		}
		if s.ended++; s.ended > 2*mostEnded {
			s.forgetOldest()
		}
	})
	s.forgetOldest()
	return slices.SortedFunc(maps.Values(s.shown), inOrder), problems
}

// mostEnded is how many ended loops are shown at most.
const mostEnded = 100

// forgetOldest leaves the newest of the ended loops.
func (s *loopsToShow) forgetOldest() {
	var ended []tui.Loop
	for _, l := range s.shown {
		if l.Status.Ended() {
			ended = append(ended, l)
		}
	}
	slices.SortFunc(ended, inOrder)
	for _, l := range ended[min(len(ended), mostEnded):] {
		delete(s.shown, l.Key)
	}
	s.ended = min(len(ended), mostEnded)
}

// inOrder compares two loops by their places on the screen: those that have begun, the
// pending ones, and those that have ended, each the newest first.
func inOrder(a, b tui.Loop) int {
	group := func(l tui.Loop) int {
		switch {
		case l.Status.Ended():
			return 2
		case l.Status == view.Pending || l.StartedAt.IsZero():
			return 1
		}
		return 0
	}
	return cmp.Or(group(a)-group(b), b.EndedAt.Compare(a.EndedAt), b.StartedAt.Compare(a.StartedAt), b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.Key, b.Key))
}

// whole reads the loop whose details are shown, when it has changed.
type whole struct {
	*env
	key  string
	at   time.Time
	read loops.Loop
}

// details returns the details of a loop.
func (w *whole) details(c loops.Change) func() []view.Detail {
	key, at, read := c.Key, c.At, c.Whole // and not the loop, which may be large
	return func() []view.Detail {
		if w.key != key || !w.at.Equal(at) {
			found, err := read()
			if err != nil {
				return nil // it will be seen that it is gone
			}
			w.key, w.at, w.read = key, at, found
		}
		return render.ForPanel(w.env.Env, w.read)
	}
}
