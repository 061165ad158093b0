package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// line prints one loop, or how many there are, for a status bar. Without a loop
// it prints nothing, and that is no failure: the bar is drawn again and again.
func (e *env) line(args []string) error {
	ids, err := e.inBar(args)
	if err != nil {
		return err
	}
	var loops []loop.State
	for _, id := range ids {
		l, err := e.find(id)
		if err == nil && (len(args) > 0 || !l.Status.Ended()) {
			loops = append(loops, l)
		} else if len(args) > 0 {
			return err
		}
	}
	switch len(loops) {
	case 0:
		return nil
	case 1:
		return e.say("%s", loops[0].Line(e.now()))
	}
	return e.say("%d loops • %s", len(loops), countWords(loops))
}

// inBar gives the loops that a status bar is about: the one named, that of the
// chat, or those of the folder.
func (e *env) inBar(args []string) ([]string, error) {
	if e.isSet("stdin") {
		return e.inBarOf(args)
	}
	if len(args) > 0 {
		id, err := e.target(args)
		return []string{id}, err
	}
	if id, err := e.conversation(); id != "" || err != nil {
		return []string{id}, nil
	}
	here, err := e.here()
	if err != nil {
		return nil, nil // a folder that is gone has no loop
	}
	return e.nearest(here), nil
}

// told is what Cursor's CLI tells a status line on standard input, as far as it
// matters. It follows Claude Code's, see https://code.claude.com/docs/en/statusline.
type told struct {
	Conversation string `json:"conversation_id"`
	Session      string `json:"session_id"`
	Cwd          string `json:"cwd"`
	Workspace    struct {
		Dir string `json:"current_dir"`
	} `json:"workspace"`
}

const maxTold = 1 << 20

// inBarOf reads which chat it is. Whether the session that Cursor's CLI names is
// the conversation that its hooks name is not known, so the folder counts too.
func (e *env) inBarOf(args []string) ([]string, error) {
	if len(args) > 0 {
		return nil, misuse("--stdin tells which loop is meant", "leave out the id")
	}
	var t told
	data, err := io.ReadAll(io.LimitReader(e.stdin, maxTold))
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil {
		return nil, misuse("standard input is not what Cursor's CLI tells a status line: "+err.Error(), "without --stdin the folder tells which loop is meant")
	}
	for _, id := range []string{t.Conversation, t.Session, "agent-" + t.Session} {
		if loop.CheckID(id) != nil {
			continue
		}
		if has, err := e.store.Has(id); has && err == nil {
			return []string{id}, nil
		}
	}
	if t.Workspace.Dir != "" {
		return e.nearest(t.Workspace.Dir), nil
	}
	return e.nearest(t.Cwd), nil
}

// countWords tells how many loops have each status.
func countWords(loops []loop.State) string {
	var order []string
	count := map[string]int{}
	for _, l := range loops {
		word := strings.ToLower(l.Status.Word())
		if !slices.Contains(order, word) {
			order = append(order, word)
		}
		count[word]++
	}
	slices.Sort(order)
	for i, word := range order {
		order[i] = fmt.Sprintf("%d %s", count[word], word)
	}
	return strings.Join(order, ", ")
}
