// Package run is the command that runs an agent in a loop of our own, for agents
// that have no hooks. The loop itself is package outer.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/words"
	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// Flags adds the flags of run.
func Flags(f *pflag.FlagSet) {
	f.String("agent", "", "the `NAME` of an agent: "+strings.Join(agentNames(), ", "))
	f.String("acp-command", "", "a `COMMAND` that speaks the Agent Client Protocol")
	f.String("agent-command", "", "a `COMMAND` that takes the prompt on standard input, or as {prompt}, and prints what it does")
	f.Bool("print", false, "run the agent in its print mode, where it has both")
	f.String("model", "", "the `MODEL` that the agent uses")
	f.StringArray("agent-args", nil, "further `ARGUMENTS` for the agent; may be given more than once")
	f.String("permissions", "", "`WHAT` the agent may do: ask, edits, all or none (default ask, which needs a terminal and the protocol)")
	f.Bool("fresh", false, "begin a new session of the agent for each iteration")
	f.String("prompt-file", "", "read the task from `FILE`")
	f.Bool("resume", false, "go on with the last run of this folder, or with the one whose id stands for the task")
	f.Bool("no-notify", false, "show no notification at the end")
	f.Bool("json", false, "print an object in JSON for each thing that happens")
	for _, o := range loop.Options() {
		usage := o.Usage
		switch o.Name {
		case "on-error":
			usage = "`WHAT` to do when a turn fails: pause, or retry (default pause)"
		case "plan":
			usage = "the agent plans and describes, and changes nothing"
		case "replace":
			usage = "take the place of a run in this folder that was ended and can be resumed"
		case "stale-after":
			continue
		}
		cli.AddOption(f, o, usage)
	}
}

// Run runs an agent in a loop of our own, for agents without hooks.
func Run(ctx context.Context, e *cli.Env, args []string) error {
	cli.OutliveReader()    // the loop is not to end for that, nor to be left as if it ran
	if e.IsSet("resume") { // its rules came with it
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
	if err := runDefaults(e); err != nil {
		return err
	}
	l := r.State
	if l.Prompt, err = task(e, args); err != nil {
		return err
	}
	if l.Run, err = chosenAgent(e); err != nil {
		return err
	}
	if l.Workspace, err = os.Getwd(); err != nil {
		return err
	}
	l.PromptTemplate = words.Path(l.PromptTemplate, l.Workspace)
	if err := words.Check(ctx, l); err != nil {
		return err
	}
	return newRun(ctx, e, l, r.Replace)
}

// runDefaults sets the flags that were not given from the settings. The model applies
// only to the agent in the settings.
func runDefaults(e *cli.Env) error {
	c, err := e.Config()
	if err != nil {
		return err
	}
	byDefault := func(name string) error {
		v := c.Get("run." + name)
		if v.From == config.BuiltIn || e.Flags.Changed(name) {
			return nil
		}
		return e.Flags.Set(name, v.Text)
	}
	agent := c.Get("run.agent").Text
	if e.Text("acp-command") == "" && e.Text("agent-command") == "" {
		err = byDefault("agent")
	}
	if agent == "" || e.Text("agent") == agent {
		err = errors.Join(err, byDefault("model"))
	}
	if e.Text("agent-command") == "" {
		err = errors.Join(err, byDefault("permissions"))
	}
	return errors.Join(err, byDefault("fresh"))
}

// task returns the task from the command line, a file or standard input.
func task(e *cli.Env, args []string) (string, error) {
	text, file := strings.Join(args, " "), e.Text("prompt-file")
	switch {
	case file != "" && len(args) > 0:
		return "", hint.Misuse("there is a task on the command line and one in "+file, "give one of them")
	case file != "":
		data, err := cli.ReadSmall(file)
		if err != nil {
			return "", hint.New("read the task: "+err.Error(), "--prompt-file takes a file of text")
		}
		text = string(data)
	case text == "-":
		data, err := io.ReadAll(io.LimitReader(e.Stdin, cli.MaxTask+1))
		if err != nil || len(data) > cli.MaxTask {
			return "", errors.Join(hint.New("the task on standard input cannot be read, or is too large", ""), err)
		}
		text = string(data)
	}
	switch text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")); {
	case text == "":
		return "", hint.Misuse("the task is empty", `cursor-ralph run "<task>" --agent NAME`)
	case !utf8.ValidString(text):
		return "", hint.Misuse("the task is not valid UTF-8 text", "nothing was started")
	}
	return text, nil
}

// newRun begins a run in the current folder.
func newRun(ctx context.Context, e *cli.Env, l loop.State, replace bool) error {
	l.ConversationID, l.ArmedBy, l.Confirmed, l.Program = newRunID(e.Now()), "run", true, install.Called()
	l.Cwd, l.Version, l.CreatedAt, l.StartedAt = l.Workspace, loop.Version, e.Now(), e.Now()
	if err := noneLives(e, l.Workspace); err != nil {
		return err
	}
	s, err := enter(ctx, e, l)
	if err != nil {
		return err
	}
	defer s.leave()
	if err := s.makeRoom(ctx, l, replace); err != nil {
		return err
	}
	var cannot error
	if l.Tree, cannot = worktree.Look(ctx, l.Workspace, nil, os.Environ()); cannot != nil {
		s.view.trouble(cannot)
	}
	l.VerifyFiles = worktree.Recipe(l.Verify, l.Workspace)
	l, err = s.runner.Start(ctx, l)
	if l.Iterations > 0 { // its agent may have said nothing
		s.replace.Do(func() { s.replaceOthers(context.WithoutCancel(ctx)) })
	}
	return s.ended(ctx, l, err)
}

// newRunID names the loop of a run.
func newRunID(now time.Time) string {
	return fmt.Sprintf("run-%s-%04x", strconv.FormatInt(now.Unix(), 36), rand.Uint32N(1<<16)) // #nosec G404 -- a name, no secret
}

// noneLives refuses to begin beside a live run of the folder. Enter would miss one
// whose agent has deleted .ralph.
func noneLives(e *cli.Env, workspace string) error {
	for _, l := range e.Loops.Runs(workspace) {
		if e.Lives(l) {
			return busyHere(workspace)
		}
	}
	return nil
}

func busyHere(workspace string) error {
	return hint.New(fmt.Sprintf("%s: %s", outer.ErrBusy, workspace), "`cursor-ralph list` shows it, `cursor-ralph cancel` ends it")
}

// makeRoom handles the resumable runs of this folder: a new run replaces them only
// with --replace, and only once its agent has started to answer.
func (s *session) makeRoom(ctx context.Context, l loop.State, replace bool) error {
	for _, other := range s.e.Loops.Runs(l.Workspace) {
		if !replace {
			return hint.New(fmt.Sprintf("a run in this folder is %s (iteration %d of %d)", other.Status, other.Iteration(), other.MaxIterations),
				"`cursor-ralph run --resume "+other.ConversationID+"` goes on with it; add --replace to begin a new one in its place")
		}
		s.others = append(s.others, other.ConversationID)
	}
	s.runner.See = func(seen outer.Seen) {
		s.replace.Do(func() { s.replaceOthers(ctx) })
		s.view.see(seen)
	}
	return nil
}

func (s *session) replaceOthers(ctx context.Context) {
	for _, id := range s.others {
		if _, _, err := s.e.Apply(ctx, id, loop.Event{Kind: loop.EventReplace}); err != nil {
			s.view.trouble(err)
		}
	}
}

// session is a run while it lives.
type session struct {
	e      *cli.Env
	view   *runView
	runner *outer.Runner
	folder *outer.Folder
	driver outer.Driver

	others  []string // runs whose place it takes
	replace sync.Once
}

// enter takes the workspace of a loop, and makes all ready.
func enter(ctx context.Context, e *cli.Env, l loop.State) (*session, error) {
	folder, err := outer.Enter(ctx, l.Workspace, e.Places.RunLock(l.ConversationID))
	switch {
	case errors.Is(err, outer.ErrBusy):
		return nil, busyHere(l.Workspace)
	case err != nil:
		return nil, hint.New(err.Error(), "a run keeps its files in "+outer.FolderName+"; move what is there out of the way")
	}
	s := &session{e: e, folder: folder, view: newRunView(e, l)}
	if s.driver, err = openDriver(e, l, s.view); err != nil {
		s.leave()
		return nil, err
	}
	s.runner = &outer.Runner{Store: e.Store, Folder: folder, Driver: s.driver, Env: os.Environ(),
		Verify: s.verify, Words: cli.Self().FillIn, See: s.view.see, Tell: s.told}
	return s, nil
}

// leave ends the agent, and lets others into the workspace.
func (s *session) leave() {
	s.view.close()
	if s.driver != nil {
		if err := s.driver.Close(); err != nil {
			s.view.trouble(err)
		}
	}
	if err := s.folder.Leave(); err != nil {
		s.view.trouble(err)
	}
}

// told shows what became of a loop, and writes it into the log.
func (s *session) told(r outer.Report) {
	s.view.told(r)
	if r.Kind == outer.ReportTurn {
		s.e.StartWatcher()
	}
	action := string(r.Action.Kind)
	if r.Action.Kind == loop.Rest {
		action = "rest"
	}
	reason, why := r.Action.Reason, r.Action.Why()
	switch {
	case r.Kind == outer.ReportTrouble:
		action, reason, why = "error", "", r.Err.Error()
	case r.Kind != outer.ReportDecided:
		return
	case r.State.Status.Ended():
		action = string(r.State.Status)
	case reason == loop.ReasonContinued:
		action = "continued"
	}
	line := hooklog.Line{At: s.e.Now(), Conversation: s.runner.ID(), Event: "run", Iteration: r.State.Iterations, Max: r.State.MaxIterations,
		Promise: r.Action.Promise, Action: action, Reason: reason, Why: why}
	_ = hooklog.Append(s.e.Places.Log(), line) // what matters is in the loop's file
}

// verify has a process of its own run the verification, as the hook does: what
// that leaves behind is not ours.
func (s *session) verify(ctx context.Context, l loop.State) loop.Verification {
	s.logVerify(l, "verifying", "", l.Verify)
	v := cli.Self().Verify(ctx, l, l.VerifyLimit())
	s.logVerify(l, "verified", v.Result(), v.Summary())
	return v
}

func (s *session) logVerify(l loop.State, action string, reason loop.Reason, why string) {
	line := hooklog.Line{At: s.e.Now(), Conversation: l.ConversationID, Event: "run", Iteration: l.Iterations + 1, Max: l.MaxIterations, Action: action, Reason: reason, Why: why}
	_ = hooklog.Append(s.e.Places.Log(), line) // what matters is in the loop's file
}

// ended tells how a run ended. Only an accepted promise is a success.
func (s *session) ended(ctx context.Context, l loop.State, err error) error {
	s.view.close()
	if l.ConversationID == "" || s.runner.ID() == "" {
		return forPeople(err)
	}
	broken := err != nil && ctx.Err() == nil && !l.Status.Ended() && l.Status != loop.Paused
	if broken {
		l, err = s.unsaved(l, err)
	}
	if shown := s.view.summary(l, broken); shown != nil {
		err = errors.Join(err, shown)
	}
	if worthANotice(l) && !s.e.IsSet("no-notify") {
		if cannot := notify.Later(s.e, l.ConversationID); cannot != nil {
			s.view.trouble(cannot)
		}
	}
	switch {
	case ctx.Err() != nil && !l.Status.Ended():
		return hint.New("interrupted", "cursor-ralph run --resume "+l.ConversationID+" goes on")
	case err != nil:
		return forPeople(err)
	case l.Status == loop.PromiseAccepted:
		return nil
	case l.Status == loop.Cancelled, l.Status == loop.Replaced:
		return hint.New("the run was ended before its task was done ("+string(l.Status)+")", "")
	}
	return hint.New("the task is not done ("+string(l.Status)+")", cli.WhenEnded(l, s.e.Now()))
}

// unsaved returns the last saved state of a loop and the error for people.
func (s *session) unsaved(l loop.State, err error) (loop.State, error) {
	if saved, cannot := s.e.Loops.Recorded(l.ConversationID); cannot == nil {
		l = saved
	}
	return l, hint.New("the run stopped, because its state could not be saved: "+err.Error(),
		"when that is mended (`df` shows whether the disk is full), cursor-ralph run --resume "+l.ConversationID+" goes on")
}

// forPeople adds the hint of an agent that cannot be started.
func forPeople(err error) error {
	var start *outer.StartError
	if errors.As(err, &start) {
		return hint.New(err.Error(), cmp.Or(start.Hint, "try the agent's own command in a terminal; with --acp-command it has to speak the Agent Client Protocol"))
	}
	return err
}

// worthANotice leaves out what the user did.
func worthANotice(l loop.State) bool {
	switch l.Status {
	case loop.PromiseAccepted, loop.MaxIterations, loop.MaxDuration, loop.Blocked:
		return true
	}
	return l.Status == loop.Paused && l.PauseReason != loop.PauseUser
}
