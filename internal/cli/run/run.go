// Package run is the command that runs an agent without hooks in a loop of our own.
// The loop itself is package outer.
package run

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Run begins a run, or resumes one.
func Run(ctx context.Context, e *cli.Env, args []string) error {
	cli.OutliveReader()    // if our output's reader exits, the loop goes on
	if e.IsSet("resume") { // the run has its rules already
		r, err := e.Asked()
		if err != nil {
			return err
		}
		return resumeRun(ctx, e, r, args)
	}
	r, err := e.Request()
	if err != nil {
		return err
	}
	if err := r.Check(); err != nil {
		return hint.Misuse(err.Error(), "nothing was started")
	}
	l, err := newLoop(ctx, e, r, args)
	if err == nil && !r.IsSet("checkpoints") {
		l.Checkpoints = git.Root(l.Workspace) != ""
	}
	if err != nil {
		return err
	}
	if err := checkNoneLives(e, l.Workspace); err != nil { // before a command that may take long
		return err
	}
	if err := checkNoneWaits(e, l.Workspace, r.Replace); err != nil {
		return err
	}
	e.Warn("%s", cli.Understood(l))
	if ctx, err = e.TryVerify(ctx, l); err != nil {
		return err
	}
	return newRun(ctx, e, l, r)
}

func newLoop(ctx context.Context, e *cli.Env, r loop.Request, args []string) (loop.State, error) {
	l, err := r.State, setDefaults(e)
	if err != nil {
		return l, err
	}
	if l.Prompt, err = e.Task(args); err != nil {
		return l, err
	}
	if l.Run, err = chosenAgent(e); err != nil {
		return l, err
	}
	if l.Workspace, err = os.Getwd(); err != nil {
		return l, err
	}
	return withRunID(e.Now(), l), cmp.Or(cli.Sourced(r, engine.CheckReview(l, os.Environ()), "review"), cli.Sourced(r, cli.CheckCheckpoints(l), "checkpoints"))
}

func withRunID(now time.Time, l loop.State) loop.State {
	l.ConversationID = fmt.Sprintf("run-%s-%04x", strconv.FormatInt(now.Unix(), 36), rand.Uint32N(1<<16)) // #nosec G404 -- a name, no secret
	l.Program, l.Version = install.Called(), loop.Version
	l.Cwd, l.CreatedAt, l.StartedAt = l.Workspace, now, now
	return l.In(l.ConversationID, now)
}

func newRun(ctx context.Context, e *cli.Env, l loop.State, r loop.Request) error {
	if err := checkNoneLives(e, l.Workspace); err != nil {
		return err
	}
	ctx, s, err := enter(ctx, e, l)
	if err != nil {
		return err
	}
	defer s.leave()
	if err := s.takeOver(l.Workspace, r.Replace); err != nil {
		return err
	}
	if l.Tree, err = e.Viewer().Tree(ctx, l.Workspace, nil); err != nil {
		s.view.trouble(err)
	}
	l = l.Surveyed(s.runner.BeginSurvey(ctx, l), e.Now())
	if err := tasks.Problem(l); err != nil {
		return cli.Sourced(r, err, "tasks")
	}
	l, err = s.runner.Start(ctx, l)
	if l.Iterations > 0 { // the agent may have been silent
		s.replace.Do(s.replaceOthers)
	}
	return s.end(ctx, l, err)
}

// checkNoneLives returns an error if a run of the folder is live.
func checkNoneLives(e *cli.Env, workspace string) error {
	for _, l := range e.Loops.Runs(workspace) {
		if e.Lives(l) {
			return busyHere(workspace)
		}
	}
	return nil
}

func busyHere(workspace string) error {
	return hint.New("another run works in this workspace: "+workspace, "`cursor-ralph list` shows it, `cursor-ralph cancel` ends it")
}

// checkNoneWaits returns an error if a run of the folder can be resumed and is not to be replaced.
func checkNoneWaits(e *cli.Env, workspace string, replace bool) error {
	for _, other := range e.Loops.Runs(workspace) {
		if !replace {
			return hint.New(fmt.Sprintf("a run in this folder is %s (iteration %d of %d)", other.Status, other.Iteration(), other.MaxIterations),
				"`cursor-ralph run --resume "+other.ShortID()+"` continues it; add --replace to begin a new one instead")
		}
	}
	return nil
}

// takeOver handles the resumable runs of this folder. A new run replaces them only
// with --replace, and only once its agent has started to answer.
func (s *session) takeOver(workspace string, replace bool) error {
	if err := checkNoneWaits(s.e, workspace, replace); err != nil {
		return err
	}
	for _, other := range s.e.Loops.Runs(workspace) {
		s.others = append(s.others, other.ConversationID)
	}
	return nil
}

func (s *session) replaceOthers() {
	for _, id := range s.others {
		if _, _, err := s.e.Apply(context.Background(), id, loop.Event{Kind: loop.EventReplace}); err != nil {
			s.view.trouble(err)
		}
	}
}
