package run

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"

	"github.com/cursor-ralph/cursor-ralph/internal/agents"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/survey"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

type session struct {
	e      *cli.Env
	view   *display
	runner *outer.Runner
	lock   *outer.Lock
	driver outer.Driver
	quit   func()      // pauses the run and ends this process, as Ctrl-C does
	hush   func() bool // keeps the end of the context from being announced

	others  []string // ids of the runs that it replaces
	replace sync.Once
}

// enter locks the loop and connects the runner with the agent's driver,
// the display and the log. In each turn, the runner passes the prompt to the driver and
// calls see for what the agent does, verify if the agent has promised, and report for
// what the loop decides.
//
// The returned context is also done when the user quits.
func enter(ctx context.Context, e *cli.Env, l loop.State) (context.Context, *session, error) {
	lock, err := outer.Take(ctx, e.Places.RunLock(l.ConversationID))
	switch {
	case errors.Is(err, outer.ErrBusy):
		return ctx, nil, busyHere(l.Workspace)
	case err != nil:
		return ctx, nil, err
	}
	s := &session{e: e, lock: lock, view: newDisplay(e, l)}
	ctx, s.quit = context.WithCancel(ctx)
	s.hush = context.AfterFunc(ctx, func() { s.view.notice("stopping; press Ctrl-C again to end it now") })
	// A plan loop needs the agent to ask, whatever is permitted.
	options := agents.Options{Dir: l.Workspace, Env: os.Environ(), ID: l.ConversationID, Asks: l.Plan, Answer: s.ask}
	if s.driver, err = agents.Open(l.Run, options); err != nil {
		s.leave()
		return ctx, nil, err
	}
	s.runner = &outer.Runner{Store: e.Store, Lock: lock, Driver: s.driver, View: e.Viewer(),
		See: s.see, Verify: s.verify, Survey: s.survey, Tell: s.report}
	return ctx, s, nil
}

func (s *session) see(seen outer.Seen) {
	s.replace.Do(s.replaceOthers) // the agent has started
	s.view.see(seen)
}

// verify runs the gate round in a process of its own, as the hook does: this process
// must not adopt what the verification leaves behind.
func (s *session) verify(ctx context.Context, l loop.State) loop.Verification {
	line := hooklog.Line{Loop: l.ShortID(), Iteration: l.Iteration(), Max: l.MaxIterations, Action: "verifying", Why: l.GateNames()}
	s.log(line)
	v := cli.Self().Verify(ctx, l, l.RoundLimit())
	line.Action, line.Reason, line.Why = "verified", v.Result(), v.Summary()
	s.log(line)
	s.view.reviewed(v.Review)
	return v
}

func (s *session) survey(ctx context.Context, l loop.State, begin bool) (loop.Survey, error) {
	return survey.Survey{Places: s.e.Places, Env: os.Environ()}.Take(ctx, l, begin)
}

func (s *session) report(r outer.Report) {
	s.view.report(r)
	line := hooklog.Line{Loop: r.State.ShortID(), Iteration: r.Action.Iteration, Max: r.State.MaxIterations}
	switch r.Kind {
	case outer.ReportTurn:
		s.e.StartWatcher()
	case outer.ReportTrouble:
		line.Action, line.Why = "error", r.Err.Error()
		s.log(line)
	case outer.ReportDecided:
		line.Action, line.Promise, line.Reason, line.Why = actionWord(r), r.Action.Promise, r.Action.Reason, r.Action.Why()
		s.log(line)
	}
}

func actionWord(r outer.Report) string {
	switch {
	case r.State.Status.Ended():
		return string(r.State.Status)
	case r.Action.Reason == loop.ReasonContinued:
		return "continued"
	case r.Action.Kind == loop.Rest:
		return "rest"
	}
	return string(r.Action.Kind)
}

func (s *session) log(line hooklog.Line) {
	line.Conversation, line.Event = s.runner.ID(), "run"
	s.e.Log(line)
}

func (s *session) leave() {
	s.hush()
	s.quit()
	s.view.close()
	if s.driver != nil {
		if err := s.driver.Close(); err != nil {
			s.view.trouble(err)
		}
	}
	if err := s.lock.Leave(); err != nil {
		s.view.trouble(err)
	}
}

// end shows how a run ended and returns the command's error. Only an accepted promise
// is a success.
func (s *session) end(ctx context.Context, l loop.State, err error) error {
	s.hush()
	s.view.close()
	if errors.As(err, new(*outer.RefusedError)) { // nothing has happened
		return err
	}
	if l.ConversationID == "" || s.runner.ID() == "" {
		return withStartHint(err)
	}
	broken := err != nil && ctx.Err() == nil && !l.Status.Ended() && l.Status != loop.Paused
	if broken {
		l, err = s.unsaved(l, err)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // the verdict says so
		err = nil
	}
	err = errors.Join(withStartHint(err), s.showEnd(l, broken))
	if l.Status.Ended() {
		s.e.Prune()
	}
	if l.OnEnd != "" && l.Unannounced { // its agent has ended it
		s.e.StartOnEnd(l)
	}
	if needsNotice(l) && !s.e.IsSet("no-notify") {
		if cannot := notify.Later(s.e, l.ConversationID); cannot != nil {
			s.view.trouble(cannot)
		}
	}
	if err != nil || l.Status == loop.PromiseAccepted {
		return err
	}
	return cli.Exited(1)
}

func (s *session) showEnd(l loop.State, broken bool) error {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	s.view.loop = l
	return s.e.Say("%s", s.view.verdict(l, broken))
}

func (s *session) unsaved(l loop.State, err error) (loop.State, error) {
	if saved, cannot := s.e.Loops.Recorded(l.ConversationID); cannot == nil {
		l = saved
	}
	return l, hint.New("the run stopped because its state could not be saved: "+err.Error(),
		"fix that (`df` shows whether the disk is full), then: cursor-ralph run --resume "+l.ShortID())
}

func withStartHint(err error) error {
	var start *outer.StartError
	if errors.As(err, &start) {
		return hint.New(err.Error(), cmp.Or(start.Hint, "try the agent's own command in a terminal; with --acp-command it must speak the Agent Client Protocol"))
	}
	return err
}

// needsNotice reports whether the loop stopped for a reason other than the user's
// command.
func needsNotice(l loop.State) bool {
	switch l.Status {
	case loop.PromiseAccepted, loop.MaxIterations, loop.MaxDuration, loop.MaxTokens, loop.Blocked:
		return true
	}
	return l.Status == loop.Paused && l.PauseReason != loop.PauseUser
}
