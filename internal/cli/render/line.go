package render

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// line prints one loop, or their number, for a status bar, and nothing without a loop.
func line(e *cli.Env, args []string) error {
	found, err := inBar(e, args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		found = slices.DeleteFunc(found, func(l loops.Loop) bool { return l.State.Status.Ended() })
	}
	switch shown := e.Views(found); len(shown) {
	case 0:
		return nil
	case 1:
		return e.Say("%s", shown[0].Chip())
	default:
		return e.Say("%d loops • %s", len(shown), countWords(shown))
	}
}

// inBar returns the loops of a status bar: the one named, that of the chat, or those
// of the folder.
func inBar(e *cli.Env, args []string) ([]loops.Loop, error) {
	if e.IsSet("stdin") {
		return inBarOf(e, args)
	}
	if len(args) > 0 {
		l, err := e.Target(args)
		return []loops.Loop{l}, err
	}
	if id, err := e.Conversation(); id != "" || err != nil {
		return ofChat(e, id), nil
	}
	here, err := e.Here()
	if err != nil {
		return nil, nil // a folder that is gone has no loop
	}
	return e.Nearest(here), nil
}

func ofChat(e *cli.Env, id string) []loops.Loop {
	l, err := e.Loops.At(id)
	if err != nil {
		return nil // no chat, no loop
	}
	return []loops.Loop{l}
}

// barInput is the part that we need of what Cursor's CLI sends to a status line. It
// follows Claude Code's, see https://code.claude.com/docs/en/statusline.
type barInput struct {
	Conversation string `json:"conversation_id"`
	Session      string `json:"session_id"`
	Cwd          string `json:"cwd"`
	Workspace    struct {
		Dir string `json:"current_dir"`
	} `json:"workspace"`
}

const maxTold = 1 << 20

// inBarOf finds them by standard input. It is unknown whether the session of Cursor's
// CLI is the conversation of its hooks, so the folder counts too.
func inBarOf(e *cli.Env, args []string) ([]loops.Loop, error) {
	if len(args) > 0 {
		return nil, hint.Misuse("--stdin already names the loop", "leave out the id")
	}
	var t barInput
	data, err := io.ReadAll(io.LimitReader(e.Stdin, maxTold))
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil {
		return nil, hint.Misuse("standard input is not what Cursor's CLI sends to a status line: "+err.Error(), "without --stdin, the folder decides which loop is meant")
	}
	for _, id := range []string{t.Conversation, t.Session, "agent-" + t.Session} {
		if loop.CheckID(id) != nil {
			continue
		}
		if has, err := e.Store.Has(id); has && err == nil {
			return ofChat(e, id), nil
		}
	}
	if t.Workspace.Dir != "" {
		return e.Nearest(t.Workspace.Dir), nil
	}
	return e.Nearest(t.Cwd), nil
}

func countWords(shown []view.Loop) string {
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
