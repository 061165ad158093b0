package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/tui"
)

// watch shows all loops in the terminal until the user leaves it.
func watch(ctx context.Context, e *env, args []string) error {
	chosen := ""
	if found, err := e.Target(args); err == nil {
		chosen = found.ID
	} else if len(args) > 0 { // otherwise the keys would steer a loop that the user did not name
		return err
	}
	err := tui.Panel{
		Look: newLoopsToShow(e).read, Whole: (&whole{loops: e.Loops}).of, Do: e.through, Save: saveReport, Chosen: chosen,
		Plain: cli.Printable, Now: e.Now, Environ: os.Environ(),
	}.Run(ctx, e.Stdin, e.Stdout)
	if errors.Is(err, tui.ErrNoTerminal) {
		return hint.New("watch needs a terminal for what it shows and for your keys", "`cursor-ralph list` and `cursor-ralph status` print the same")
	}
	return err
}

// through runs a command line and returns its output.
func (e *env) through(ctx context.Context, command string, args ...string) (string, error) {
	var out bytes.Buffer
	inner := &env{&cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: e.Getenv, Now: e.Now}}
	err := dispatch(ctx, inner, append([]string{command, "--"}, args...)) // a text may begin with a dash
	return out.String(), err
}

// saveReport writes a report into a new file of the current folder.
func saveReport(id, report string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for n := range 100 {
		name := "ralph-report-" + id
		if n > 0 {
			name += fmt.Sprintf("-%d", n+1)
		}
		path := filepath.Join(dir, name+".md")
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // #nosec G302 -- a document among those of the workspace; never into another's file, nor through a link
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			_, err = f.WriteString(report)
			err = errors.Join(err, f.Close())
		}
		return path, err
	}
	return "", fmt.Errorf("too many reports about %s in %s", id, dir)
}

// loopsToShow reads all loops for the panel.
type loopsToShow struct {
	changes *loops.Changes
	shown   map[string]tui.Loop
}

func newLoopsToShow(e *env) *loopsToShow {
	return &loopsToShow{e.Loops.Changes(false), map[string]tui.Loop{}}
}

// mostEnded is how many ended loops are kept at most.
const mostEnded = 100

// read returns live, then pending, then ended loops, in each group the newest first.
// A conversation is in it once: it may have another loop after one that ended.
func (s *loopsToShow) read() (all []tui.Loop, problems []error) {
	problems = s.changes.Look(func(c loops.Change) {
		delete(s.shown, c.Key)
		if !c.Gone {
			l := tui.Of(c.ID, c.State)
			l.Pending = c.Pending && c.IsUsable()
			s.shown[c.Key] = l
			s.forgetOldest()
		}
	})
	all = slices.SortedFunc(maps.Values(s.shown), inOrder)
	known := map[string]bool{}
	all = slices.DeleteFunc(all, func(l tui.Loop) bool {
		again := known[l.ID]
		known[l.ID] = true
		return again
	})
	return all, problems
}

// forgetOldest keeps what is shown of ended loops bounded: there may be thousands.
func (s *loopsToShow) forgetOldest() {
	if len(s.shown) < 2*mostEnded {
		return
	}
	ended := []string{}
	for key, l := range s.shown {
		if l.State.Status.Ended() {
			ended = append(ended, key)
		}
	}
	if len(ended) < 2*mostEnded {
		return
	}
	slices.SortFunc(ended, func(a, b string) int { return s.shown[b].State.EndedAt.Compare(s.shown[a].State.EndedAt) })
	for _, key := range ended[mostEnded:] {
		delete(s.shown, key)
	}
}

// inOrder compares two loops by their places on the screen.
func inOrder(a, b tui.Loop) int {
	group := func(l tui.Loop) (int, time.Time) {
		switch {
		case l.State.Status.Ended():
			return 2, l.State.EndedAt
		case l.Pending || l.State.StartedAt.IsZero():
			return 1, l.State.CreatedAt
		}
		return 0, l.State.StartedAt
	}
	groupA, atA := group(a)
	groupB, atB := group(b)
	return cmp.Or(groupA-groupB, atB.Compare(atA), b.State.CreatedAt.Compare(a.State.CreatedAt), strings.Compare(a.ID, b.ID))
}

// whole reads the history of the loop on the screen when it has changed.
type whole struct {
	loops *loops.Loops
	at    time.Time // the last event of the loop that was read
	read  tui.Loop
}

func (w *whole) of(l tui.Loop) tui.Loop {
	if l.Pending {
		return l
	}
	if w.read.ID != l.ID || !w.at.Equal(l.State.EventAt) {
		found, err := w.loops.Recorded(l.ID)
		if err != nil {
			return l // it will be seen that it is gone
		}
		w.read, w.at = tui.Of(l.ID, found), l.State.EventAt
	}
	l.Refused, l.LastRefusal, l.Answer, l.Files = w.read.Refused, w.read.LastRefusal, w.read.Answer, w.read.Files
	return l
}
