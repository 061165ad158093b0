package onevent

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
	return h.answerPlanCall(l)
}

// unhandled answers an event that could not be handled at all: the plan guard
// denies it, unless its conversation surely has no loop.
func (h *handler) unhandled(err error) any {
	id := h.in.ConversationID
	if !h.isGuard && (h.in.EventName != hook.EventPreToolUse || h.places.Base == "") {
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
func (h *handler) answerPlanCall(l loop.State) any {
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
		AgentMessage: instead(e),
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

// instead is what the agent does in place of a denied call.
func instead(e hook.PreToolUse) string {
	var c call
	c.input(e.ToolInput)
	if !isShell(e.ToolName) || len(selfcall.Calls(c.command)) == 0 {
		return fmt.Sprintf(stageInstead, e.ToolName)
	}
	return "cursor-ralph was not run: this Ralph loop only plans, so you have no shell. Say in your answer what you would have told it. " +
		"What steers the loop is for the user, who can run cursor-ralph in a terminal."
}

func isShell(tool string) bool {
	return slices.Contains([]string{"shell", "bash", "run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2"}, strings.ToLower(tool))
}
