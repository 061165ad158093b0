package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
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
		return e.goOn(ctx, []string{r.Continue}, r, false)
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
	return e.goOn(ctx, args, r, true)
}

// goOn continues a loop in the conversation that asked for it. At a user's terminal it
// only resumes the loop; the agent continues when the line is typed into the chat.
func (e *env) goOn(ctx context.Context, args []string, r loop.Request, atTerminal bool) error {
	event := loop.Event{Kind: loop.EventContinue, Continue: r.Limits()}
	found, err := e.Target(args)
	if at, ok := e.broughtByLine(args); ok {
		found, err = at, nil
	}
	if err != nil {
		return err
	}
	if found.Pending && found.State.Status.Ended() { // a kill left it so
		if found, err = e.Loops.Finish(ctx, found); err != nil {
			return err
		}
	}
	l := found.State
	event.LoopID = l.ShortID()
	forUser := atTerminal && !e.byAgent()
	switch {
	case found.IsForAnyChat():
		return e.beginPending(ctx, l, event, forUser)
	case found.Pending:
		return e.NotLive(found)
	case l.Outer() && atTerminal:
		return e.continueOuter(ctx, l, event)
	case forUser && found.Record && l.StartedAt.IsZero():
		return e.askAgain(ctx, found)
	case forUser:
		return e.takeUp(ctx, found, event)
	case found.IsLive() && l.IsLineTurn() && e.isHere(found.ID): // the prompt hook continued it in this turn
		action, err := e.applyContinue(ctx, found, event)
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(e.Stdout, action.Text)
		return err
	}
	return e.continueHere(ctx, found, event)
}

// isHere reports whether a conversation may be that of the agent that called us.
func (e *env) isHere(id string) bool {
	here, err := e.Conversation()
	return err == nil && (here == "" || here == id)
}

// continueHere continues a loop in the chat that asked for it.
func (e *env) continueHere(ctx context.Context, found loops.Loop, event loop.Event) error {
	if err := e.inTheWay(found); err != nil {
		return err
	}
	to, err := e.Conversation()
	if err != nil {
		return err
	}
	if event.Conversation = to; to != "" && to != found.ID {
		if err := e.mayCome(found.ID, to); err != nil {
			return err
		}
		event.NewChat = !e.Store.HasHad(to)
	}
	action, err := e.applyContinue(ctx, found, event)
	if err != nil {
		return err
	}
	e.StartWatcher()
	if to == "" {
		if err := e.printToken(ctx, found.ID); err != nil {
			return err
		}
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
	if len(args) != 1 || !e.byAgent() {
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

// mayCome refuses to bring a loop to a chat that has one.
func (e *env) mayCome(id, to string) error {
	if has, err := e.Store.Has(to); has || err != nil {
		return hint.New(fmt.Sprintf("the loop %s cannot come here: a loop runs in this chat already", e.shortOf(id)), "cursor-ralph cancel "+e.shortOf(to))
	}
	return nil
}

// shortOf returns the short id of a conversation's loop, to name it to people.
func (e *env) shortOf(conversation string) string {
	if l, err := e.Loops.At(conversation); err == nil {
		return l.State.ShortID()
	}
	return loop.Argument(conversation)
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

// byAgent reports whether Cursor's agent called us, by its shell's environment.
// Standard output would not show that: a user may use a pipe.
func (e *env) byAgent() bool {
	return slices.ContainsFunc(append(cli.ChatVariables(), "CURSOR_AGENT", outer.RunVariable), func(name string) bool { return e.Getenv(name) != "" })
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

// printToken prints what binds the loop to the conversation whose tool hook sees it.
func (e *env) printToken(ctx context.Context, id string) error {
	token := id + ":" + newSecret()
	if _, _, err := e.Apply(ctx, id, loop.Event{Kind: loop.EventNameTokens, Text: token}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.Stdout, "%s%s\n", pending.TokenLine, token)
	return err
}
