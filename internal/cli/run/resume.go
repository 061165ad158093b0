package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// resumeRun continues a run whose process has ended.
func resumeRun(ctx context.Context, e *cli.Env, r loop.Request, args []string) error {
	if len(args) > 1 {
		return hint.Misuse("too many arguments", "`cursor-ralph run --resume [id]`: the task is known already")
	}
	l, known, err := toResume(e, args)
	switch {
	case err != nil:
		return err
	case !known:
		return adopt(ctx, e, r, l)
	}
	if err := onlyLimits(e); err != nil {
		return err
	}
	if l.Run, err = agentAgain(e, l.Run); err != nil {
		return err
	}
	s, err := enter(ctx, e, l)
	if err != nil {
		return err
	}
	defer s.leave()
	return s.resume(ctx, l, r)
}

func (s *session) resume(ctx context.Context, l loop.State, r loop.Request) error {
	event := cli.ContinueEvent(r)
	event.Run, event.Text = l.Run, "The user takes the loop up again. Look at what is already done."
	l, err := s.runner.Resume(ctx, l.ConversationID, event)
	return s.ended(ctx, l, err)
}

// toResume returns the run to resume, and whether it is this user's. One that only the
// folder knows may be anybody's.
func toResume(e *cli.Env, args []string) (l loop.State, known bool, err error) {
	if len(args) == 1 {
		if err := loop.CheckID(args[0]); err != nil {
			return l, false, hint.Misuse(err.Error(), "`cursor-ralph list --all` shows the ids")
		}
		id := e.Loops.Complete(args[0])
		if l, err = e.Loops.Recorded(id); err != nil {
			return l, false, e.Unknown(id, err)
		}
		if !l.Outer() {
			return l, false, hint.New("the loop of "+id+" is one of a chat, and no run", "cursor-ralph continue "+id)
		}
		return l, true, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return l, false, err
	}
	left, leftErr := outer.Left(here)
	if leftErr == nil {
		if l, err := e.Loops.Recorded(left.ConversationID); err == nil && l.Outer() && cli.SameFolder(l.Workspace, here) {
			if last, ok := lastRunOf(e, here); ok && l.Status.Ended() && !last.Status.Ended() {
				return last, true, nil // whose place that one was to take
			}
			return l, true, nil
		}
	}
	if l, ok := lastRunOf(e, here); ok {
		return l, true, nil
	}
	if errors.Is(leftErr, fs.ErrNotExist) {
		return l, false, hint.New("no run in "+here+" can be resumed", "`cursor-ralph list --all` shows all, `cursor-ralph run --resume <id>` takes one of another folder")
	}
	left.Workspace = here
	return left, false, leftErr
}

// lastRunOf returns the live run of a folder, otherwise the resumable one that
// ended last.
func lastRunOf(e *cli.Env, folder string) (loop.State, bool) {
	if live := e.Loops.Runs(folder); len(live) > 0 {
		return live[len(live)-1], true
	}
	return e.Loops.LastEnded(func(l loop.State) bool {
		return l.Status.Resumable() && l.Outer() && cli.SameFolder(l.Workspace, folder)
	})
}

// onlyLimits refuses options that were fixed when the run began.
func onlyLimits(e *cli.Env) error {
	for _, o := range loop.Options() {
		f := e.Flags.Lookup(o.Name)
		if f != nil && f.Changed && o.Name != "max-iterations" && o.Name != "max-duration" {
			return hint.Misuse("--"+o.Name+" cannot be changed when a run is resumed", "--max-iterations, --max-duration and what concerns the agent can")
		}
	}
	if e.Text("prompt-file") != "" {
		return hint.Misuse("the task cannot be changed when a run is resumed", "`cursor-ralph context` adds to it; `cursor-ralph run` begins another")
	}
	return nil
}

// agentAgain returns the agent of a run, or the one on the command line, which does
// not know the session.
func agentAgain(e *cli.Env, was loop.Run) (loop.Run, error) {
	if !namesAgent(e) {
		if e.IsSet("print") {
			return was, hint.Misuse("--print goes with --agent", "cursor-ralph run --resume --agent "+was.Agent+" --print")
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
// Whoever wrote the repository may have written it, so only its task is used: the user
// has to name what is executed, and limits and counts start anew.
func adopt(ctx context.Context, e *cli.Env, r loop.Request, left loop.State) error {
	if !namesAgent(e) || left.Verify != "" && r.State.Verify == "" {
		return refuseForeign(e, left)
	}
	l := r.State
	var err error
	if l.Run, err = chosenAgent(e); err != nil {
		return err
	}
	l.Prompt, l.Workspace, l.Cwd, l.ConversationID = left.Prompt, left.Workspace, left.Workspace, newRunID(e.Now())
	l.Status, l.PauseReason, l.Reason = loop.Paused, loop.PauseUser, "taken over from "+outer.FolderName
	l.ArmedBy, l.Confirmed, l.Program, l.Version, l.CreatedAt, l.StartedAt = "run", true, install.Called(), loop.Version, e.Now(), e.Now()
	l.VerifyFiles = worktree.Recipe(l.Verify, l.Workspace)
	s, err := enter(ctx, e, l)
	if err != nil {
		return err
	}
	defer s.leave()
	s.view.notice(fmt.Sprintf("only the task is taken from %s; it begins at iteration 1 of %d, as %s", outer.FolderName, l.MaxIterations, l.ConversationID))
	if err := e.Store.Begin(ctx, l.ConversationID, l); err != nil {
		return err
	}
	return s.resume(ctx, l, loop.NewRequest())
}

// refuseForeign refuses a run that may be somebody else's, and says what it would do.
func refuseForeign(e *cli.Env, left loop.State) error {
	todo := fmt.Sprintf("it would give %s this task: %s", cmp.Or(left.Run.Command, left.Run.Agent), cli.Shortened(left.Prompt, 1000))
	if left.Verify != "" {
		todo += "\nand run this to verify it: " + left.Verify
	}
	todo += "\nif you want that, name what may be executed: cursor-ralph run --resume with --agent, --acp-command or --agent-command"
	if left.Verify != "" {
		todo += ", and --verify"
	}
	why := fmt.Sprintf("no record of %s is in your archive", left.ConversationID)
	if was, err := e.Loops.Recorded(left.ConversationID); err == nil {
		why = fmt.Sprintf("your %s is of %s", left.ConversationID, was.Workspace)
	}
	return hint.New(fmt.Sprintf("the run in %s is not known to be yours: %s", outer.FolderName, why), todo)
}
