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

	"github.com/cursor-ralph/cursor-ralph/internal/panel"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// watch shows all loops in the terminal until the user leaves it.
func watch(ctx context.Context, e *env, args []string) error {
	chosen := ""
	if id, err := e.target(args); err == nil {
		chosen = id
	} else if len(args) > 0 {
		return err
	}
	if len(args) > 0 { // else the keys would steer another loop than the one that was named
		if _, err := e.find(chosen); err != nil {
			return err
		}
	}
	seen := &lookout{env: e, loops: state.NewCached(e.store, panel.Of)}
	err := panel.Panel{
		Look: seen.look, Do: e.through, Save: saveReport, Chosen: chosen,
		Folders: []string{e.places.Base, e.places.Pending(), e.places.Archive}, Ours: e.changes,
		Plain: printable, Now: e.now, Environ: os.Environ(),
	}.Run(ctx, e.stdin, e.stdout)
	if errors.Is(err, panel.ErrNoTerminal) {
		return problem("watch needs a terminal for what it shows and for your keys", "`cursor-ralph list` and `cursor-ralph status` print the same")
	}
	return err
}

// through runs a command as a command line does, and gives what it prints.
func (e *env) through(ctx context.Context, command string, args ...string) (string, error) {
	var out bytes.Buffer
	inner := &env{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: e.getenv, now: e.now}
	err := dispatch(ctx, inner, append([]string{command, "--"}, args...)) // a text may begin with a dash
	return out.String(), err
}

// changes tells whether a file that changed can be one of a loop. In the base
// folder lie other programs' files too, and the log, which tells nothing new.
func (e *env) changes(path string) bool {
	prefix, _ := e.places.LivePattern()
	if filepath.Dir(path) != e.places.Base {
		return !strings.HasSuffix(path, ".lock")
	}
	return strings.HasPrefix(filepath.Base(path), prefix) || path == e.places.Legacy() || path == e.places.Pending()
}

// saveReport writes into a new file of the current folder.
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

// lookout gives the loops again and again, and reads what has changed.
type lookout struct {
	env   *env
	loops *state.Cached[panel.Loop]

	pending, ended   part
	pendingOf        time.Time // when the folder had changed
	liveIDs, putOnes []string
}

// part is what was found at one place, and when.
type part struct {
	loops    []panel.Loop
	problems []error
	at       time.Time
}

const (
	shownEnded = 30
	// lookEvery is how long what was found is taken for what there is, where nothing
	// else tells of a change. The archive gets a copy at every stop.
	lookEvery = 2 * time.Second
)

func (o *lookout) look() (all []panel.Loop, problems []error) {
	live, problems := o.loops.Live()
	newestFirst(live)
	o.lookForPending()
	o.lookForEnded(ids(live), ids(o.pending.loops))
	known := map[string]bool{}
	for _, l := range slices.Concat(live, o.pending.loops, o.ended.loops) {
		if !known[l.ID] { // a chat whose loop has ended may have another
			all = append(all, l)
		}
		known[l.ID] = true
	}
	return all, slices.Concat(problems, o.pending.problems, o.ended.problems)
}

func newestFirst(loops []panel.Loop) {
	slices.SortStableFunc(loops, func(a, b panel.Loop) int { return b.State.StartedAt.Compare(a.State.StartedAt) })
}

func ids(loops []panel.Loop) (list []string) {
	for _, l := range loops {
		list = append(list, l.ID)
	}
	return list
}

// lookForPending reads all pending files when their folder has changed.
func (o *lookout) lookForPending() {
	var changed time.Time
	if info, err := os.Lstat(o.env.places.Pending()); err == nil {
		changed = info.ModTime()
	}
	now := o.env.now()
	if changed.Equal(o.pendingOf) && now.Sub(o.pending.at).Abs() < lookEvery && now.Sub(changed).Abs() > lookEvery {
		return
	}
	found := part{at: now}
	items, err := o.env.box.List()
	if err != nil {
		found.problems = append(found.problems, err)
	}
	for _, i := range items {
		if i.Err != nil {
			found.problems = append(found.problems, i.Err)
			continue
		}
		l := panel.Of(i.Name, i.State)
		l.Pending = !i.State.Status.Ended()
		found.loops = append(found.loops, l)
	}
	slices.SortStableFunc(found.loops, func(a, b panel.Loop) int { return b.State.CreatedAt.Compare(a.State.CreatedAt) })
	o.pending, o.pendingOf = found, changed
}

// lookForEnded looks into the archive when a loop has left another place, and now
// and then.
func (o *lookout) lookForEnded(live, put []string) {
	now := o.env.now()
	same := slices.Equal(live, o.liveIDs) && slices.Equal(put, o.putOnes)
	if same && now.Sub(o.ended.at).Abs() < lookEvery {
		return
	}
	o.liveIDs, o.putOnes = live, put
	o.ended.loops, o.ended.problems = o.loops.Ended(shownEnded)
	o.ended.at = now
	slices.SortStableFunc(o.ended.loops, func(a, b panel.Loop) int { return b.State.EndedAt.Compare(a.State.EndedAt) })
}
