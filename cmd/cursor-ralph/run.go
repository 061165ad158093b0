package main

import (
	"cmp"
	"context"
	"encoding/json"
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

	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

func runFlags(f *pflag.FlagSet) {
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
		addOption(f, o, usage)
	}
}

// runLoop runs an agent in a loop of our own, for agents that have no hooks.
func runLoop(ctx context.Context, e *env, args []string) error {
	outliveReader()        // the loop is not to end for that, nor to be left as if it ran
	if e.isSet("resume") { // its rules came with it
		r, err := e.asked()
		if err != nil {
			return err
		}
		return e.resumeRun(ctx, r, args)
	}
	r, err := e.request()
	if err != nil {
		return err
	}
	if err := r.Check(); err != nil {
		return misuse(err.Error(), "nothing was started")
	}
	if err := e.runDefaults(); err != nil {
		return err
	}
	l := r.State
	if l.Prompt, err = e.task(args); err != nil {
		return err
	}
	if l.Run, err = e.chosenAgent(); err != nil {
		return err
	}
	if l.Workspace, err = os.Getwd(); err != nil {
		return err
	}
	l.PromptTemplate = templateFile(l.PromptTemplate, l.Workspace)
	if err := checkTemplate(ctx, l); err != nil {
		return err
	}
	return e.newRun(ctx, l, r.Replace)
}

// runDefaults sets the flags that were not given to what the user wants by
// default. The model is that of the agent in the settings, and of no other.
func (e *env) runDefaults() error {
	c, err := e.config()
	if err != nil {
		return err
	}
	byDefault := func(name string) error {
		v := c.Get("run." + name)
		if v.From == config.BuiltIn || e.flags.Changed(name) {
			return nil
		}
		return e.flags.Set(name, v.Text)
	}
	agent := c.Get("run.agent").Text
	if e.text("acp-command") == "" && e.text("agent-command") == "" {
		err = byDefault("agent")
	}
	if agent == "" || e.text("agent") == agent {
		err = errors.Join(err, byDefault("model"))
	}
	if e.text("agent-command") == "" {
		err = errors.Join(err, byDefault("permissions"))
	}
	return errors.Join(err, byDefault("fresh"))
}

// task is what the agent is to do: from the command line, a file or standard
// input.
func (e *env) task(args []string) (string, error) {
	text, file := strings.Join(args, " "), e.text("prompt-file")
	switch {
	case file != "" && len(args) > 0:
		return "", misuse("there is a task on the command line and one in "+file, "give one of them")
	case file != "":
		data, err := readSmall(file)
		if err != nil {
			return "", problem("read the task: "+err.Error(), "--prompt-file takes a file of text")
		}
		text = string(data)
	case text == "-":
		data, err := io.ReadAll(io.LimitReader(e.stdin, maxTask+1))
		if err != nil || len(data) > maxTask {
			return "", errors.Join(problem("the task on standard input cannot be read, or is too large", ""), err)
		}
		text = string(data)
	}
	switch text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")); {
	case text == "":
		return "", misuse("the task is empty", `cursor-ralph run "<task>" --agent NAME`)
	case !utf8.ValidString(text):
		return "", misuse("the task is not valid UTF-8 text", "nothing was started")
	}
	return text, nil
}

// newRun begins a run in the current folder.
func (e *env) newRun(ctx context.Context, l loop.State, replace bool) error {
	l.ConversationID, l.ArmedBy, l.Confirmed, l.Program = newRunID(e.now()), "run", true, called()
	l.Cwd, l.Version, l.CreatedAt, l.StartedAt = l.Workspace, loop.Version, e.now(), e.now()
	s, err := e.enter(ctx, l)
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

// makeRoom sees to the runs of this folder that can still be resumed: a new one
// takes their place only if the user says so, and not before its agent is heard
// of, which may be one that cannot be started.
func (s *session) makeRoom(ctx context.Context, l loop.State, replace bool) error {
	live, _ := s.e.store.List() // what cannot be read is no run to resume
	for _, other := range live {
		if !other.Outer() || !sameFolder(other.Workspace, l.Workspace) {
			continue
		}
		if !replace {
			return problem(fmt.Sprintf("a run in this folder is %s (iteration %d of %d)", other.Status, other.Iterations, other.MaxIterations),
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
		if _, _, err := s.e.apply(ctx, id, loop.Event{Kind: loop.EventReplace}); err != nil {
			s.view.trouble(err)
		}
	}
}

// session is a run while it lives.
type session struct {
	e      *env
	view   *runView
	runner *outer.Runner
	folder *outer.Folder
	driver outer.Driver

	others  []string // runs whose place it takes
	replace sync.Once
}

// enter takes the workspace of a loop, and makes all ready.
func (e *env) enter(ctx context.Context, l loop.State) (*session, error) {
	folder, err := outer.Enter(ctx, l.Workspace)
	switch {
	case errors.Is(err, outer.ErrBusy):
		return nil, problem(err.Error(), "`cursor-ralph list` shows it, `cursor-ralph cancel` ends it")
	case err != nil:
		return nil, problem(err.Error(), "a run keeps its files in "+outer.FolderName+"; move what is there out of the way")
	}
	s := &session{e: e, folder: folder, view: e.newRunView(l)}
	if s.driver, err = e.openDriver(l, s.view); err != nil {
		s.leave()
		return nil, err
	}
	s.runner = &outer.Runner{Store: e.store, Folder: folder, Driver: s.driver, Env: os.Environ(),
		Verify: s.verify, Words: wordedApart, See: s.view.see, Tell: s.told}
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
	action := string(r.Action.Kind)
	if r.Action.Kind == loop.Rest {
		action = "rest"
	}
	why := r.Action.Why
	switch {
	case r.Kind == outer.ReportTrouble:
		action, why = "error", r.Err.Error()
	case r.Kind != outer.ReportDecided:
		return
	case r.State.Status.Ended():
		action = string(r.State.Status)
	case r.Action.Why == "continued":
		action = "continued"
	}
	line := hooklog.Line{At: s.e.now(), Conversation: s.runner.ID(), Event: "run", Iteration: r.State.Iterations, Max: r.State.MaxIterations,
		Promise: r.Action.Promise, Action: action, Why: why}
	_ = hooklog.Append(s.e.places.Log(), line) // what matters is in the loop's file
}

// verifyMargin is for cursor-ralph verify to kill a command, and to tell of it.
const verifyMargin = 15 * time.Second

// verify has a process of its own run the verification, as the hook does: what
// that leaves behind is not ours.
func (s *session) verify(ctx context.Context, l loop.State) loop.Verification {
	ctx, cancel := context.WithTimeout(ctx, l.VerifyLimit()+verifyMargin)
	defer cancel()
	s.logVerify(l, "verifying", l.Verify)
	var v loop.Verification
	self, err := os.Executable()
	if err == nil {
		var out []byte
		if out, err = platform.Ask(ctx, self, "verify", "--limit", l.VerifyLimit().String(), "--for", l.Verifying.ID, "--", l.ConversationID); err == nil {
			err = json.Unmarshal(out, &v)
		}
	}
	if err != nil {
		v = loop.Verification{Exit: -1, Why: "it could not be run: " + err.Error()}
	}
	s.logVerify(l, "verified", cmp.Or(v.Why, fmt.Sprintf("exit %d after %.1f s", v.Exit, v.Seconds)))
	return v
}

func (s *session) logVerify(l loop.State, action, why string) {
	line := hooklog.Line{At: s.e.now(), Conversation: l.ConversationID, Event: "run", Iteration: l.Iterations + 1, Max: l.MaxIterations, Action: action, Why: why}
	_ = hooklog.Append(s.e.places.Log(), line) // what matters is in the loop's file
}

// ended tells how a run ended. Only an accepted promise is a success.
func (s *session) ended(ctx context.Context, l loop.State, err error) error {
	s.view.close()
	if l.ConversationID == "" || s.runner.ID() == "" {
		return forPeople(err)
	}
	if shown := s.view.summary(l); shown != nil {
		err = errors.Join(err, shown)
	}
	if worthANotice(l) && !s.e.isSet("no-notify") {
		if cannot := s.e.notifyLater(l.ConversationID); cannot != nil {
			s.view.trouble(cannot)
		}
	}
	switch {
	case ctx.Err() != nil && !l.Status.Ended():
		return problem("interrupted", "cursor-ralph run --resume "+l.ConversationID+" goes on")
	case err != nil:
		return forPeople(err)
	case l.Status == loop.PromiseAccepted:
		return nil
	case l.Status == loop.Cancelled, l.Status == loop.Replaced:
		return problem("the run was ended before its task was done ("+string(l.Status)+")", "")
	}
	return problem("the task is not done ("+string(l.Status)+")", toResume(l))
}

// toResume is how a run goes on that has stopped.
func toResume(l loop.State) string {
	line := "cursor-ralph run --resume " + l.ConversationID
	switch l.Status {
	case loop.MaxIterations:
		line += fmt.Sprintf(" --max-iterations %d", min(l.Iterations+loop.DefaultMaxIterations, loop.MaxMaxIterations))
	case loop.MaxDuration:
		line += " --max-duration D, with a D that is longer than before,"
	}
	return line + " goes on"
}

// forPeople adds the hint of an agent that cannot be started.
func forPeople(err error) error {
	var start *outer.StartError
	if errors.As(err, &start) {
		return problem(err.Error(), cmp.Or(start.Hint, "try the agent's own command in a terminal; with --acp-command it has to speak the Agent Client Protocol"))
	}
	return err
}

// worthANotice leaves out what the user did.
func worthANotice(l loop.State) bool {
	switch l.Status {
	case loop.PromiseAccepted, loop.MaxIterations, loop.MaxDuration, loop.Blocked:
		return true
	}
	return l.Status == loop.Paused && l.PauseReason != "user"
}
