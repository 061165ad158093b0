package run

import (
	"context"
	"os"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func resumeRun(ctx context.Context, e *cli.Env, r loop.Request, args []string) error {
	var l loop.State
	var err error
	switch len(args) {
	case 0:
		l, err = runHere(e)
	case 1:
		l, err = runByID(e, args[0])
	default:
		err = hint.Misuse("too many arguments", "`cursor-ralph run --resume [id]`: the run has its task already")
	}
	if err != nil {
		return err
	}
	if err := checkOnlyLimits(e.Options); err != nil {
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

// runHere returns the run to resume in the current folder.
func runHere(e *cli.Env) (l loop.State, err error) {
	here, err := os.Getwd()
	if err != nil {
		return l, err
	}
	l, ok := lastRunOf(e.Loops, here)
	if !ok {
		err = hint.New("no run in "+here+" can be resumed", "`cursor-ralph list --all` shows all runs, `cursor-ralph run --resume <id>` resumes one of another folder")
	}
	return l, err
}

func lastRunOf(all *loops.Loops, folder string) (loop.State, bool) {
	if live := all.Runs(folder); len(live) > 0 {
		return live[len(live)-1], true
	}
	l, ok := all.LastEnded(func(l loop.State) bool {
		return l.Status.Resumable() && l.Outer() && cli.SameFolder(l.Workspace, folder)
	})
	return l.State, ok
}

func checkOnlyLimits(given cli.Options) error {
	for _, o := range loop.Options() {
		f := given.Flags.Lookup(o.Name)
		if f != nil && (f.Changed || given.IsSet("no-"+o.Name)) && !loop.IsLimit(o.Name) {
			return hint.Misuse("--"+o.Name+" cannot be changed when a run is resumed", "--max-iterations, --max-duration, --max-tokens and the agent's options can")
		}
	}
	if given.Flags.Changed("file") {
		return hint.Misuse("the task cannot be changed when a run is resumed", "`cursor-ralph context` adds to it; `cursor-ralph run` begins a new run")
	}
	return nil
}

// agentAgain returns the agent of a run, or the one on the command line, which does
// not know the session.
func agentAgain(e *cli.Env, was loop.Run) (loop.Run, error) {
	if !namesAgent(e.Options) {
		return withAgentFlags(e, was)
	}
	now, err := chosenAgent(e)
	if now.Agent == was.Agent && now.Driver == was.Driver && now.Command == was.Command {
		now.Session = was.Session
	}
	return now, err
}
