package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// conversation gives the id of the chat whose agent runs us, if its shell
// tells. Cursor sets the variable only sometimes.
func (e *env) conversation() (string, error) {
	name := runVariable // the agent of a run may be one that tells of its chats too
	id := e.getenv(name)
	if id == "" {
		name = "CURSOR_CONVERSATION_ID"
		id = e.getenv(name)
	}
	if id == "" {
		return "", nil
	}
	if err := loop.CheckID(id); err != nil {
		return "", problem(name+": "+err.Error(), "unset it")
	}
	return id, nil
}

// here is where we were called, or the folder that Cursor itself names.
func (e *env) here() (string, error) {
	if v := e.getenv("CURSOR_PROJECT_DIR"); filepath.IsAbs(v) {
		return filepath.Clean(v), nil
	}
	return os.Getwd()
}

// workspace is the folder that Cursor has open, as far as can be told: the
// nearest one upwards that has .cursor in it or is a repository, else the current
// one.
func (e *env) workspace() (string, error) {
	here, err := e.here()
	if err != nil || here == filepath.Clean(e.getenv("CURSOR_PROJECT_DIR")) {
		return here, err
	}
	home := filepath.Clean(e.getenv("HOME"))
	for dir := here; dir != home; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".cursor")); err == nil || worktree.IsRepository(dir) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return here, nil
}

// target says which live loop is meant: the one named, that of this chat, or
// the only one of this workspace.
func (e *env) target(args []string) (string, error) {
	if len(args) > 1 {
		return "", misuse("too many arguments", "give at most one conversation id")
	}
	if len(args) == 1 {
		if err := loop.CheckID(args[0]); err != nil {
			return "", misuse(err.Error(), "`cursor-ralph list` shows the ids")
		}
		return e.complete(args[0]), nil
	}
	id, err := e.conversation()
	if id != "" || err != nil {
		return id, err
	}
	return e.onlyOne()
}

// complete gives the id that begins with what was typed, if one loop alone has
// such an id; else what was typed.
func (e *env) complete(typed string) string {
	if has, _ := e.store.Has(typed); has || e.store.Recorded(typed) {
		return typed
	}
	var found []string
	live, _ := e.store.List()
	for _, l := range live {
		found = append(found, l.ConversationID)
	}
	items, _ := e.box.List()
	for _, i := range items {
		found = append(found, i.Name)
	}
	beginsOtherwise := func(id string) bool { return !strings.HasPrefix(id, typed) }
	if found = slices.DeleteFunc(found, beginsOtherwise); len(found) == 0 {
		ended, _ := e.store.Records()
		for _, l := range ended {
			found = append(found, l.ConversationID)
		}
		slices.Sort(found)
		found = slices.DeleteFunc(slices.Compact(found), beginsOtherwise)
	}
	if len(found) == 1 {
		return found[0]
	}
	return typed
}

// onlyOne gives the loop of the nearest folder that has one, from here upwards:
// Cursor may have open any of them, whatever lies in it.
func (e *env) onlyOne() (string, error) {
	here, err := e.here()
	if err != nil {
		return "", err
	}
	live, _ := e.store.List()
	items, err := e.box.List()
	if err != nil {
		return "", err
	}
	ids, dir := nearest(here, live, items)
	switch len(ids) {
	case 0:
		return "", e.whichOne("no loop in "+here, live, items)
	case 1:
		return ids[0], nil
	}
	return "", e.whichOne(fmt.Sprintf("%d loops in %s", len(ids), dir), live, items)
}

// nearest gives the loops of the nearest folder that has some, upwards, without
// regard to what cannot be read.
func (e *env) nearest(here string) []string {
	if !filepath.IsAbs(here) {
		return nil
	}
	live, _ := e.store.List()
	items, _ := e.box.List()
	ids, _ := nearest(here, live, items)
	return ids
}

func nearest(here string, live []loop.State, items []pending.Item) (ids []string, dir string) {
	for dir = here; ; dir = filepath.Dir(dir) {
		if ids = in(dir, live, items); len(ids) > 0 || dir == filepath.Dir(dir) {
			return ids, dir
		}
	}
}

// within tells whether a folder is a workspace or lies in it.
func within(folder, workspace string) bool {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if platform.SameFolder(runtime.GOOS, dir, workspace) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// in gives the ids of the loops of a folder.
func in(folder string, live []loop.State, items []pending.Item) (ids []string) {
	for _, l := range live {
		if platform.SameFolder(runtime.GOOS, l.Workspace, folder) {
			ids = append(ids, l.ConversationID)
		}
	}
	for _, i := range items {
		if i.Err == nil && !i.State.Status.Ended() && platform.SameFolder(runtime.GOOS, i.State.Workspace, folder) {
			ids = append(ids, i.Name)
		}
	}
	return ids
}

// whichOne lists the loops that may have been meant.
func (e *env) whichOne(what string, live []loop.State, items []pending.Item) error {
	if len(live)+len(items) == 0 {
		return problem(what, "there is no loop now; /ralph-loop \"<task>\" in Cursor or `cursor-ralph run` starts one, `cursor-ralph list --all` shows ended ones")
	}
	var b strings.Builder
	b.WriteString("name one of these:\n")
	for _, l := range live {
		fmt.Fprintf(&b, "  %s  %s  %s\n", l.ConversationID, l.Line(e.now()), l.Workspace)
	}
	for _, i := range items {
		fmt.Fprintf(&b, "  %s  pending  %s\n", i.Name, i.State.Workspace)
	}
	return problem(what, strings.TrimSuffix(b.String(), "\n"))
}

// unknown is the error for an id that no loop has.
func (e *env) unknown(id string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return hintFor(err)
	}
	if l, err := e.store.Archived(id); err == nil && l.Status.Ended() {
		hint := fmt.Sprintf("`cursor-ralph status %s` shows its record", id)
		if l.Status != loop.PromiseAccepted && l.Status != loop.Cancelled && l.Status != loop.Replaced {
			hint += fmt.Sprintf(", `cursor-ralph %s %s` takes it up again", taker(l), id)
		}
		return problem(fmt.Sprintf("the loop of %s has ended (%s)", id, l.Status), hint)
	}
	live, _ := e.store.List()
	items, _ := e.box.List()
	if slices.ContainsFunc(items, func(i pending.Item) bool { return i.Name == id }) {
		return problem(fmt.Sprintf("the loop %s is pending: no chat has taken it yet", id), "it begins by itself; cursor-ralph cancel takes it back")
	}
	what := fmt.Sprintf("no loop in conversation %s", id)
	if n := countPrefix(id, live, items); n > 1 {
		what = fmt.Sprintf("%s fits %d loops", id, n)
	}
	var moved *state.MovedError
	if errors.As(err, &moved) {
		what = moved.Error()
	}
	return e.whichOne(what, live, items)
}

// countPrefix tells how many loops have an id that begins so.
func countPrefix(typed string, live []loop.State, items []pending.Item) (n int) {
	for _, l := range live {
		if strings.HasPrefix(l.ConversationID, typed) {
			n++
		}
	}
	for _, i := range items {
		if strings.HasPrefix(i.Name, typed) {
			n++
		}
	}
	return n
}

// hintFor adds what to do about an error of a state file.
func hintFor(err error) error {
	if errors.Is(err, loop.ErrNewer) {
		return problem(err.Error(), "update cursor-ralph; the file was left as it is")
	}
	return err
}

// splitText parts "[id] text".
func (e *env) splitText(args []string, usage string) (id, text string, err error) {
	if len(args) > 2 {
		return "", "", misuse("too many words", "put the text in quotes: "+usage)
	}
	if len(args) == 2 {
		id, args = args[0], args[1:]
	}
	text = strings.TrimSpace(strings.Join(args, " "))
	if text == "" {
		return "", "", misuse("the text is empty", usage)
	}
	if id == "" {
		id, err = e.target(nil)
	} else {
		id, err = e.target([]string{id})
	}
	return id, text, err
}
