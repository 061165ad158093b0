// Package render shows loops to people: status, list, history, report and log. It
// changes none.
package render

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Status shows the loop that is named, that of this chat, or those of this folder: what
// runs here, else how the last one ended. Loops elsewhere are one line.
func Status(_ context.Context, e *cli.Env, args []string) error {
	here, err := e.Here()
	if err != nil && len(args) == 0 {
		return err
	}
	found, elsewhere, err := meant(e, args, here)
	if err != nil {
		return err
	}
	if len(found) == 1 {
		found[0] = withTurn(e.Store, found[0])
	}
	if e.IsSet("json") {
		return e.JSON(standing{view.Schema, e.InFolder(here, slices.Concat(found, elsewhere))})
	}
	words := []string{e.Table(found, 0) + "\n`cursor-ralph status ID` shows one of them"}
	switch len(found) {
	case 0:
		words = []string{"No loop in " + view.Tilde(here, e.HomeFolder()) + ` yet. To start one, send /ralph-loop "<task>" in a chat in Cursor, or run: cursor-ralph start "<task>"`}
	case 1:
		words = []string{details(e, found[0])}
	}
	if len(elsewhere) > 0 {
		words = append(words, describeElsewhere(e, elsewhere))
	}
	return e.Say("%s", strings.Join(words, "\n"))
}

// standing is what status --json prints.
type standing struct {
	Schema int         `json:"schema"`
	Loops  []view.Loop `json:"loops"`
}

// meant returns the loops that status is about, and those elsewhere that have not ended.
func meant(e *cli.Env, args []string, here string) (found, elsewhere []loops.Loop, err error) {
	if len(args) > 0 {
		l, err := e.Target(args)
		return []loops.Loop{l}, nil, err
	}
	id, err := e.Conversation()
	if err != nil {
		return nil, nil, err
	}
	if l, err := e.Loops.At(id); id != "" && err == nil {
		return []loops.Loop{l}, nil, nil
	}
	return inFolder(e.Loops, here)
}

// inFolder returns the loops of this folder that have not ended, else the last one that
// ended here, or was interrupted.
func inFolder(from *loops.Loops, here string) (found, elsewhere []loops.Loop, err error) {
	all, err := from.Unended()
	if err != nil {
		return nil, nil, err
	}
	var last []loops.Loop
	for _, l := range all {
		switch {
		case !loops.Within(here, l.State.Workspace):
			elsewhere = append(elsewhere, l)
		case !l.IsInterrupted():
			found = append(found, l)
		case len(last) == 0 || l.State.EventAt.After(last[0].State.EventAt):
			last = []loops.Loop{l}
		}
	}
	if len(found) > 0 {
		return found, elsewhere, nil
	}
	ended, ok := from.LastEnded(func(l loop.State) bool { return loops.Within(here, l.Workspace) })
	if ok && (len(last) == 0 || ended.State.EndedAt.After(last[0].State.EventAt)) {
		last = []loops.Loop{ended}
	}
	return last, elsewhere, nil
}

// describeElsewhere is the line about the loops of other folders.
func describeElsewhere(e *cli.Env, elsewhere []loops.Loop) string {
	shown := e.Views(elsewhere)
	if len(shown) > 1 {
		return "elsewhere: " + describeCount(shown) + "; `cursor-ralph list` shows them"
	}
	l := shown[0]
	words := "elsewhere: " + l.ID + ", " + l.Describe() + " " + l.Progress()
	if l.Workspace != "" {
		words += ", in " + view.Tilde(l.Workspace, e.HomeFolder())
	}
	screen := e.Screen()
	if screen.Width == 0 {
		return words
	}
	return screen.Cut(text.FixedWidth(cli.Printable(words)), screen.Width)
}

func describeCount(shown []view.Loop) string {
	count := map[view.Standing]int{}
	for _, l := range shown {
		count[l.Status]++
	}
	var words []string
	for _, status := range slices.Sorted(maps.Keys(count)) {
		words = append(words, fmt.Sprintf("%d %s", count[status], status))
	}
	return strings.Join(words, ", ")
}

// withTurn adds the calls of the turn that goes on, which only its journal has.
func withTurn(store *state.Store, l loops.Loop) loops.Loop {
	if !l.IsLive() {
		return l
	}
	event := loop.Event{Kind: loop.EventStop}
	turn, _ := store.Turn(l.ID, l.State, event) // without it the calls are those up to the last stop
	if n := len(turn.Generations); n > 0 {
		event.Generation = turn.Generations[n-1] // the stop that would come has it
		turn, _ = store.Turn(l.ID, l.State, event)
	}
	l.State.ToolCalls += turn.ToolCalls
	return l
}

// ListFlags adds the flags of list.
func ListFlags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.Bool("all", false, "ended loops too, the newest last")
}

// List lists loops.
func List(_ context.Context, e *cli.Env, _ []string) error {
	all, problems, err := listed(e)
	if err != nil {
		return err
	}
	for _, p := range problems {
		e.Warn("not readable: %v", p)
	}
	switch {
	case e.IsSet("json"):
		return e.JSON(e.Views(all))
	case len(all) > 0:
		return e.Say("%s", e.Table(all, 0))
	}
	if kept, _ := e.Loops.Kept(time.Time{}); len(kept) > 0 {
		return e.Say("no loops; `cursor-ralph list --all` shows the ended ones")
	}
	return e.Say("no loops")
}

// listed returns the interrupted and the current loops, below the ended ones if they
// are asked for.
func listed(e *cli.Env) (all []loops.Loop, problems []error, err error) {
	since := e.Now()
	if e.IsSet("all") {
		since = time.Time{}
	}
	found, err := e.Loops.All(since)
	for _, l := range found {
		if l.Err != nil {
			problems = append(problems, l.Err)
		} else {
			all = append(all, l)
		}
	}
	return all, problems, err
}
