package render

import (
	"context"
	"slices"
	"strings"

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
		return e.JSON(e.View(found[0], false))
	case e.IsSet("json"):
		return e.JSON(several{view.Schema, viewsOf(e, found)})
	case len(found) == 0:
		return e.Say(`No loop yet. To start one, send /ralph-loop "<task>" in a chat in Cursor, or run: cursor-ralph start "<task>"`)
	case len(found) == 1:
		return e.Say("%s", note+details(e, found[0]))
	}
	return e.Say("%s`cursor-ralph status ID` shows one of them", note+table(e, found))
}

// several is what status --json prints where there is not exactly one loop.
type several struct {
	Schema int         `json:"schema"`
	Loops  []view.Loop `json:"loops"`
}

// meant returns the loops that status is about, and how they were chosen, if that is
// not obvious.
func meant(e *cli.Env, args []string) (found []loop.State, note string, err error) {
	if len(args) > 0 {
		l, err := named(e, args)
		return []loop.State{l}, "", err
	}
	id, err := e.Conversation()
	if err != nil {
		return nil, "", err
	}
	if l, err := e.Loops.Find(id); err == nil && id != "" {
		return []loop.State{l}, "", nil
	}
	here, err := e.Here()
	if err != nil {
		return nil, "", err
	}
	return around(e, here)
}

func named(e *cli.Env, args []string) (loop.State, error) {
	id, err := e.Target(args)
	if err != nil {
		return loop.State{}, err
	}
	return e.Find(id)
}

// around returns the current loops of this folder, otherwise all current ones,
// otherwise the one that ended last, best in this folder.
func around(e *cli.Env, here string) (found []loop.State, note string, err error) {
	current, err := e.Loops.Usable()
	if err != nil {
		return nil, "", err
	}
	ids, _ := loops.Nearest(here, current)
	for _, l := range current {
		if len(ids) == 0 || slices.Contains(ids, l.ID) {
			found = append(found, l.State)
		}
	}
	folder := view.Tilde(here, e.HomeFolder())
	switch {
	case len(ids) > 0:
		return found, "", nil
	case len(found) > 0:
		return found, "No loop in " + folder + ", but elsewhere:\n", nil
	}
	ended, _ := e.Loops.Ended() // doctor shows what cannot be read
	slices.Reverse(ended)
	last := max(0, slices.IndexFunc(ended, func(l loop.State) bool { return l.Workspace != "" && cli.Within(here, l.Workspace) }))
	if len(ended) == 0 {
		return nil, "", nil
	}
	return ended[last : last+1], "No loop runs. The last one:\n", nil
}

// withTurn adds the calls of the turn that goes on, which only its journal has.
func withTurn(e *cli.Env, l loop.State) loop.State {
	if has, _ := e.Store.Has(l.ConversationID); !has {
		return l
	}
	event := loop.Event{Kind: loop.EventStop}
	turn, _ := e.Store.Turn(l.ConversationID, l, event) // without it the calls are those up to the last stop
	if n := len(turn.Generations); n > 0 {
		event.Generation = turn.Generations[n-1] // the stop that would come has it
		turn, _ = e.Store.Turn(l.ConversationID, l, event)
	}
	l.ToolCalls += turn.ToolCalls
	return l
}

func viewsOf(e *cli.Env, all []loop.State) []view.Loop {
	views := []view.Loop{}
	for _, l := range all {
		views = append(views, e.View(l, false))
	}
	return views
}

func table(e *cli.Env, all []loop.State) string {
	var rows []view.Row
	for _, l := range viewsOf(e, all) {
		rows = append(rows, l.Row(e.Now(), e.HomeFolder()))
	}
	return e.Screen().Table(rows)
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
		return e.JSON(viewsOf(e, all))
	case len(all) > 0:
		return e.Say("%s", strings.TrimSuffix(table(e, all), "\n"))
	}
	if ended, _ := e.Loops.Ended(); len(ended) > 0 {
		return e.Say("no loops; `cursor-ralph list --all` shows the ended ones")
	}
	return e.Say("no loops")
}

// listed returns the current loops, below the ended ones if they are asked for.
func listed(e *cli.Env) (all []loop.State, problems []error, err error) {
	if e.IsSet("all") {
		all, problems = e.Loops.Ended()
	}
	current, err := e.Loops.Current()
	for _, l := range current {
		if l.Err != nil {
			problems = append(problems, l.Err)
			continue
		}
		all = append(all, l.State)
	}
	return all, problems, err
}
