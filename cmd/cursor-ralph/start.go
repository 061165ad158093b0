package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// startFlags offers the options of a loop, from the list that the slash
// command has too.
func startFlags(f *pflag.FlagSet) {
	cli.TaskFlag(f)
	for _, o := range loop.Options() {
		cli.AddOption(f, o, o.Usage)
	}
	cli.AddWithout(f)
	cli.TryFlag(f)
}

func start(ctx context.Context, e *env, args []string) error {
	r, err := e.Request()
	if err != nil {
		return err
	}
	if err := r.Check(); err != nil {
		return hint.Misuse(err.Error(), "nothing was started")
	}
	if r.State.Prompt, err = e.Task(args); err != nil {
		return err
	}
	r.File, _ = e.Flags.GetString("file")
	return e.begin(ctx, r, false, nil)
}

// begin starts a loop, or confirms that the prompt hook has armed it already. An agent's
// call gets the task. unset is what is wrong with the user's defaults; it prevents a new loop.
func (e *env) begin(ctx context.Context, r loop.Request, forAgent bool, unset error) error {
	l, err := e.placed(ctx, r)
	if !forAgent && l.ConversationID == "" { // begun prints the task to an agent alone
		l = l.Started()
		l.ByLine = true
	}
	if err == nil {
		err = e.usable(ctx, r, l)
	}
	if err != nil {
		return err
	}
	if forAgent { // a user at a terminal wants a loop of his own
		if done, err := e.confirm(ctx, r, l); done || err != nil {
			return err
		}
	}
	if err := cmp.Or(unset, e.mayBegin(r, forAgent)); err != nil {
		return err
	}
	if !forAgent && l.ConversationID == "" { // at a terminal: an agent's call runs nothing
		if ctx, err = e.TryVerify(ctx, l); err != nil {
			return err
		}
	}
	l, ctx, cancel := e.surveyed(ctx, l)
	defer cancel()
	if err := tasks.Problem(l); err != nil {
		return cli.Sourced(r, err, "tasks")
	}
	if err := e.Loops.Put(ctx, l); err != nil {
		return err
	}
	if !forAgent {
		if err := e.replacePending(ctx, l); err != nil {
			return err
		}
	}
	return e.begun(l, forAgent)
}

// mayBegin refuses an agent's line that only the user may send: it names a program to run or leaves out a gate of the user's, or
// ends another loop.
func (e *env) mayBegin(r loop.Request, forAgent bool) error {
	if !forAgent {
		return nil
	}
	c, _ := e.Config() // what is wrong with it is said by the caller
	for _, name := range []string{"verify", "review", "on-end", "tasks", "replace"} {
		switch {
		case name == "replace" && !r.Replace, name != "replace" && !r.Given(name):
		case name == "tasks" && slices.Contains([]string{"", r.State.Tasks}, c.Get("loop.tasks").Text): // a list is no program
		default:
			return hint.New("--"+name+": this line came from the agent, and may not be the user's", "nothing was started. Ask the user to send it where the prompt hook sees it (`cursor-ralph doctor` checks that), or to run `cursor-ralph start` in a terminal")
		}
	}
	return nil
}

// placed fills in whose loop it is, and what its workspace looks like before it.
func (e *env) placed(ctx context.Context, r loop.Request) (loop.State, error) {
	l := r.State
	l.Replace, l.Program = r.Replace, install.Called()
	var err error
	if l.ConversationID, err = e.Conversation(); err != nil {
		return l, err
	}
	if l.Cwd, err = os.Getwd(); err != nil {
		return l, err
	}
	if l.Workspace, err = e.Workspace(); err != nil {
		return l, err
	}
	l.Tree, _ = e.Viewer().Tree(ctx, l.Workspace, nil) // without it the first iteration has nothing to be compared with
	return l.In(l.ConversationID, e.Now()), nil
}

// surveyed adds the survey of its beginning to a loop. A survey may take longer than a
// lock, so the time for what follows begins after it.
func (e *env) surveyed(ctx context.Context, l loop.State) (loop.State, context.Context, context.CancelFunc) {
	v := e.engine().TakeSurvey(context.WithoutCancel(ctx), l, true)
	for _, why := range v.Errors {
		e.Warn("%s", why)
	}
	if v.Taken {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, cli.LockWait)
	return l.Surveyed(v, e.Now()), ctx, cancel
}

// tellUser has the agent repeat how the user's line was understood.
const tellUser = "Begin by telling the user this line. %s\n"

// begun prints what happens now.
func (e *env) begun(l loop.State, forAgent bool) error {
	if !forAgent && l.ConversationID == "" {
		e.Warn("%s", cli.Understood(l))
		return e.Say("%s", e.howToBegin(l))
	}
	fmt.Fprintf(e.Stdout, tellUser, cli.Understood(l))
	_, err := fmt.Fprint(e.Stdout, l.StartText())
	return err
}

// replacePending has a loop that waits for any chat take the place of the others that
// wait in its workspace, if that is wanted.
func (e *env) replacePending(ctx context.Context, l loop.State) error {
	if !l.Replace || l.ConversationID != "" {
		return nil
	}
	for _, o := range e.waitingIn(l.Workspace) {
		if o.State.ShortID() == l.ShortID() {
			continue
		}
		if _, _, err := e.Steer(ctx, o, loop.Event{Kind: loop.EventReplace}); err != nil {
			return err
		}
		e.Warn("it takes the place of %s", o.State.ShortID())
	}
	return nil
}

// waitingIn returns the loops that wait for any chat in a workspace.
func (e *env) waitingIn(workspace string) (waiting []loops.Loop) {
	current, _ := e.Loops.Usable() // it was written there just now
	for _, o := range current {
		if o.IsForAnyChat() && cli.SameFolder(o.State.Workspace, workspace) {
			waiting = append(waiting, o)
		}
	}
	return waiting
}

// noHook warns if no hook would take a loop in a workspace.
func (e *env) noHook(workspace string) string {
	if e.isHooked(workspace, commands.Installation.Any) || install.InAnyHost(e.Env) {
		return ""
	}
	return "\nBut our hook is in no hooks.json, so no chat takes it: cursor-ralph install"
}

// isHooked reports whether our hook is installed for a workspace in a way that will do.
func (e *env) isHooked(workspace string, willDo func(commands.Installation) bool) bool {
	files := append(install.HookFiles(e.Env), filepath.Join(workspace, ".cursor", "hooks.json"), install.MachineHooks(runtime.GOOS))
	return len(install.Registered(e.Env)) > 0 || slices.ContainsFunc(files, func(path string) bool { return willDo(install.InstalledAt(path)) })
}

// confirm looks for the same loop, armed by the prompt hook that saw the raw message.
// A late call does not bring back a cancelled one. If several chats of the workspace
// have this task, the agent gets no id, so that it cannot steer another chat's loop.
func (e *env) confirm(ctx context.Context, r loop.Request, l loop.State) (done bool, err error) {
	candidates, err := e.candidates(l)
	if err != nil {
		return false, err
	}
	unconfirmed := slices.DeleteFunc(slices.Clone(candidates), func(other loop.State) bool { return !e.sameLoop(l, other) })
	switch {
	case len(unconfirmed) > 0:
	case len(candidates) > 0 && l.ConversationID == "" && !l.Replace: // an agent of one of these chats
		unconfirmed = candidates
	default:
		return false, e.refuseEnded(l)
	}
	if err := refuseOther(r, unconfirmed[0]); err != nil {
		return false, err
	}
	for _, other := range unconfirmed {
		err = errors.Join(err, e.confirmOne(ctx, confirmation(l), other))
	}
	told := unconfirmed[0]
	told.Program = l.Program
	if len(candidates) > 1 {
		told.ConversationID = ""
	}
	_, failed := fmt.Fprint(e.Stdout, "The loop is armed already; this call confirms it.\n"+fmt.Sprintf(tellUser, cli.Understood(told))+"\n"+told.StartText())
	return true, errors.Join(err, failed)
}

// refuseOther refuses a second line with the same task and other options, which would
// have no effect. At the first call about a line that the hook saw, the line counts, unless
// the loop would lack a gate.
func refuseOther(r loop.Request, other loop.State) error {
	differing, limits := render.Differences(r, other)
	if len(differing) == 0 || other.IsUnconfirmed() && !other.LacksGateOf(r) {
		return nil
	}
	id := other.ShortID()
	advice := "nothing was changed. To begin anew with these options, the user adds --replace; `cursor-ralph cancel " + id + "` ends the loop"
	if limits != "" {
		advice = "nothing was changed. `cursor-ralph continue " + id + limits + "` sets the new limit; to begin anew, the user adds --replace"
	}
	return hint.New(fmt.Sprintf("the loop %s of this chat has the same task and other options: %s", id, strings.Join(differing, ", ")), advice)
}

// confirmOne surveys a loop's beginning if the prompt hook could not, or did not wait for
// it. At a later call the beginning is over.
func (e *env) confirmOne(ctx context.Context, confirm loop.Event, other loop.State) error {
	if other.SurveyedAt.IsZero() && other.IsUnconfirmed() && other.Iterations == 0 {
		confirm.Survey = e.engine().TakeSurvey(context.WithoutCancel(ctx), other, true)
	}
	if confirm.Survey.Taken { // it may take longer than a lock
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), cli.LockWait)
		defer cancel()
		ctx = late
	}
	_, _, err := e.Loops.Apply(ctx, other.ConversationID, confirm)
	return err
}

// candidates returns the loops that a call may be about: that of its chat, or, if the
// chat is unknown, all with this task in its workspace.
func (e *env) candidates(l loop.State) (found []loop.State, err error) {
	current, err := e.Loops.Usable()
	for _, c := range current {
		other := c.State
		other.ConversationID = c.ID
		if e.sameLoop(l, other) || l.ConversationID == "" && l.SameTask(other) && inPlaceOf(l, other) {
			found = append(found, other)
		}
	}
	return found, err
}

func confirmation(l loop.State) loop.Event {
	return loop.Event{Kind: loop.EventConfirm, Text: l.Program, Observation: loop.Observation{Tree: l.Tree}}
}

// sameLoop reports whether l asks for other once more. If the conversation is unknown,
// other must be an unconfirmed loop of this workspace that the prompt hook armed.
// Replacing a confirmed loop asks for a new one, even with the same task.
func (e *env) sameLoop(l, other loop.State) bool {
	if !l.SameTask(other) || l.Replace && !other.IsUnconfirmed() {
		return false
	}
	if l.ConversationID != "" {
		return l.ConversationID == other.ConversationID
	}
	return other.IsUnconfirmed() && inPlaceOf(l, other)
}

// inPlaceOf reports whether two loops have the same workspace, which the first may
// have guessed from its current folder.
func inPlaceOf(l, other loop.State) bool {
	return cli.SameFolder(l.Workspace, other.Workspace) || cli.SameFolder(l.Cwd, other.Workspace)
}

// refuseEnded keeps a late call from bringing back a loop that the user has just
// ended.
func (e *env) refuseEnded(l loop.State) error {
	for _, other := range e.Store.EndedSince(e.Now().Add(-lateCall)) {
		if e.Now().Sub(other.EndedAt).Abs() < lateCall && e.sameLoop(l, other) && other.IsUnconfirmed() {
			return hint.New(fmt.Sprintf("this loop has ended already (%s)", other.Status), "do not start it; the user can send the /ralph-loop line again")
		}
	}
	return nil
}

// lateCall is the most time between the user's message and the agent's call.
const lateCall = 10 * time.Minute
