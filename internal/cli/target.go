package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// SameFile reports whether two paths lead to one file.
func SameFile(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// SameFolder reports whether two paths name one folder.
func SameFolder(a, b string) bool { return platform.SameFolder(runtime.GOOS, a, b) }

// HomeFolder returns the home folder of the user.
func (e *Env) HomeFolder() string { return platform.Home(runtime.GOOS, e.Getenv) }

// Conversation returns the id of the chat or run whose agent called us, empty if
// the environment does not have it. Cursor sets the variable only sometimes.
func (e *Env) Conversation() (string, error) {
	name := outer.RunVariable // first: the agent of a run may have chats of its own
	id := e.Getenv(name)
	for _, other := range ChatVariables() {
		if id == "" {
			name, id = other, e.Getenv(other)
		}
	}
	if id == "" {
		return "", nil
	}
	if err := loop.CheckID(id); err != nil {
		return "", hint.New(name+": "+err.Error(), "unset it")
	}
	return id, nil
}

// ChatVariables are those in which a shell of an agent has the id of its chat.
func ChatVariables() []string {
	list := []string{"CURSOR_CONVERSATION_ID"}
	for _, h := range host.All() {
		if h.ID != "" {
			list = append(list, h.ID)
		}
	}
	return list
}

// Here returns the folder that Cursor names, otherwise the current one.
func (e *Env) Here() (string, error) {
	if dir := e.projectDir(); filepath.IsAbs(dir) {
		return dir, nil
	}
	return os.Getwd()
}

// projectDir returns the folder that Cursor names, "." if it names none.
func (e *Env) projectDir() string {
	return filepath.Clean(platform.Folder(runtime.GOOS, e.Getenv("CURSOR_PROJECT_DIR")))
}

// Workspace returns the folder that Cursor most likely has open: the nearest one
// upwards that contains .cursor or is a repository, otherwise the current one.
// The home folder has the user's own .cursor, so it does not count.
func (e *Env) Workspace() (string, error) {
	here, err := e.Here()
	if err != nil || here == e.projectDir() {
		return here, err
	}
	for dir := here; !SameFile(dir, e.HomeFolder()); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".cursor")); err == nil || git.IsRepository(dir) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return here, nil
}

// Target returns the loop that a command is about: the one named, that of this chat,
// or the only one of this workspace.
func (e *Env) Target(args []string) (loops.Loop, error) {
	l, err := e.meant(args)
	if err == nil {
		err = e.Allow(e.Flags.Name(), &l)
	}
	return l, err
}

func (e *Env) meant(args []string) (loops.Loop, error) {
	if len(args) > 1 { // of a slash command
		return loops.Loop{}, hint.Misuse("too many arguments", "give at most one id")
	}
	if len(args) == 1 {
		return e.Named(args[0])
	}
	id, err := e.Conversation()
	if err != nil {
		return loops.Loop{}, err
	}
	if id != "" {
		l, err := e.Loops.At(id)
		return l, e.unknown(id, err)
	}
	return e.onlyOne()
}

// Named returns the loop that the user named by an id or by the beginning of one.
func (e *Env) Named(typed string) (loops.Loop, error) {
	if err := loop.CheckID(typed); err != nil {
		return loops.Loop{}, hint.Misuse(err.Error(), "`cursor-ralph list` shows the ids")
	}
	l, err := e.Loops.Resolve(typed)
	return l, e.unknown(typed, err)
}

func (e *Env) onlyOne() (loops.Loop, error) {
	here, err := e.Here()
	if err != nil {
		return loops.Loop{}, err
	}
	all, err := e.Loops.Unended()
	if err != nil {
		return loops.Loop{}, err
	}
	near, dir := loops.Nearest(here, slices.DeleteFunc(slices.Clone(all), loops.Loop.IsInterrupted))
	if len(near) == 0 {
		near, dir = loops.Nearest(here, all)
	}
	switch len(near) {
	case 0:
		return loops.Loop{}, e.noneIn(here)
	case 1:
		return e.Loops.Whole(near[0])
	}
	what := fmt.Sprintf("%d loops in %s", len(near), dir)
	if e.ByAgent() { // an agent would pick one, and perhaps end the loop of another chat
		return loops.Loop{}, hint.New(what+", and it is unknown which belongs to this chat", "the message that brings you back names its id: use that, and no other")
	}
	return loops.Loop{}, e.whichOne(what, near)
}

// noneIn explains that a folder has no loop. An agent is not told how to continue what
// its user has ended.
func (e *Env) noneIn(here string) error {
	what, unended := "no loop in "+here, e.unended()
	if len(unended) == 0 && !e.ByAgent() {
		isHere := func(l loop.State) bool { return loops.Within(here, l.Workspace) }
		if last, ok := e.Loops.LastEnded(isHere); ok {
			return hint.New(what, fmt.Sprintf("the last one, %s, has ended (%s); %s", last.State.ShortID(), last.State.Status, WhenEnded(last.State, e.Now())))
		}
	}
	return e.whichOne(what, unended)
}

// Nearest returns the loops of the nearest folder that has any.
func (e *Env) Nearest(here string) []loops.Loop {
	if !filepath.IsAbs(here) {
		return nil
	}
	current, _ := e.Loops.Current() // doctor shows what cannot be read
	near, _ := loops.Nearest(here, current)
	return near
}

const mostNamed = 20

func (e *Env) whichOne(what string, from []loops.Loop) error {
	from = slices.DeleteFunc(slices.Clone(from), func(l loops.Loop) bool { return l.ID == "" || l.Err != nil })
	if len(from) == 0 {
		return hint.New(what, "/ralph-loop \"<task>\" in Cursor or `cursor-ralph run` starts one, `cursor-ralph list --all` shows ended ones")
	}
	if more := len(from) - mostNamed; more > 0 {
		return hint.New(what, fmt.Sprintf("name one of these, or of %d more, which `cursor-ralph list --all` shows:\n%s", more, e.Table(from[more:], len(hint.Indent))))
	}
	return hint.New(what, "name one of these:\n"+e.Table(from, len(hint.Indent)))
}

func (e *Env) unknown(typed string, err error) error {
	var moved *state.MovedError
	var several *loops.AmbiguousError
	switch {
	case errors.As(err, &several):
		return e.whichOne(several.Error(), several.Fit)
	case !errors.Is(err, fs.ErrNotExist):
		return loops.Hinted(err)
	}
	what := "there is no loop " + typed
	if errors.As(err, &moved) {
		what = moved.Error()
	}
	return e.whichOne(what, e.unended())
}

func (e *Env) unended() []loops.Loop {
	all, _ := e.Loops.All(e.Now()) // doctor shows what cannot be read
	return all
}

// NotLive explains why a loop that was found cannot be steered now, nil if it can.
func (e *Env) NotLive(l loops.Loop) error {
	id := l.State.ShortID()
	switch {
	case l.Pending:
		return hint.New(fmt.Sprintf("the loop %s is pending: no chat has taken it yet", id), "send "+loop.ContinueLine(id)+" in a chat to begin it; cursor-ralph cancel "+id+" takes it back")
	case l.IsInterrupted():
		return hint.New(fmt.Sprintf("the loop %s is interrupted: its file is gone, as after a restart", id), "to continue: cursor-ralph continue "+id)
	case !l.IsLive():
		return hint.New(fmt.Sprintf("the loop %s has ended (%s)", id, l.State.Status), WhenEnded(l.State, e.Now()))
	}
	return nil
}

// WhenEnded returns how to continue a loop, or why nothing does.
func WhenEnded(l loop.State, now time.Time) string {
	command := l.ResumeCommand(now)
	switch {
	case command != "":
		return "to continue: " + command
	case l.Outer():
		return "it cannot be continued; start another with cursor-ralph run"
	}
	return fmt.Sprintf("it cannot be continued; `cursor-ralph status %s` shows its record", l.ShortID())
}

// Lives reports whether the process of a run exists.
func (e *Env) Lives(l loop.State) bool {
	there, err := outer.Lives(e.Places.RunLock(l.ConversationID))
	return there && err == nil // another user's folder has none of our runs
}

func (e *Env) isLoop(text string) bool {
	current, _ := e.Loops.Current() // doctor shows what cannot be read
	return slices.ContainsFunc(current, func(l loops.Loop) bool { return text == l.ID || text == l.State.ShortID() })
}

// isID reports whether a word is a whole id: that of a loop, also of one that has ended or cannot be read, or a word that can hardly be
// another.
func (e *Env) isID(word string) bool {
	if e.isLoop(word) || loop.IsShortID(word) && strings.ContainsAny(word, "0123456789") {
		return true
	}
	l, err := e.Loops.Resolve(word)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*loops.AmbiguousError))
	}
	return l.ID == word || l.State.ShortID() == word
}

// SplitText splits "[id] text".
func (e *Env) SplitText(args []string, usage string) (l loops.Loop, text string, err error) {
	var named []string
	switch {
	case len(args) > 1 && args[0] == "": // a script's variable that is not set
		args = args[1:]
	case len(args) > 1 && e.isID(args[0]):
		named, args = args[:1], args[1:]
	}
	text = strings.TrimSpace(strings.Join(args, " "))
	if text == "" || named == nil && len(args) == 1 && e.isLoop(text) {
		return l, "", hint.Misuse("the text is missing", usage)
	}
	l, err = e.Target(named)
	return l, text, err
}
