package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// prompt handles a message before it reaches the agent: it arms a loop from a
// raw /ralph-loop, or in loop mode, obeys the controls, and tells a user's
// message from our own follow-up. Where Cursor shows us an expanded command
// instead of the raw line, the agent's own call of cursor-ralph does the same.
func (h *handler) prompt(ctx context.Context) any {
	has := h.hasLoop(ctx, nil)
	if !has {
		h.afterEnd(ctx, "")
	}
	if !has && h.isNotForUs() {
		return nil
	}
	var e hook.BeforeSubmitPrompt
	if err := h.in.Decode(&e); err != nil {
		h.fail(err)
		return nil
	}
	h.composer = e.ComposerMode
	name, rest, isCommand := loop.SlashCommand(e.Prompt)
	switch {
	case isCommand && slices.Contains(starts, name):
		return h.command(ctx, name, rest)
	case isCommand && slices.Contains(controls, name):
		if answer := h.control(ctx, name, strings.TrimSpace(rest), has); answer != nil || !has {
			return answer
		}
	}
	if id, ok := loop.ExpandedContinue(e.Prompt); ok && id != h.in.ConversationID {
		if answer, done := h.keepBack(ctx, id); done {
			return answer
		}
	}
	if !has {
		return h.byLoopMode(ctx, e)
	}
	return h.message(ctx, h.in.ConversationID, e.Prompt)
}

// The slash commands that a message may begin with.
var (
	starts   = []string{"ralph-loop", "ulw-loop"}
	controls = []string{"cancel-ralph", "ralph-pause", "ralph-resume", "ralph-context", "ralph-status"}
)

// isNotForUs reports whether a message to an agent without a loop names none of our
// commands, while loop mode is off. Decoding such a message would cost more than
// this.
func (h *handler) isNotForUs() bool {
	const escaped = `\u00` // a plain letter may be written so, too
	if h.in.Contains(escaped) || slices.ContainsFunc(slices.Concat(starts, controls), h.in.Contains) {
		return false
	}
	_, on := h.loopMode()
	return !on
}

// afterEnd notes that a chat goes on whose loop has just ended: by a message, or
// by the end of a turn.
func (h *handler) afterEnd(ctx context.Context, status loop.StopStatus) {
	if !h.store.EndedWithin(loop.AfterEnd, h.in.ConversationID) {
		return
	}
	_, _, err := h.store.Apply(ctx, h.in.ConversationID, loop.Event{Kind: loop.EventAfterEnd, Generation: h.in.GenerationID, Stop: loop.Stop{Status: status}})
	h.failUnlessGone(err)
}

// message records that the agent of a loop got a message. Our own follow-up is kept
// back if it comes too late.
func (h *handler) message(ctx context.Context, id, text string) any {
	l, action, err := h.store.Apply(ctx, id, loop.Event{Kind: loop.EventMessage, Text: text, Message: loop.Message{Composer: h.composer}, Generation: h.in.GenerationID})
	if err == nil && action.Reason != "" {
		h.logDecision(l, action)
		h.notify(l, action)
	}
	if err == nil && action.Kind == loop.Refuse {
		return h.refuse("Not sent: " + action.Why() + ".")
	}
	if err == nil {
		h.seeLimit(id, l, text)
		if l.IsOwn(text) {
			h.seeDelivery(loop.FollowupShown)
		}
		err = h.store.AddToJournal(id, loop.Record{
			Kind: loop.RecordPrompt, At: h.now(), Generation: h.in.GenerationID, Own: l.IsOwn(text),
		})
	}
	h.failUnlessGone(err)
	return nil
}

// command arms a loop, or notes in which conversation one goes on.
func (h *handler) command(ctx context.Context, name, rest string) any {
	notice := ""
	r, err := loop.ParseCommand(rest, func() (defaults []loop.Default) {
		defaults, notice = h.defaults(ctx)
		return defaults
	})
	if err != nil {
		return h.refuse("/" + name + ": " + err.Error() + ". Nothing was started; correct the line and send it again.")
	}
	if r.Continue != "" {
		r.Continue = h.byShortID(ctx, r.Continue)
		if answer := h.onTyped(ctx, r.Continue); answer != nil {
			return answer
		}
		return h.continueByLine(ctx, r)
	}
	if r.File != "" { // which the agent may read; its call starts the loop
		return hook.BeforeSubmitPromptAnswer{AdditionalContext: fileInstead}
	}
	if notice != "" {
		r.State.Notices = append(r.State.Notices, notice)
	}
	r.State.Ultrawork = r.State.Ultrawork || name == "ulw-loop"
	return h.arm(ctx, r)
}

// fileInstead has the agent start a loop whose task is in a file: a hook does not read
// files that a message names.
const fileInstead = "This message starts a Ralph loop whose task is in a file. If you have not done so: run `cursor-ralph slash ralph-loop` in the shell, with this whole message, word for word, on standard input. Do what it prints; if it prints an error, show the user the error and its hint, and stop."

// onTyped notes that the continue line of a loop was typed in this conversation.
// One that was typed by us and came to the wrong chat is kept back.
func (h *handler) onTyped(ctx context.Context, id string) any {
	l, action, err := h.store.Apply(ctx, id, loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: h.in.ConversationID, NewChat: id != h.in.ConversationID && h.isNewChat()}})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h.wentOn(id) // else cursor-ralph continue tells the user
	case err != nil:
		h.fail(err)
		return nil
	case action.Kind == loop.Refuse && l.Outer():
		return h.refuse("Not done: " + action.Why() + ". To go on: " + action.Hint)
	case action.Kind == loop.Refuse && (l.Status == loop.Running || action.Reason.IsAboutNewChat()):
		return h.refuse("Not sent: " + action.Why() + "; " + action.Hint + ".")
	case action.Kind == loop.Refuse && (l.Status == loop.Paused || l.Status == loop.UserStopped || l.Status == loop.Cancelled):
		return h.refuse("Not done: " + action.Why() + ". To go on, send: " + loop.ContinueLine(id))
	case action.Kind == loop.Refuse:
		return h.refuse("cursor-ralph typed this line for the Ralph loop of another chat, which was not in front. Nothing was sent. Bring that chat to the front and send there: " + loop.ContinueLine(id))
	}
	h.log(hooklog.Line{Action: "continue-typed", Why: "for " + id})
	if live, err := h.store.Has(id); live && err == nil {
		h.message(ctx, id, loop.ContinueLine(id))
	}
	return nil
}

// keepBack is for a Cursor that shows us a slash command's text instead of what
// was typed: our line in the wrong chat must not get to its agent either.
// In a new chat that the loop waits for it is the proof; done says that nothing else
// is to be done about the message.
func (h *handler) keepBack(ctx context.Context, id string) (answer any, done bool) {
	l, err := h.store.Read(id)
	if errors.Is(err, fs.ErrNotExist) && h.store.EndedWithin(lateLine, id) { // later, a user may write about it
		answer = h.wentOn(id)
		return answer, answer != nil
	}
	if err != nil || !l.Injection.Open(h.now()) && !l.IsLate(h.now()) {
		return nil, false
	}
	answer = h.onTyped(ctx, id)
	return answer, answer != nil || l.Injection.Fresh
}

// lateLine is how long after a loop has gone to another chat its line may still come.
const lateLine = 2 * time.Minute

// wentOn keeps back the line of a loop that is in another chat by now: it may be ours,
// and late. The agent of this chat would work on the loop too.
func (h *handler) wentOn(id string) any {
	var moved *state.MovedError
	if _, err := h.store.Archived(id); !errors.As(err, &moved) || moved.To == h.in.ConversationID || !h.hasAny(moved.To) {
		return nil
	}
	return h.refuse("Not sent: " + moved.Error() + ". To bring it here, send: " + loop.ContinueLine(moved.To))
}

// armedTwice is how close two reports of one message are, when our hook is
// installed in two places.
const armedTwice = 5 * time.Second

// arm puts the loop into the pending folder under this conversation's name.
func (h *handler) arm(ctx context.Context, r loop.Request) (answer any) {
	l := r.State
	l.ConversationID, l.ArmedBy, l.Workspace, l.AskedIn = h.in.ConversationID, "prompt", h.workspace(), h.in.GenerationID
	l.PlanMode = h.composer == loop.PlanComposer
	if misfit := l.Misfit(h.flags.timeout, "hooks.json"); misfit != "" {
		return h.refuse(fmt.Sprintf("%s%s. Nothing was started; `cursor-ralph install --verify-timeout %s` makes more.", misfit, r.Origin("verify-timeout", "review-timeout"), text.Exactly(l.RoundLimit())))
	}
	l, why := h.withTemplate(ctx, l)
	if why != "" {
		return h.refuse("--prompt-template " + l.PromptTemplate + ": " + why + r.Origin("prompt-template") + ". Nothing was started.")
	}
	if why := h.checkGates(ctx, l); why != "" {
		return h.refuse("Nothing was started: " + why + r.Origin("review"))
	}
	l = h.withBaseline(ctx, l)
	if problem := l.TasksProblem(); problem != "" {
		return h.refuse(problem + r.Origin("tasks") + ". Nothing was started.")
	}
	again := false
	_, err := h.ask(ctx, l, "armed", func(running *loop.State) (bool, error) {
		switch {
		case running == nil:
		case running.SameTask(l) && h.now().Sub(running.CreatedAt).Abs() < armedTwice:
			again = running.AskedIn != l.AskedIn
			return false, nil
		case !r.Replace:
			answer = h.refuse(fmt.Sprintf("A Ralph loop runs in this chat already (iteration %d of %d). Add --replace to begin a new one in its place, or /cancel-ralph first.", running.Iteration(), running.MaxIterations))
			return false, nil
		}
		return true, nil
	})
	if err != nil {
		h.fail(err)
		return h.refuse("Nothing was started: " + err.Error())
	}
	if again { // the user sent it twice: this turn's stop is the loop's
		return h.message(ctx, l.ConversationID, l.Prompt)
	}
	return answer
}

// withTemplate finds a loop's prompt template, and says why it cannot be used.
func (h *handler) withTemplate(ctx context.Context, l loop.State) (_ loop.State, why string) {
	if l.PromptTemplate == "" {
		return l, ""
	}
	if !filepath.IsAbs(l.PromptTemplate) {
		l.PromptTemplate = filepath.Join(l.Workspace, l.PromptTemplate)
	}
	return l, h.fillIn(ctx, l.Sample()).Why
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
