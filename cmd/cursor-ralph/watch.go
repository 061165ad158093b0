package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/tui"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// watch shows all loops in the terminal until the user leaves it.
func watch(ctx context.Context, e *env, args []string) error {
	chosen := ""
	if found, err := e.Target(args); err == nil {
		chosen = found.ID
	} else if len(args) > 0 { // otherwise the keys would steer a loop that the user did not name
		return err
	}
	all := &loopsToShow{env: e, reader: e.Store.NewReader()}
	err := tui.Panel{
		Look: all.read, Whole: (&whole{loops: e.Loops}).of, Do: e.through, Save: saveReport, Chosen: chosen,
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
	env    *env
	reader *state.Reader

	ended       []tui.Loop
	unreadable  []error
	endedReadAt time.Time
	others      []string // the ids of the other loops then
}

const (
	shownEnded = 30
	endedEvery = 10 * time.Second // between two looks into the archive, unless a loop disappears elsewhere
)

// read returns live, then pending, then ended loops. A conversation is in it
// once: it may have another loop after one that ended.
func (s *loopsToShow) read() (all []tui.Loop, problems []error) {
	live, problems := s.reader.Live()
	for _, l := range live {
		all = append(all, tui.Of(l.ConversationID, l))
	}
	slices.SortStableFunc(all, func(a, b tui.Loop) int { return b.State.StartedAt.Compare(a.State.StartedAt) })
	pending, unreadable := s.pending()
	all = append(all, pending...)
	s.readEnded(all)
	known := map[string]bool{}
	all = slices.DeleteFunc(append(all, s.ended...), func(l tui.Loop) bool {
		again := known[l.ID]
		known[l.ID] = true
		return again
	})
	return all, slices.Concat(problems, unreadable, s.unreadable)
}

func (s *loopsToShow) pending() (waiting []tui.Loop, problems []error) {
	found, err := s.env.Loops.Pending()
	if err != nil {
		problems = append(problems, err)
	}
	for _, f := range found {
		if f.Err != nil {
			problems = append(problems, f.Err)
			continue
		}
		l := tui.Of(f.ID, f.State)
		l.Pending = f.IsUsable()
		waiting = append(waiting, l)
	}
	slices.SortStableFunc(waiting, func(a, b tui.Loop) int { return b.State.CreatedAt.Compare(a.State.CreatedAt) })
	return waiting, problems
}

// readEnded reads the archive when other loops have come or gone, and every
// endedEvery.
func (s *loopsToShow) readEnded(others []tui.Loop) {
	var ids []string
	for _, l := range others {
		ids = append(ids, l.ID)
	}
	now := s.env.Now()
	if slices.Equal(ids, s.others) && now.Sub(s.endedReadAt).Abs() < endedEvery {
		return
	}
	s.others, s.endedReadAt, s.ended = ids, now, nil
	var ended []loop.State
	ended, s.unreadable = s.reader.NewestEnded(shownEnded)
	for _, l := range ended {
		s.ended = append(s.ended, tui.Of(l.ConversationID, l))
	}
	slices.SortStableFunc(s.ended, func(a, b tui.Loop) int { return b.State.EndedAt.Compare(a.State.EndedAt) })
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
