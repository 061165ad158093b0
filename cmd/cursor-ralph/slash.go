package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// slash runs a slash command. The agent passes what the user typed, word for word, on
// standard input.
func slash(ctx context.Context, e *env, args []string) error {
	text, err := e.handedOver(args[0])
	if err != nil {
		return err
	}
	switch args[0] {
	case "ralph-loop", "ulw-loop":
		return e.slashLoop(ctx, args[0], text)
	case "ralph-context":
		return addContext(ctx, e, []string{text})
	}
	steer := map[string]func(context.Context, *env, []string) error{
		"cancel-ralph": cancel, "ralph-pause": pause, "ralph-resume": resume, "ralph-status": in(render.Status),
	}
	do, ok := steer[args[0]]
	if !ok {
		return hint.Misuse(fmt.Sprintf("unknown slash command %q", args[0]), "ralph-loop, ulw-loop, cancel-ralph, ralph-pause, ralph-resume, ralph-context or ralph-status")
	}
	cli.JSONFlag(e.Flags)
	return do(ctx, e, strings.Fields(text))
}

func (e *env) handedOver(name string) (string, error) {
	data, err := io.ReadAll(io.LimitReader(e.Stdin, cli.MaxTask+1))
	if err != nil {
		return "", fmt.Errorf("read the text from standard input: %w", err)
	}
	if len(data) > cli.MaxTask {
		return "", hint.New(fmt.Sprintf("the text is larger than %d bytes", cli.MaxTask), "put it into a file and let the task name the file")
	}
	text := strings.TrimLeft(string(data), "\ufeff")
	if typed, rest, ok := loop.SlashCommand(text); ok && typed == name {
		text = rest
	}
	return strings.TrimSpace(text), nil
}

func (e *env) slashLoop(ctx context.Context, name, text string) error {
	c, unset := e.Config()
	r, err := cmdline.Parse(text, c.Loop)
	if err != nil {
		lines := cmdline.Explained("/"+name, err)
		return hint.Misuse("/"+name+": "+lines[0], strings.Join(append(lines[1:], "tell the user; nothing was started. `/ralph-help` shows the options"), "\n"))
	}
	if r.Continue != "" {
		return hint.New("slash cannot continue a loop: the line may not be the user's", fmt.Sprintf("nothing was changed. `cursor-ralph resume %[1]s` goes on with this chat's own loop; for any other ask the user to run `cursor-ralph continue %[1]s` in a terminal", loop.Argument(r.Continue)))
	}
	if r.File != "" {
		if r.State.Prompt, err = e.TaskIn(r.File); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, cli.LockWait)
	defer cancel()
	r.State.Ultrawork = r.State.Ultrawork || name == "ulw-loop"
	return e.begin(ctx, r, true, unset)
}

func continueFlags(f *pflag.FlagSet) {
	for _, o := range loop.Options() {
		switch o.Name {
		case "max-iterations":
			cli.AddOption(f, o, "a new limit of `N` iterations in all")
		case "max-duration":
			cli.AddOption(f, o, "a new time limit `D`, counted from the loop's beginning without pauses")
		case "max-tokens":
			cli.AddOption(f, o, "a new limit of `COUNT` tokens in all")
		}
	}
	cli.AddWithout(f)
}

func cont(ctx context.Context, e *env, args []string) error {
	r, err := e.Asked()
	if err != nil {
		return err
	}
	if err := r.CheckLimits(); err != nil {
		return hint.Misuse(err.Error(), "`cursor-ralph help continue` shows the options")
	}
	if e.ByAgent() {
		return e.goOnByAgent(ctx, args, r.Changes())
	}
	return e.goOn(ctx, args, r)
}

// goOn takes a loop up for a user at a terminal; the agent goes on when the line is sent in the chat.
func (e *env) goOn(ctx context.Context, args []string, r loop.Request) error {
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	if found.Pending && found.State.Status.Ended() { // a kill left it so
		if found, err = e.Loops.Finish(ctx, found); err != nil {
			return err
		}
	}
	l := found.State
	event := loop.Event{Kind: loop.EventContinue, LoopID: l.ShortID(), Continue: r.Limits()}
	switch {
	case found.IsForAnyChat():
		return e.Say("%s", e.howToBegin(l))
	case found.Pending:
		return e.NotLive(found)
	case l.Outer():
		return e.continueOuter(ctx, l, event)
	case found.Record && l.StartedAt.IsZero():
		return e.askAgain(ctx, found)
	}
	return e.takeUp(ctx, found, event)
}

// goOnByAgent prints the text of the chat's own loop, where that runs or waits for its line. Everything else is the user's to ask for.
func (e *env) goOnByAgent(ctx context.Context, args []string, changes []loop.Default) error {
	if len(changes) > 0 {
		return hint.New("an agent must not change a limit", "ask the user to run this in a terminal")
	}
	found, err := e.Target(args)
	if at, ok := e.broughtByLine(args); ok {
		found, err = at, nil
	}
	if err == nil {
		err = e.inTheWay(found)
	}
	if err != nil {
		return err
	}
	if l := found.State; found.Pending || l.Outer() || !l.MayAgentGoOn() {
		no := l.UsersToGoOn(e.Now())
		return hint.New(no.Why(), no.Hint)
	}
	event := loop.Event{Kind: loop.EventContinue, By: loop.ByAgent, LoopID: found.State.ShortID()}
	if event.Conversation, err = e.Conversation(); err != nil {
		return err
	}
	action, err := e.applyContinue(ctx, found, event)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(e.Stdout, action.Text)
	return err
}

// applyContinue verifies a promise first, if one was given since the last stop.
// The turn after a hand-over is counted here: no stop hook sees its end.
func (e *env) applyContinue(ctx context.Context, l loops.Loop, event loop.Event) (loop.Action, error) {
	g := e.engine()
	_ = g.Observe(ctx, l.ID, &event) // git is asked again at the next stop
	_, action, err := g.Decide(ctx, l.ID, event)
	return action, err
}

func (e *env) engine() engine.Engine {
	return engine.Engine{Store: e.Store, View: e.Viewer(), Verify: e.verified, Survey: e.survey().Take, Apply: e.Apply}
}

// broughtByLine returns the loop of another chat that the prompt hook brought here and
// continued in this turn.
func (e *env) broughtByLine(args []string) (loops.Loop, bool) {
	var moved *state.MovedError
	if len(args) != 1 || !e.ByAgent() {
		return loops.Loop{}, false
	}
	if _, err := e.Loops.At(args[0]); !errors.As(err, &moved) {
		return loops.Loop{}, false
	}
	here, err := e.Conversation()
	if err != nil || here != "" && here != moved.To { // the agent of another chat
		return loops.Loop{}, false
	}
	l, err := e.Loops.At(moved.To)
	return l, err == nil && l.IsLive() && l.State.IsLineTurn()
}

// inTheWay says that the chat of a loop to be continued has another one, nil if it does not.
func (e *env) inTheWay(l loops.Loop) error {
	now, err := e.Loops.At(l.ID)
	other := now.State.ShortID()
	if errors.Is(err, fs.ErrNotExist) || err == nil && (now.Record || other == l.State.ShortID()) {
		return nil
	}
	return cmp.Or(err, hint.New(fmt.Sprintf("the loop %s cannot be continued: its chat has the loop %s now", l.State.ShortID(), other), "cursor-ralph cancel "+other))
}

// askAgain makes a loop pending again that was cancelled before a chat took it.
func (e *env) askAgain(ctx context.Context, l loops.Loop) error {
	switch err := e.Loops.Box.Return(ctx, l.ID, l.State); {
	case errors.Is(err, fs.ErrExist):
		return cmp.Or(e.inTheWay(l), err)
	case err != nil:
		return err
	}
	said := fmt.Sprintf("continued: the loop %s is pending again", l.State.ShortID())
	if again, err := e.Named(l.State.ShortID()); err == nil && again.IsForAnyChat() {
		said += "\n" + e.howToBegin(again.State)
	}
	return e.Say("%s", said)
}

// takeUp continues a loop for a user at a terminal.
func (e *env) takeUp(ctx context.Context, found loops.Loop, event loop.Event) error {
	event.Idle = true
	if err := e.inTheWay(found); err != nil {
		return err
	}
	if _, err := e.applyContinue(ctx, found, event); err != nil {
		return err
	}
	e.Hint(lowered(found.State, event.MaxIterations))
	return e.Say("continued; to go on, send this line in the chat:\n%s\nor open this link and confirm:\n%s", loop.ContinueLine(found.State.ShortID()), loop.PromptLink(found.State.ShortID()))
}

// lowered says what a new limit means that is lower than the one before: the user may have
// meant so many more. It is empty for any other limit.
func lowered(l loop.State, limit int) string {
	if limit == 0 || limit >= l.MaxIterations {
		return ""
	}
	return fmt.Sprintf("--max-iterations %d counts all iterations: %d done, %d left, where %d were left before; for %d more: cursor-ralph continue %s --max-iterations %d",
		limit, l.Iterations, limit-l.Iterations, l.MaxIterations-l.Iterations, limit, l.ShortID(), l.Iterations+limit)
}
