package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/review"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

func resumeRun(ctx context.Context, e *cli.Env, r loop.Request, args []string) error {
	var l loop.State
	known, err := true, error(nil)
	switch len(args) {
	case 0:
		l, known, err = runHere(e)
	case 1:
		l, err = runByID(e, args[0])
	default:
		err = hint.Misuse("too many arguments", "`cursor-ralph run --resume [id]`: the run has its task already")
	}
	switch {
	case err != nil:
		return err
	case !known:
		return adopt(ctx, e, r, l)
	}
	if err := checkOnlyLimits(e); err != nil {
		return err
	}
	if l.Run, err = agentAgain(e, l.Run); err != nil {
		return err
	}
	ctx, s, err := enter(ctx, e, l)
	if err != nil {
		return err
	}
	defer s.leave()
	return s.resume(ctx, l, r)
}

func (s *session) resume(ctx context.Context, l loop.State, r loop.Request) error {
	event := loop.Event{Kind: loop.EventContinue, Continue: r.Limits()}
	event.Run, event.Text = l.Run, "The user resumed the loop. Look at what is already done."
	l, err := s.runner.Resume(ctx, l.ConversationID, event)
	return s.end(ctx, l, err)
}

func runByID(e *cli.Env, id string) (l loop.State, err error) {
	found, err := e.Named(id)
	if err != nil {
		return l, err
	}
	if l = found.State; !l.Outer() {
		return l, hint.New("the loop "+l.ShortID()+" belongs to a chat, not to `cursor-ralph run`", "cursor-ralph continue "+l.ShortID())
	}
	return l, nil
}

// runHere returns the run to resume in the current folder. known is false if we have
// no record of it: then anybody may have written its state.
func runHere(e *cli.Env) (l loop.State, known bool, err error) {
	here, err := os.Getwd()
	if err != nil {
		return l, false, err
	}
	last, hasLast := lastRunOf(e, here)
	left, err := outer.Left(here)
	if err == nil {
		l, err := e.Loops.Recorded(left.ConversationID)
		isOurs := err == nil && l.Outer() && cli.SameFolder(l.Workspace, here)
		wasToReplaceLast := hasLast && l.Status.Ended() && !last.Status.Ended()
		if isOurs && !wasToReplaceLast {
			return l, true, nil
		}
	}
	switch {
	case hasLast:
		return last, true, nil
	case errors.Is(err, fs.ErrNotExist):
		return l, false, hint.New("no run in "+here+" can be resumed", "`cursor-ralph list --all` shows all runs, `cursor-ralph run --resume <id>` resumes one of another folder")
	}
	left.Workspace = here
	return left, false, err
}

func lastRunOf(e *cli.Env, folder string) (loop.State, bool) {
	if live := e.Loops.Runs(folder); len(live) > 0 {
		return live[len(live)-1], true
	}
	l, ok := e.Loops.LastEnded(func(l loop.State) bool {
		return l.Status.Resumable() && l.Outer() && cli.SameFolder(l.Workspace, folder)
	})
	return l.State, ok
}

func checkOnlyLimits(e *cli.Env) error {
	for _, o := range loop.Options() {
		f := e.Flags.Lookup(o.Name)
		if f != nil && (f.Changed || e.IsSet("no-"+o.Name)) && !loop.IsLimit(o.Name) {
			return hint.Misuse("--"+o.Name+" cannot be changed when a run is resumed", "--max-iterations, --max-duration, --max-tokens and the agent's options can")
		}
	}
	if e.Flags.Changed("file") {
		return hint.Misuse("the task cannot be changed when a run is resumed", "`cursor-ralph context` adds to it; `cursor-ralph run` begins a new run")
	}
	return nil
}

// agentAgain returns the agent of a run, or the one on the command line, which does
// not know the session.
func agentAgain(e *cli.Env, was loop.Run) (loop.Run, error) {
	if !namesAgent(e) {
		if e.IsSet("print") {
			return was, hint.Misuse("--print needs --agent", "cursor-ralph run --resume --agent "+was.Agent+" --print")
		}
		return withAgentFlags(e, was)
	}
	now, err := chosenAgent(e)
	if now.Agent == was.Agent && now.Driver == was.Driver && now.Command == was.Command {
		now.Session = was.Session
	}
	return now, err
}

// adopt takes over a run that only its folder knows, such as one of another machine.
// Whoever wrote the repository may have written it, so we use only its task: the user
// must name what to execute, and limits and counts start anew.
func adopt(ctx context.Context, e *cli.Env, r loop.Request, left loop.State) error {
	if !namesAgent(e) || lacksGate(left, r.State) {
		return refuseForeign(e, left)
	}
	l := r.State
	var err error
	if l.Run, err = chosenAgent(e); err != nil {
		return err
	}
	l.Prompt, l.Workspace = left.Prompt, left.Workspace
	l.Status, l.PauseReason, l.Reason = loop.Paused, loop.PauseUser, "taken over from "+outer.FolderName
	if err := review.Check(l, os.Environ()); err != nil {
		return err
	}
	l = withRunID(e, l)
	ctx, s, err := enter(ctx, e, l)
	if err != nil {
		return err
	}
	defer s.leave()
	s.view.notice(fmt.Sprintf("only the task is taken from %s; it begins at iteration 1 of %d, as %s", outer.FolderName, l.MaxIterations, l.ShortID()))
	if err := e.Store.Begin(ctx, l.ConversationID, l); err != nil {
		return err
	}
	return s.resume(ctx, l, loop.NewRequest())
}

// lacksGate reports whether a run that is taken over would lose one of its gates.
func lacksGate(left, now loop.State) bool {
	return left.Verify != "" && now.Verify == "" || left.Tasks != "" && now.Tasks == "" || left.Review != "" && now.Review == ""
}

func refuseForeign(e *cli.Env, left loop.State) error {
	todo := fmt.Sprintf("it would give %s this task: %s", cmp.Or(left.Run.Command, left.Run.Agent), cli.Shortened(left.Prompt, 1000))
	flags := "--agent, --acp-command or --agent-command"
	if left.Verify != "" {
		todo += "\nand run this to verify it: " + left.Verify
		flags += ", and --verify"
	}
	if left.Tasks != "" {
		todo += "\nand accept its promise only with no open task in: " + left.Tasks
		flags += ", and --tasks"
	}
	if left.Review != "" {
		todo += "\nand have it reviewed by: " + left.Review
		flags += ", and --review"
	}
	todo += "\nif you want that, name what may be executed: cursor-ralph run --resume with " + flags
	why := fmt.Sprintf("your archive has no record of %s", left.ConversationID)
	if was, err := e.Loops.Recorded(left.ConversationID); err == nil {
		why = fmt.Sprintf("your %s is in %s", left.ConversationID, was.Workspace)
	}
	return hint.New(fmt.Sprintf("the run in %s may not be yours: %s", outer.FolderName, why), todo)
}
