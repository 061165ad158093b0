package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

// maxTask is how much text a slash command takes, in bytes.
const maxTask = 16 << 20

// slash does what a slash command says. The agent hands over what the user
// typed, word for word, on standard input.
func slash(ctx context.Context, e *env, args []string) error {
	if len(args) != 1 {
		return misuse("slash takes the name of one slash command", "cursor-ralph slash ralph-loop, with the user's text on standard input")
	}
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
		"cancel-ralph": cancel, "ralph-pause": pause, "ralph-resume": resume, "ralph-status": status,
	}
	do, ok := steer[args[0]]
	if !ok {
		return misuse(fmt.Sprintf("unknown slash command %q", args[0]), "ralph-loop, ulw-loop, cancel-ralph, ralph-pause, ralph-resume, ralph-context or ralph-status")
	}
	statusFlags(e.flags)
	return do(ctx, e, strings.Fields(text))
}

func (e *env) handedOver(name string) (string, error) {
	data, err := io.ReadAll(io.LimitReader(e.stdin, maxTask+1))
	if err != nil {
		return "", fmt.Errorf("read the text from standard input: %w", err)
	}
	if len(data) > maxTask {
		return "", problem(fmt.Sprintf("the text is larger than %d bytes", maxTask), "put it into a file and let the task name the file")
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if typed, rest, ok := loop.SlashCommand(text); ok && typed == name {
		text = rest
	}
	return strings.TrimSpace(text), nil
}

func (e *env) slashLoop(ctx context.Context, name, text string) error {
	c, unset := e.config()
	r, err := loop.ParseCommand(text, c.Loop)
	if err != nil {
		return misuse("/"+name+": "+err.Error(), "tell the user; nothing was started. `/ralph-help` shows the options")
	}
	if r.Continue != "" {
		return e.goOn(ctx, r, false)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	r.State.Ultrawork = r.State.Ultrawork || name == "ulw-loop"
	return e.begin(ctx, r, true, unset)
}

func continueFlags(f *pflag.FlagSet) {
	for _, o := range loop.Options() {
		switch o.Name {
		case "max-iterations":
			addOption(f, o, "a new limit of `N` iterations in all")
		case "max-duration":
			addOption(f, o, "a new time limit `D`, counted from the loop's beginning")
		}
	}
}

func cont(ctx context.Context, e *env, args []string) error {
	r, err := e.asked()
	if err != nil {
		return err
	}
	if r.Continue, err = e.target(args); err != nil {
		return err
	}
	if l, err := e.recorded(r.Continue); err == nil && l.Outer() {
		return e.continueOuter(ctx, l, continueEvent(r))
	}
	return e.goOn(ctx, r, e.forUser())
}

// goOn continues a loop, in the conversation in which that was asked for.
// At a user's terminal it only takes the loop up: the agent goes on when the
// line is typed into the chat.
func (e *env) goOn(ctx context.Context, r loop.Request, forUser bool) error {
	id := r.Continue
	if forUser {
		return e.takeUp(ctx, r)
	}
	to, err := e.askedIn(id)
	if err != nil {
		return err
	}
	if to != "" && to != id {
		if has, err := e.store.Has(to); has || err != nil {
			return problem(fmt.Sprintf("the loop of %s cannot come here: a loop runs in conversation %s already", id, to), "cursor-ralph cancel "+to)
		}
		// A line that we type may have got into the wrong chat.
		if _, _, err := e.apply(ctx, id, loop.Event{Kind: loop.EventTyped, Conversation: to, Asked: true}); err != nil {
			return err
		}
	}
	action, err := e.applyContinue(ctx, id, continueEvent(r))
	if err != nil {
		return err
	}
	return e.continued(ctx, id, to, action.Text)
}

// applyContinue verifies a promise first, if one was given since the last stop.
// The turn after a hand-over is counted here: no stop hook sees its end.
func (e *env) applyContinue(ctx context.Context, id string, event loop.Event) (loop.Action, error) {
	if l, err := e.store.Read(id); err == nil && l.Unseen {
		turn, _ := e.store.Unfolded(id, l)                                          // none is no trouble
		event.Tree, event.Committed, _ = worktree.After(ctx, l, turn, os.Environ()) // git is asked again at the next stop
	}
	for {
		event.Words = true
		l, action, err := e.apply(ctx, id, event)
		if err == nil && action.Kind == loop.AskWords {
			event.Worded = worded(ctx, *action.Words)
			continue
		}
		if err != nil || action.Kind != loop.AskVerify {
			return action, err
		}
		if event.Verified, err = e.verified(ctx, l); err != nil {
			return action, err
		}
	}
}

func continueEvent(r loop.Request) loop.Event {
	event := loop.Event{Kind: loop.EventContinue, MaxDuration: r.State.MaxDuration}
	if r.Given("max-iterations") {
		event.MaxIterations = r.State.MaxIterations
	}
	return event
}

// forUser tells whether a person reads what we print, and not the agent.
func (e *env) forUser() bool {
	if e.getenv("CURSOR_AGENT") != "" || e.getenv("CURSOR_CONVERSATION_ID") != "" {
		return false
	}
	return e.onTerminal()
}

func (e *env) takeUp(ctx context.Context, r loop.Request) error {
	event := continueEvent(r)
	event.Idle = true
	if _, err := e.applyContinue(ctx, r.Continue, event); err != nil {
		return err
	}
	return e.say("taken up again. To go on, type this line into the chat:\n%s\nor open this link and confirm:\n%s", loop.ContinueLine(r.Continue), loop.PromptLink(r.Continue))
}

// askedIn tells the conversation in which a continue was asked for, if
// anything tells: the prompt hook that saw the line, or the environment.
func (e *env) askedIn(id string) (string, error) {
	l, err := e.store.Read(id)
	if err != nil {
		l, err = e.store.Archived(id)
	}
	if in := l.TypedIn(e.now()); err == nil && in != "" {
		return in, nil
	}
	return e.conversation()
}

func (e *env) continued(ctx context.Context, id, to, text string) error {
	switch to {
	case "":
		token := id + ":" + newSecret()
		if _, _, err := e.apply(ctx, id, loop.Event{Kind: loop.EventNameTokens, Text: token}); err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "%s%s\n", pending.TokenLine, token)
	case id:
	default:
		if err := e.store.Move(ctx, id, to); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(e.stdout, text)
	return err
}
