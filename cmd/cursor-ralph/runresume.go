package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

func sameFolder(a, b string) bool { return platform.SameFolder(runtime.GOOS, a, b) }

// resumeRun goes on with a run whose process has ended.
func (e *env) resumeRun(ctx context.Context, r loop.Request, args []string) error {
	if len(args) > 1 {
		return misuse("too many arguments", "`cursor-ralph run --resume [id]`: the task is known already")
	}
	l, known, err := e.toResume(args)
	switch {
	case err != nil:
		return err
	case !known:
		return e.adopt(ctx, r, l)
	}
	if err := e.onlyLimits(); err != nil {
		return err
	}
	if l.Run, err = e.agentAgain(l.Run); err != nil {
		return err
	}
	s, err := e.enter(ctx, l)
	if err != nil {
		return err
	}
	defer s.leave()
	return s.resume(ctx, l, r)
}

func (s *session) resume(ctx context.Context, l loop.State, r loop.Request) error {
	event := continueEvent(r)
	event.Run, event.Text = l.Run, "The user takes the loop up again. Look at what is already done."
	l, err := s.runner.Resume(ctx, l.ConversationID, event)
	return s.ended(ctx, l, err)
}

// toResume finds the run that is meant, and tells whether it is one of this
// user's. One that lies in the folder alone may be anybody's.
func (e *env) toResume(args []string) (l loop.State, known bool, err error) {
	if len(args) == 1 {
		if err := loop.CheckID(args[0]); err != nil {
			return l, false, misuse(err.Error(), "`cursor-ralph list --all` shows the ids")
		}
		id := e.complete(args[0])
		if l, err = e.recorded(id); err != nil {
			return l, false, e.unknown(id, err)
		}
		if !l.Outer() {
			return l, false, problem("the loop of "+id+" is one of a chat, and no run", "cursor-ralph continue "+id)
		}
		return l, true, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return l, false, err
	}
	left, leftErr := outer.Left(here)
	if leftErr == nil {
		if l, err := e.recorded(left.ConversationID); err == nil && l.Outer() && sameFolder(l.Workspace, here) {
			if last, ok := e.lastRunOf(here); ok && l.Status.Ended() && !last.Status.Ended() {
				return last, true, nil // whose place that one was to take
			}
			return l, true, nil
		}
	}
	if l, ok := e.lastRunOf(here); ok {
		return l, true, nil
	}
	if errors.Is(leftErr, fs.ErrNotExist) {
		return l, false, problem("no run in "+here+" can be resumed", "`cursor-ralph list --all` shows all, `cursor-ralph run --resume <id>` takes one of another folder")
	}
	left.Workspace = here
	return left, false, leftErr
}

// recorded gives a loop that is live or in the archive.
func (e *env) recorded(id string) (loop.State, error) {
	l, err := e.store.Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		l, err = e.store.Archived(id)
	}
	return l, err
}

// lastRunOf gives the run of a folder that is live, or that ended last and can
// be taken up again.
func (e *env) lastRunOf(folder string) (loop.State, bool) {
	live, _ := e.store.List() // what cannot be read is told by list
	ended, _ := e.store.Records()
	ended = slices.DeleteFunc(ended, func(l loop.State) bool {
		return l.Status == loop.PromiseAccepted || l.Status == loop.Cancelled || l.Status == loop.Replaced
	})
	for _, l := range slices.Backward(append(ended, live...)) {
		if l.Outer() && sameFolder(l.Workspace, folder) {
			return l, true
		}
	}
	return loop.State{}, false
}

// onlyLimits refuses options that say what was said when the run began.
func (e *env) onlyLimits() error {
	for _, o := range loop.Options() {
		f := e.flags.Lookup(o.Name)
		if f != nil && f.Changed && o.Name != "max-iterations" && o.Name != "max-duration" {
			return misuse("--"+o.Name+" cannot be changed when a run is resumed", "--max-iterations, --max-duration and what concerns the agent can")
		}
	}
	if e.text("prompt-file") != "" {
		return misuse("the task cannot be changed when a run is resumed", "`cursor-ralph context` adds to it; `cursor-ralph run` begins another")
	}
	return nil
}

// agentAgain is the agent of a run, or another one if the command line says so.
// Another one knows nothing of the session.
func (e *env) agentAgain(was loop.Run) (loop.Run, error) {
	if !e.namesAgent() {
		if e.isSet("print") {
			return was, misuse("--print goes with --agent", "cursor-ralph run --resume --agent "+was.Agent+" --print")
		}
		return e.withAgentFlags(was)
	}
	now, err := e.chosenAgent()
	if now.Agent == was.Agent && now.Driver == was.Driver && now.Command == was.Command {
		now.Session = was.Session
	}
	return now, err
}

// adopt goes on with a run that only its folder knows, such as one of another
// machine. Who wrote the repository may have written it: so of what it would
// execute nothing is, unless the user names it, and of the rest only what a run
// needs is taken.
func (e *env) adopt(ctx context.Context, r loop.Request, left loop.State) error {
	if !e.namesAgent() || left.Verify != "" && r.State.Verify == "" {
		return e.strange(left)
	}
	l := r.State
	var err error
	if l.Run, err = e.chosenAgent(); err != nil {
		return err
	}
	l.Prompt, l.Workspace, l.Cwd, l.ConversationID = left.Prompt, left.Workspace, left.Workspace, left.ConversationID
	if _, err := e.recorded(left.ConversationID); !errors.Is(err, fs.ErrNotExist) {
		l.ConversationID = newRunID(e.now()) // the folder is a copy: the loop of that name is another
	}
	l.Iterations, l.ToolCalls, l.LastOutput = left.Iterations, left.ToolCalls, ""
	l.History = left.History[max(0, len(left.History)-loop.KeptHistory):]
	l.Status, l.PauseReason, l.Reason = loop.Paused, "user", "taken over from "+outer.FolderName
	l.ArmedBy, l.Confirmed, l.Program, l.Version, l.CreatedAt, l.StartedAt = "run", true, called(), loop.Version, e.now(), e.now()
	l.VerifyFiles = worktree.Recipe(l.Verify, l.Workspace)
	if !r.Given("max-iterations") {
		l.MaxIterations = left.MaxIterations
	}
	s, err := e.enter(ctx, l)
	if err != nil {
		return err
	}
	defer s.leave()
	if err := e.store.Begin(ctx, l.ConversationID, l); err != nil {
		return err
	}
	return s.resume(ctx, l, loop.NewRequest())
}

// strange refuses a run of somebody's, and says what it would do.
func (e *env) strange(left loop.State) error {
	hint := fmt.Sprintf("it would give %s this task: %s", cmp.Or(left.Run.Command, left.Run.Agent), shortened(left.Prompt, 1000))
	if left.Verify != "" {
		hint += "\nand run this to verify it: " + left.Verify
	}
	hint += "\nif you want that, name what may be executed: cursor-ralph run --resume with --agent, --acp-command or --agent-command"
	if left.Verify != "" {
		hint += ", and --verify"
	}
	why := fmt.Sprintf("no record of %s is in your archive", left.ConversationID)
	if was, err := e.recorded(left.ConversationID); err == nil {
		why = fmt.Sprintf("your %s is of %s", left.ConversationID, was.Workspace)
	}
	return problem(fmt.Sprintf("the run in %s is not known to be yours: %s", outer.FolderName, why), hint)
}
