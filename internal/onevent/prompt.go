package onevent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/internal/command"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/suggest"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// prompt handles a message before it reaches the agent: it arms a loop from a
// raw /ralph-loop, or in loop mode, obeys the controls, and tells a user's
// message from our own follow-up. Where Cursor shows us an expanded command
// instead of the raw line, a control is for the agent's own call of cursor-ralph.
func (h *handler) prompt(ctx context.Context) any {
	if !slices.ContainsFunc(starts, h.in.Contains) { // another task, or the line that continues this one
		h.restore(ctx)
	}
	has := h.hasLoop(ctx, nil)
	hasEnded := !has && h.store.HasFile(h.in.ConversationID)
	if !has && !hasEnded && h.isNotForUs() {
		return nil
	}
	decide := func(ctx context.Context) any { return h.onPrompt(ctx, has, hasEnded) }
	if !has && !slices.ContainsFunc(starts, h.in.Contains) && !h.inLoopMode() { // nothing changes
		return h.forHost(decide(ctx))
	}
	return h.once(ctx, decide)
}

func (h *handler) onPrompt(ctx context.Context, has, hasEnded bool) any {
	var e hook.BeforeSubmitPrompt
	if err := h.in.Decode(&e); err != nil {
		h.fail(err)
		return nil
	}
	h.composer = e.ComposerMode
	isAboutEnded := hasEnded && h.isAboutEnded(ctx, e.Prompt)
	name, rest, isCommand := loop.SlashCommand(e.Prompt)
	if !isCommand {
		name, rest, isCommand = loop.ExpandedCommand(e.Prompt)
		isCommand = isCommand && slices.Contains(starts, name)
	}
	switch {
	case isCommand && slices.Contains(starts, name):
		return h.command(ctx, name, rest)
	case isCommand && slices.Contains(controls, name):
		if answer := h.control(ctx, name, strings.TrimSpace(rest), has); answer != nil || !has {
			return answer
		}
	}
	if meant := cmdline.Misplaced(e.Prompt); meant != "" {
		if has {
			if answer := h.message(ctx, h.in.ConversationID, e.Prompt); answer != nil {
				return answer
			}
		}
		return hook.BeforeSubmitPromptAnswer{AdditionalContext: fmt.Sprintf(misplaced, meant)}
	}
	switch {
	case has:
		return h.message(ctx, h.in.ConversationID, e.Prompt)
	case isAboutEnded:
		return nil
	}
	return h.byLoopMode(ctx, e)
}

// misplaced has the agent ask about a command that does not begin its message.
const misplaced = `This message has the Ralph loop's command %[1]s in it, but not at its beginning, so no loop was started. If the user wants one, the line has to be a message of its own that begins with the command, as in

%[1]s "<task>" --verify "<command>"

Ask the user whether that is wanted, before you do anything else. If the message only talks about the command, answer it as usual.`

// The slash commands that a message may begin with.
var (
	starts   = []string{"ralph-loop", "ulw-loop"}
	controls = []string{"cancel-ralph", "ralph-pause", "ralph-resume", "ralph-context", "ralph-status"}
)

// runs are the options that have programs run.
var runs = []string{"verify", "review", "checkpoints", "on-end"}

// isNotForUs reports whether a message to an agent without a loop names none of our
// commands, while loop mode is off. Decoding such a message would cost more than
// this.
func (h *handler) isNotForUs() bool {
	const escaped = `\u00` // a plain letter may be written so, too
	if h.in.Contains(escaped) || slices.ContainsFunc(slices.Concat(starts, controls), h.in.Contains) {
		return false
	}
	return !h.inLoopMode()
}

// message records that the agent of a loop got a message. Our own follow-up is kept
// back if it comes too late.
func (h *handler) message(ctx context.Context, id, text string) any {
	l, action, err := h.store.Apply(ctx, id, loop.Event{Kind: loop.EventMessage, Text: text, Message: loop.Message{Composer: h.composer}, Generation: h.in.GenerationID, Host: h.hostTitle()})
	if err == nil && action.Reason != "" {
		h.logDecision(l, action)
		h.notify(l, action)
	}
	if err == nil && action.Kind == loop.Refuse {
		return h.refuse("Not sent: " + action.Why() + ".")
	}
	if err == nil {
		err = h.store.AddToJournal(id, loop.Record{
			Kind: loop.RecordPrompt, At: h.now(), Generation: h.in.GenerationID, Own: l.IsOwn(text), ByLine: l.IsLine(text),
		})
	}
	h.failUnlessGone(err)
	return nil
}

// command arms a loop, or notes in which conversation one goes on.
func (h *handler) command(ctx context.Context, name, rest string) any {
	r, err := cmdline.Parse(rest, func() []loop.Default { return h.user().defaults })
	if err != nil {
		return h.refuse("/" + name + ": " + strings.Join(cmdline.Explained("/"+name, err), "\n") + "\nNothing was started; correct the line and send it again.")
	}
	if h.host == nil && (r.Continue != "" || r.Replace || slices.ContainsFunc(runs, r.Given)) {
		if file := h.notTyped(); file != "" {
			return h.refuse(fmt.Sprintf(maybeTheirs, name, file))
		}
	}
	if r.Continue != "" {
		r.Continue = h.byShortID(ctx, h.whole(r.Continue))
		return h.continueByLine(ctx, r)
	}
	if r.File != "" {
		if r.State.Prompt, err = h.taskIn(r.File); err != nil {
			return h.refuse(fmt.Sprintf("/%s: --file %s: %s. Nothing was started; name a text file in the workspace, or run `cursor-ralph start --file` in a terminal.", name, r.File, err))
		}
	}
	if why := h.user().problem; why != "" {
		return h.refuse("/" + name + ": your settings cannot be used, so nothing was started: " + why)
	}
	r.State.Ultrawork = r.State.Ultrawork || name == "ulw-loop"
	return h.arm(ctx, r)
}

// checkWait is for a shell to parse a command.
const checkWait = 1500 * time.Millisecond

// checkCommand says why the command of --verify cannot run, as far as we can know without running it.
func (h *handler) checkCommand(ctx context.Context, l loop.State) string {
	if l.Verify == "" || runtime.GOOS == "windows" {
		return ""
	}
	ctx, cancel := h.time.within(ctx, checkWait)
	defer cancel()
	return command.Problem(ctx, h.getenv("SHELL"), l.Verify, l.Workspace)
}

// maybeTheirs refuses a line that an agent may have written into the project.
const maybeTheirs = "/%s: %s holds such a line, so this one may not be yours: a command of the project must not name programs to run, nor continue or replace a loop. Nothing was started; remove that file, or use `cursor-ralph start` or `continue` in a terminal."

// wentOn keeps back the line of a loop that is in another chat by now: it may be ours,
// and late. The agent of this chat would work on the loop too.
func (h *handler) wentOn(id string) any {
	var moved *state.MovedError
	if _, err := h.store.Recorded(id); !errors.As(err, &moved) || moved.To == h.in.ConversationID || !h.hasAny(moved.To) {
		return nil
	}
	return h.refuse("Not sent: " + moved.Error() + ". To bring it here, send: " + loop.ContinueLine(moved.Loop))
}

// arm puts the loop into the pending folder under this conversation's name.
func (h *handler) arm(ctx context.Context, r loop.Request) (answer any) {
	l := r.State.Requested(h.in.GenerationID)
	l.ConversationID, l.Workspace = h.in.ConversationID, h.workspace()
	l.Program, l.Host = h.calledByAgent(), h.hostTitle()
	if h.host != nil && l.FreshChat > 0 && !h.host.Clears {
		return h.refuse("--fresh-chat: " + h.host.Title + " cannot begin a new chat by itself" + r.Origin("fresh-chat") + ". Nothing was started.")
	}
	l.PlanMode = h.composer == loop.PlanComposer
	l = l.In(l.ConversationID, h.now()) // the agent's text names it
	if problem := l.GatesProblem(); problem != "" {
		return h.refuse(problem + r.Origin("gate-timeout") + ". Nothing was started.")
	}
	if why := h.checkCommand(ctx, l); why != "" {
		return h.refuse("Nothing was started: --verify " + text.Quote(l.Verify) + r.Origin("verify") + " cannot run: " + why + ".")
	}
	if err := engine.CheckReview(l, os.Environ()); err != nil {
		return h.refuse("Nothing was started: " + err.Error() + "; " + hint.Of(err) + r.Origin("review"))
	}
	if why := engine.NoCheckpoints(l, os.Environ()); why != "" {
		return h.refuse("--checkpoints: " + why + r.Origin("checkpoints") + ". Nothing was started.")
	}
	l = h.withBaseline(ctx, l)
	if problem := l.TasksProblem(); problem != "" {
		return h.refuse(problem + r.Origin("tasks") + ". Nothing was started.")
	}
	_, err := h.ask(ctx, l, "armed", func(running *loop.State) (bool, error) {
		switch {
		case running != nil && !r.Replace:
			answer = h.refuse(fmt.Sprintf("A Ralph loop runs in this chat already (iteration %d of %d). Add --replace to begin a new one in its place, or /cancel-ralph first.", running.Iteration(), running.MaxIterations))
			return false, nil
		}
		return true, nil
	})
	if err != nil {
		h.fail(err)
		return h.refuse("Nothing was started: " + err.Error())
	}
	return cmp.Or(answer, any(h.adding(l, l.ContractText(suggest.Fits(l), r.File))))
}

// ask makes a loop pending under its conversation's name, if wants agrees.
func (h *handler) ask(ctx context.Context, l loop.State, action string, wants func(running *loop.State) (bool, error)) (done bool, err error) {
	done, err = h.box.Ask(ctx, l, wants)
	if done {
		h.log(hooklog.Line{Max: l.MaxIterations, Action: action})
	}
	return done, err
}

// refuse keeps a message from the agent and tells the user why. No promise is in
// the words: they may name the task.
func (h *handler) refuse(why string) any {
	why = loop.Unmarked(why)
	h.log(hooklog.Line{Action: "message-kept-back", Why: why})
	return hook.Block(why)
}
