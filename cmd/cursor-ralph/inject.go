package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// The patience of an injection, besides its --wait.
const (
	exitWait    = 10 * time.Second // for the hook that started it to end
	turnWait    = time.Minute      // for another loop's injection to be over
	longestWait = time.Minute      // for the line to arrive: an injection is not open for ever
	typeWait    = 30 * time.Second // for all ways of typing together
	arrivalWait = 30 * time.Second // for the line to arrive, unless --wait says otherwise
	statePoll   = 10 * time.Millisecond
	duePoll     = 200 * time.Millisecond
)

func injectFlags(f *pflag.FlagSet) {
	f.Bool("dry-run", false, "press nothing; tell which ways of typing would work")
	f.Duration("wait", arrivalWait, "wait for the time `D` until the line has arrived, at most a minute")
	typingFlags(f)
	f.Bool("any", false, "with --dry-run: one way that works is enough")
	f.String("injection", "", "the `ID` under which the hook began it")
	f.Int("after", 0, "the process `ID` of the hook, which has to be over first")
	for _, name := range []string{"any", "injection", "after"} {
		f.Lookup(name).Hidden = true
	}
}

// typingFlags are the settings of typing; the hook has them from hooks.json.
func typingFlags(f *pflag.FlagSet) {
	f.String("method", "", "this way of typing alone: `NAME`")
	f.String("injectors", "", "the ways of typing to try, in this order: `NAMES`")
	f.String("focus-keys", "", "`KEYS` to press before the line, such as ctrl+i, to get the focus into the chat input")
	f.Bool("type-unchecked", false, "also where nothing can tell which window has the focus")
}

// ways gives the injectors that are asked for, and a target without a line. What
// is typed for a loop is guarded, and the guard told whose injection it is.
func (e *env) ways(guarded ...string) ([]keystroke.Injector, keystroke.Target, error) {
	settings, err := e.typingSettings()
	if err != nil {
		return nil, keystroke.Target{}, err
	}
	if settings.Injectors == "none" {
		return nil, keystroke.Target{}, turnedOff{}
	}
	injectors, err := e.injectors(settings.Injectors, guarded)
	if err != nil {
		return nil, keystroke.Target{}, misuse(err.Error(), "`cursor-ralph doctor` shows the ways of typing that work here")
	}
	keys, err := keystroke.ParseChord(settings.FocusKeys)
	if err != nil {
		return nil, keystroke.Target{}, misuse("--focus-keys: "+err.Error(), "give keys such as ctrl+i")
	}
	return injectors, keystroke.Target{
		Editors: keystroke.Editors(e.configured), FocusKeys: keys, Unchecked: settings.Unchecked,
	}, nil
}

// turnedOff is the error of an installation that types nothing.
type turnedOff struct{}

func (turnedOff) Error() string { return "typing is turned off (--injectors none)" }

// Hint says what to do.
func (turnedOff) Hint() string {
	return "`cursor-ralph install --injectors ''` turns it on; --method NAME types once"
}

// typingSettings are those of the command line. For a user, who gave none, they
// are those that the hook has; but a project's file, which may come from
// somebody else, consents to nothing. Where neither says anything the user's
// settings do; if these cannot be read nothing is typed, for they may forbid it.
func (e *env) typingSettings() (commands.Typing, error) {
	var s commands.Typing
	if e.text("injection") == "" && !e.isSet("any") { // the hook has given all it has
		user, _ := e.cursorFolder("") // empty without a home
		for _, path := range e.hookFiles() {
			raw, err := readSmall(path)
			if err == nil && bytes.Contains(raw, []byte("cursor-ralph-hook")) {
				unchecked := s.Unchecked
				s = commands.InstalledTyping(raw)
				s.Unchecked = unchecked || s.Unchecked && filepath.Dir(path) == user
			}
		}
	}
	for _, f := range []struct {
		name string
		to   *string
	}{{"injectors", &s.Injectors}, {"method", &s.Injectors}, {"focus-keys", &s.FocusKeys}} {
		if e.flags.Changed(f.name) {
			*f.to = e.text(f.name)
		}
	}
	c, err := e.config()
	s.Injectors = cmp.Or(s.Injectors, c.Get("typing.injectors").Text)
	s.FocusKeys = cmp.Or(s.FocusKeys, c.Get("typing.focus-keys").Text)
	s.Unchecked = s.Unchecked || c.Get("typing.type-unchecked").Text == "true"
	if e.flags.Changed("type-unchecked") {
		s.Unchecked = e.isSet("type-unchecked")
	}
	return s, err
}

// injectors makes those with the given names, and without any name those of the
// desktop.
func (e *env) injectors(names string, guarded []string) ([]keystroke.Injector, error) {
	if names == "" {
		return keystroke.Injectors(e.machine(guarded), nil)
	}
	return keystroke.Injectors(e.machine(guarded), strings.Split(names, ","))
}

// machine is this one, as keystroke needs it. Its guard gets arguments, by which
// it can report an injection should the typer die.
func (e *env) machine(guarded []string) keystroke.Machine {
	m := keystroke.Machine{Desktop: platform.FindDesktop(runtime.GOOS, e.configured), OS: runtime.GOOS, Env: os.Environ()}
	self, err := os.Executable()
	if err != nil {
		return m
	}
	m.Guard = slices.Concat([]string{self, "guard", "--"}, guarded)
	name := strings.Replace(filepath.Base(self), "cursor-ralph", "cursor-ralph-robotgo", 1)
	if helper := filepath.Join(filepath.Dir(self), name); isFile(helper) {
		m.Robotgo = helper
	}
	return m
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// inject types the continue line of a loop into Cursor. The hook starts it at
// the session limit, and users run it by hand.
func inject(ctx context.Context, e *env, args []string) error {
	id, err := e.target(args)
	if err != nil {
		return err
	}
	ways, target, err := e.ways()
	if err != nil {
		return err
	}
	if _, err := e.waitFlag(); err != nil {
		return err
	}
	l, err := e.store.Read(id)
	if err != nil {
		return e.unknown(id, err)
	}
	target.Line, target.Workspace = loop.ContinueLine(id), l.Workspace
	if e.isSet("dry-run") {
		return e.tryDry(ctx, ways, target)
	}
	injection := e.text("injection")
	if injection == "" { // at once, so that a second start is refused
		l, _, err := e.apply(ctx, id, loop.Event{Kind: loop.EventInject})
		if err != nil {
			return err
		}
		injection = l.Injection.ID
	}
	if err := e.awaitDue(ctx, id, injection); err != nil {
		return e.giveUp(ctx, id, injection, err)
	}
	release, err := e.myTurn(ctx)
	if err != nil {
		return e.giveUp(ctx, id, injection, err)
	}
	failed := e.injectLocked(ctx, id, injection, target)
	return errors.Join(failed, release())
}

// waitFlag is how long to wait for the line to arrive. A slash command has no
// such flag, and types nothing.
func (e *env) waitFlag() (time.Duration, error) {
	f := e.flags.Lookup("wait")
	if f == nil {
		return arrivalWait, nil
	}
	wait, err := e.flags.GetDuration("wait")
	if err != nil || wait < 0 || wait > longestWait {
		return 0, misuse(fmt.Sprintf("--wait %s is not possible", f.Value), fmt.Sprintf("give a duration up to %s", longestWait))
	}
	return wait, nil
}

// myTurn waits until the hook is over and nobody else types.
func (e *env) myTurn(ctx context.Context) (release func() error, err error) {
	if err := e.awaitHook(ctx); err != nil {
		return nil, err
	}
	return e.lockTyping(ctx)
}

// giveUp reports an injection that did not get as far as to type. If it is over
// already there is nothing to report.
func (e *env) giveUp(ctx context.Context, id, injection string, why error) error {
	l, err := e.find(id)
	if err != nil {
		return errors.Join(why, err)
	}
	if i, ok := l.InjectionOf(injection); !ok || i.Outcome != "" {
		e.logInjection(id, "not-typed", why.Error())
		return nil
	}
	o := keystroke.Outcome{Tries: []keystroke.Try{{Name: "none", Err: why}}}
	return e.report(context.WithoutCancel(ctx), id, injection, o, 0)
}

// tryDry tells which ways of typing would work, and fails if none would.
func (e *env) tryDry(ctx context.Context, ways []keystroke.Injector, t keystroke.Target) error {
	works := false
	for i, err := range keystroke.ProbeAll(ctx, ways, t) {
		works = works || err == nil
		if err := e.say("%s", wouldWork(ways[i].Name(), err)); err != nil {
			return err
		}
		if works && e.isSet("any") {
			break
		}
	}
	if !works {
		return problem("no way of typing works here and now", "`cursor-ralph doctor` tells what would help; the line can always be typed by hand: "+t.Line)
	}
	return nil
}

func wouldWork(name string, err error) string {
	if err != nil {
		return name + ": would not work: " + err.Error()
	}
	return name + ": would work"
}

// awaitDue waits until the line may be typed: a failed turn is tried again after
// a while, in which the user may do something else.
func (e *env) awaitDue(ctx context.Context, id, injection string) error {
	for {
		if err := e.wanted(id, injection); err != nil {
			return err
		}
		l, err := e.store.Read(id)
		if err != nil || !e.now().Before(l.Injection.DueAt) {
			return err
		}
		if err := sleep(ctx, min(duePoll, l.Injection.DueAt.Sub(e.now()))); err != nil {
			return err
		}
	}
}

// awaitHook waits for the end of the hook that started us: until then its turn
// is not over.
func (e *env) awaitHook(ctx context.Context) error {
	pid, _ := e.flags.GetInt("after") // resume, which no hook starts, does not have the flag
	if pid <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, exitWait)
	defer cancel()
	for !platform.Gone(pid) {
		if err := sleep(ctx, statePoll); err != nil {
			return fmt.Errorf("the hook did not end: %w", err)
		}
	}
	return nil
}

// lockTyping lets one of us type at a time: there is one keyboard and one
// clipboard.
func (e *env) lockTyping(ctx context.Context) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	if err := ownfile.Folder(e.places.Pending()); err != nil {
		return nil, err
	}
	return ownfile.Lock(ctx, filepath.Join(e.places.Pending(), ".typing.lock"))
}

func (e *env) injectLocked(ctx context.Context, id, injection string, t keystroke.Target) error {
	if err := e.wanted(id, injection); err != nil {
		return e.giveUp(ctx, id, injection, err)
	}
	ways, _, err := e.ways(id, injection)
	if err != nil {
		return err
	}
	wait, err := e.waitFlag()
	if err != nil {
		return err
	}
	began := e.now()
	t.Permit = func(context.Context) error { return e.wanted(id, injection) }
	t.Arrived = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		return e.awaitArrival(ctx, id, injection)
	}
	t.Step = func(words string) { e.logInjection(id, "step", words) }
	typing, cancel := context.WithTimeout(ctx, typeWait+wait)
	defer cancel()
	outcome := keystroke.Type(typing, ways, t)
	return e.report(context.WithoutCancel(ctx), id, injection, outcome, e.now().Sub(began))
}

// wanted is asked before each key: the user may have paused, cancelled or gone
// on meanwhile.
func (e *env) wanted(id, injection string) error {
	l, err := e.store.Read(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("the loop has ended")
	case err != nil:
		return err
	case !l.Injecting(injection, e.now()):
		return fmt.Errorf("the loop does not wait for it any more (%s)", l.Status)
	}
	return nil
}

// awaitArrival waits for the evidence: the prompt hook saw the line in its
// conversation, or the agent asked for the continuation.
func (e *env) awaitArrival(ctx context.Context, id, injection string) error {
	for {
		l, err := e.find(id)
		if err != nil {
			return err
		}
		switch i, ok := l.InjectionOf(injection); {
		case !ok:
			return errors.New("the loop knows nothing of it")
		case i.Outcome == loop.Arrived:
			return nil
		case i.Outcome != "":
			return errors.New(i.Outcome)
		}
		if err := sleep(ctx, statePoll); err != nil {
			return errors.New("no hook saw it and no agent asked for the continuation")
		}
	}
}

// report writes down how it went, and where it did not work has the user type
// the line.
func (e *env) report(ctx context.Context, id, injection string, o keystroke.Outcome, took time.Duration) error {
	done := loop.Injection{ID: injection, Outcome: loop.Arrived, Method: o.Method(), Milliseconds: took.Milliseconds()}
	for _, t := range o.Tries {
		if t.Err != nil {
			done.Tries = append(done.Tries, t.Name+": "+t.Err.Error())
		}
	}
	failed := o.Err()
	if failed != nil {
		done.Outcome = strings.ReplaceAll(failed.Error(), "\n", "; ")
	}
	l, _, err := e.store.Apply(ctx, id, loop.Event{Kind: loop.EventInjected, Injection: done})
	if err != nil {
		return errors.Join(err, failed)
	}
	if i, ok := l.InjectionOf(injection); ok {
		done = i // what was seen of it counts
	}
	e.logInjection(id, "injected", fmt.Sprintf("%s in %d ms: %s", done.Method, done.Milliseconds, done.Outcome))
	if done.Outcome == loop.Arrived {
		return e.say("typed by %s, and arrived", done.Method)
	}
	if l.Status == loop.Waiting && l.Rested && l.Injection.ID == injection {
		e.handOver(ctx, l)
	}
	return problem("the line did not arrive: "+done.Outcome, "type it yourself: "+loop.ContinueLine(id)+"\nor open "+loop.PromptLink(id))
}

// handOver leaves the line on the clipboard and tells the user.
func (e *env) handOver(ctx context.Context, l loop.State) {
	if err := keystroke.Copy(ctx, e.machine(nil), loop.ContinueLine(l.ConversationID)); err != nil {
		e.logInjection(l.ConversationID, "error", "the line was not left on the clipboard: "+err.Error())
	} else {
		e.logInjection(l.ConversationID, "step", "the line was left on the clipboard")
	}
	if e.mayNotify() {
		_ = e.showNotification(l) // it has told the log
	}
}

func (e *env) logInjection(id, action, why string) {
	line := hooklog.Line{At: e.now(), Conversation: id, Event: "inject", Action: action, Why: why}
	_ = hooklog.Append(e.places.Log(), line) // what matters is in the loop's history too
}

// sleep waits, unless ctx is done before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
