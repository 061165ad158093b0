// Package render shows loops to people: status, list, history, report and log. It
// changes none.
package render

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// StatusFlags adds the flags of status.
func StatusFlags(f *pflag.FlagSet) {
	f.Bool("json", false, "print JSON")
	f.Bool("line", false, "print one line for a status bar, nothing without a loop")
	f.Bool("stdin", false, "with --line: read the chat from the JSON that Cursor's CLI sends to a status line")
}

// Status shows the loop that is meant: the running one, several in a short list, or
// the last one that ended.
func Status(_ context.Context, e *cli.Env, args []string) error {
	switch {
	case e.IsSet("line") && e.IsSet("json"):
		return hint.Misuse("status takes --line and --json not both", "--json has all that a line is made from")
	case e.IsSet("line"):
		return line(e, args)
	}
	found, note, err := meant(e, args)
	if len(found) == 1 {
		found[0] = withTurn(e, found[0])
	}
	switch {
	case err != nil:
		return err
	case len(found) == 1 && e.IsSet("json"):
		return e.JSON(e.Views(found)[0])
	case e.IsSet("json"):
		return e.JSON(several{view.Schema, e.Views(found)})
	case len(found) == 0:
		return e.Say(`No loop yet. To start one, send /ralph-loop "<task>" in a chat in Cursor, or run: cursor-ralph start "<task>"`)
	case len(found) == 1:
		return e.Say("%s", note+details(e, found[0]))
	}
	return e.Say("%s\n`cursor-ralph status ID` shows one of them", note+e.Table(found, 0))
}

type several struct {
	Schema int         `json:"schema"`
	Loops  []view.Loop `json:"loops"`
}

// meant returns the loops that status is about, and how they were chosen, if that is
// not obvious.
func meant(e *cli.Env, args []string) (found []loops.Loop, note string, err error) {
	if len(args) > 0 {
		l, err := e.Target(args)
		return []loops.Loop{l}, "", err
	}
	id, err := e.Conversation()
	if err != nil {
		return nil, "", err
	}
	if found := ofChat(e, id); id != "" && len(found) > 0 {
		return found, "", nil
	}
	here, err := e.Here()
	if err != nil {
		return nil, "", err
	}
	return around(e, here)
}

// around returns the current loops of this folder, otherwise those that were
// interrupted here, otherwise all current ones, otherwise the one that ended last, best
// in this folder.
func around(e *cli.Env, here string) (found []loops.Loop, note string, err error) {
	all, err := e.Loops.All(e.Now())
	if err != nil {
		return nil, "", err
	}
	all = slices.DeleteFunc(all, func(l loops.Loop) bool { return !l.IsUsable() })
	current := slices.DeleteFunc(slices.Clone(all), loops.Loop.IsInterrupted)
	for _, list := range [][]loops.Loop{current, all} {
		if near, _ := loops.Nearest(here, list); len(near) > 0 {
			return near, "", nil
		}
	}
	if len(all) > 0 {
		return all, "No loop in " + view.Tilde(here, e.HomeFolder()) + ", but elsewhere:\n", nil
	}
	isHere := func(l loop.State) bool { return l.Workspace != "" && cli.Within(here, l.Workspace) }
	last, ok := e.Loops.LastEnded(isHere)
	if !ok {
		last, ok = e.Loops.LastEnded(func(loop.State) bool { return true })
	}
	if !ok {
		return nil, "", nil
	}
	return []loops.Loop{last}, "No loop runs. The last one:\n", nil
}

// withTurn adds the calls of the turn that goes on, which only its journal has.
func withTurn(e *cli.Env, l loops.Loop) loops.Loop {
	if !l.IsLive() {
		return l
	}
	event := loop.Event{Kind: loop.EventStop}
	turn, _ := e.Store.Turn(l.ID, l.State, event) // without it the calls are those up to the last stop
	if n := len(turn.Generations); n > 0 {
		event.Generation = turn.Generations[n-1] // the stop that would come has it
		turn, _ = e.Store.Turn(l.ID, l.State, event)
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
