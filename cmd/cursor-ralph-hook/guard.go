package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/selfcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// guard answers a tool call that is about to be made: while a plan loop runs in
// its conversation, what writes or runs anything is denied. About any other call
// it has no opinion, so that Cursor asks the user as ever. It only reads the
// state: a file that is no loop's is moved aside by others.
func (h *handler) guard(ctx context.Context) (answer any) {
	defer func() {
		if p := recover(); p != nil {
			err := fmt.Errorf("panic: %v", p)
			if has, cannot := h.store.Has(h.in.ConversationID); has || cannot != nil {
				answer = shut(err)
			}
			h.fail(err)
		}
	}()
	l, err := h.liveLoop(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		h.fail(err)
		return shut(err)
	case !l.Guarded():
		return nil
	}
	return h.answerPlanCall(ctx, l)
}

// unhandled answers an event that could not be handled at all: the plan guard
// denies it, unless its conversation surely has no loop.
func (h *handler) unhandled(err error) any {
	id := h.in.ConversationID
	if !h.flags.guard && (h.in.EventName != hook.EventPreToolUse || h.places.Base == "") {
		return nil
	}
	if h.places.Base != "" && loop.CheckID(id) == nil {
		if has, cannot := h.store.Has(id); !has && cannot == nil {
			return nil
		}
	}
	return shut(err)
}

// liveLoop returns the loop of this conversation, or an fs.ErrNotExist. With any
// other error there is one that cannot be read.
func (h *handler) liveLoop(ctx context.Context) (loop.State, error) {
	id := h.in.ConversationID
	has, err := h.store.Has(id)
	if err == nil && !has && !h.claim(ctx, nil) {
		if h.box.Waiting(pending.Claimant{ID: id}) {
			return loop.State{}, fmt.Errorf("%s cannot be claimed", filepath.Join(h.places.Pending(), id+".json"))
		}
		return loop.State{}, fs.ErrNotExist
	}
	if err != nil {
		return loop.State{}, err
	}
	l, err := h.store.Read(id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), h.places.Live(id)) {
		err = fmt.Errorf("%s: %w", h.places.Live(id), err)
	}
	return l, err
}

// shut denies every tool, reading too: nobody knows whether the agent may do
// anything.
func shut(err error) any {
	return hook.PermissionAnswer{
		Permission:  hook.Deny,
		UserMessage: fmt.Sprintf("The Ralph loop of this chat cannot be read, so no tool is allowed here: %v. Run `cursor-ralph doctor` to see what is wrong.", err),
		AgentMessage: fmt.Sprintf("The state of this chat's Ralph loop cannot be read (%v), so every tool is denied: it may be a loop that only plans. "+
			"Do not try another way. End your turn and tell the user to run `cursor-ralph doctor` in a terminal.", err),
	}
}

// answerPlanCall answers a call of a plan loop's agent.
func (h *handler) answerPlanCall(ctx context.Context, l loop.State) any {
	var e hook.PreToolUse
	if err := h.in.Decode(&e); err != nil {
		h.fail(err)
		return shut(err)
	}
	files, ok := loop.PlanCall{
		Tool: e.ToolName, Input: []byte(hook.Text(e.ToolInput)), Roots: h.in.WorkspaceRoots, Home: platform.Home(runtime.GOOS, h.getenv), Windows: runtime.GOOS == "windows",
	}.Allowed()
	if ok && !slices.ContainsFunc(files, leadsElsewhere) {
		return nil
	}
	h.log(hooklog.Line{Loop: l.ShortID(), Iteration: l.Iteration(), Max: l.MaxIterations, Action: "denied", Why: e.ToolName})
	return hook.PermissionAnswer{
		Permission:   hook.Deny,
		UserMessage:  fmt.Sprintf("The Ralph loop of this chat only plans, so %.64q was not allowed.", e.ToolName),
		AgentMessage: h.instead(ctx, l, e),
	}
}

// leadsElsewhere reports whether a plan's file, or a folder of Cursor's above it,
// is something else, such as a symbolic link. What is missing will be made.
func leadsElsewhere(file string) bool {
	file = filepath.FromSlash(file)
	plans := filepath.Dir(file)
	for _, path := range []string{file, plans, filepath.Dir(plans)} {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil, path == file && !info.Mode().IsRegular(), path != file && !info.IsDir():
			return true
		}
	}
	return false
}

const stageInstead = "This Ralph loop only plans: %.64q is not allowed. Allowed are reading, searching, and writing the plan as one Markdown file, .cursor/plans/NAME.md. " +
	"Stage the change: describe there, or in your answer, what you would do, and wait for the user to approve it. Do not try another way."

// instead is what the agent does in place of a denied call. A plan loop's
// agent has no shell, but its texts say to run cursor-ralph when the loop begins or
// is continued: that part is done here.
func (h *handler) instead(ctx context.Context, l loop.State, e hook.PreToolUse) string {
	var c call
	c.input(e.ToolInput)
	if !isShell(e.ToolName) || len(selfcall.Calls(c.command)) == 0 {
		return fmt.Sprintf(stageInstead, e.ToolName)
	}
	if text := h.forAgent(ctx, l, c.command); text != "" {
		return "Done without the shell, which a loop that only plans does not have. cursor-ralph says:\n\n" + text
	}
	return "cursor-ralph was not run: this Ralph loop only plans, so you have no shell. Say in your answer what you would have told it. " +
		"What steers the loop is for the user, who can run cursor-ralph in a terminal."
}

func isShell(tool string) bool {
	return slices.Contains([]string{"shell", "bash", "run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2"}, strings.ToLower(tool))
}

// forAgent does what a call of cursor-ralph asks for, if it begins or continues
// the loop of this very conversation. All else in the command is left.
func (h *handler) forAgent(ctx context.Context, l loop.State, command string) string {
	head, text := selfcall.HandedOver(command)
	isIt := func(id string) bool { return id == l.ConversationID || id == l.ShortID() }
	for _, args := range selfcall.Arguments(head) {
		switch {
		case args[0] == "continue" && slices.ContainsFunc(args[1:], isIt):
			return h.goOn(ctx, l)
		case args[0] == "slash" && len(args) > 1 && (args[1] == "ralph-loop" || args[1] == "ulw-loop"):
			return h.confirmDenied(ctx, l, text)
		}
	}
	return ""
}

// confirmDenied is cursor-ralph slash ralph-loop where the prompt hook has armed the loop.
func (h *handler) confirmDenied(ctx context.Context, l loop.State, text string) string {
	if _, rest, ok := loop.SlashCommand(text); ok {
		text = rest
	}
	r, err := loop.ParseCommand(text, nil)
	switch {
	case err == nil && (r.Continue == l.ConversationID || r.Continue == l.ShortID()):
		return h.goOn(ctx, l)
	case err == nil && r.Continue != "":
		return ""
	case err == nil && !l.SameTask(r.State):
		return "Nothing was started: a loop that only plans runs in this chat. The user can end it with `cursor-ralph cancel " + loop.Argument(l.ConversationID) + "` in a terminal, and send the line again.\n"
	}
	// Else the same call of another chat's agent would be taken for this one's.
	if _, _, err := h.store.Apply(ctx, l.ConversationID, loop.Event{Kind: loop.EventConfirm, Text: l.Program, Look: loop.Look{PlanGuard: loop.GuardInstalled}}); err != nil {
		h.fail(err)
	}
	l.PlanGuard = loop.GuardInstalled
	return "The loop is armed already.\n\n" + l.StartText()
}

// goOn is cursor-ralph continue, once a turn.
func (h *handler) goOn(ctx context.Context, l loop.State) string {
	event := loop.Event{Kind: loop.EventContinue, Generation: h.in.GenerationID, Look: loop.Look{PlanGuard: loop.GuardInstalled}}
	l, action, err := h.store.Apply(ctx, l.ConversationID, event)
	var later *state.ArchiveError
	if err != nil {
		h.fail(err)
	}
	if err != nil && !errors.As(err, &later) {
		return "The loop was not continued: " + err.Error() + ".\n"
	}
	h.logDecision(l, action)
	h.watched = action.Kind == loop.Followup
	return continued(l, action)
}

func continued(l loop.State, a loop.Action) string {
	switch a.Kind {
	case loop.AskVerify:
		return "The loop's promise is verified first. End your turn now, and the loop goes on or is over. If nothing happens then, the user runs `cursor-ralph continue " + loop.Argument(l.ConversationID) + "` in a terminal.\n"
	case loop.Refuse:
		return "The loop was not continued: " + a.Why() + ". " + a.Hint + "\n"
	}
	return a.Text
}
