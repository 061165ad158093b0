package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// checkPlanGuard tells whether a plan loop's agent is kept from changing things,
// and names the loops where it should be and is not.
func checkPlanGuard(_ context.Context, e *env) []finding {
	var found []finding
	if slices.ContainsFunc(append(e.hookFiles(), machineHooks(runtime.GOOS)), hasPlanGuard) {
		found = append(found, fine("installed: the agent of a loop with --plan reads, searches and writes its plan, and nothing else"))
	}
	loops, _ := e.store.List() // checkStates tells what cannot be read
	items, _ := e.box.List()   // and checkPending
	for _, i := range items {
		if alive(i) {
			i.State.ConversationID = i.Name
			loops = append(loops, i.State)
		}
	}
	for _, l := range loops {
		if l.Guarded() && !e.planGuardIn(l.Workspace) {
			found = append(found, remark("the loop of "+l.ConversationID+" only plans, and nothing denies its agent a change: the plan guard is not installed", installGuard))
		}
	}
	if len(found) == 0 {
		found = append(found, fine("not installed, and no loop needs it"))
	}
	return found
}

const installGuard = "cursor-ralph install --plan-guard"

// hintPlanGuard tells the user that a plan loop has only words to keep its agent
// from changing things.
func (e *env) hintPlanGuard(l loop.State) {
	if l.Guarded() && !e.planGuardIn(l.Workspace) {
		fmt.Fprintf(e.stderr, "cursor-ralph: hint: the plan guard is not installed: %s\n", installGuard)
	}
}

// planGuardIn tells whether Cursor asks the plan guard in a workspace.
func (e *env) planGuardIn(workspace string) bool {
	files := []string{machineHooks(runtime.GOOS)}
	if user, err := e.cursorFolder(""); err == nil {
		files = append(files, filepath.Join(user, "hooks.json"))
	}
	if workspace != "" {
		files = append(files, filepath.Join(workspace, ".cursor", "hooks.json"))
	}
	return slices.ContainsFunc(files, hasPlanGuard)
}

func hasPlanGuard(path string) bool {
	raw, err := readSmall(path)
	return err == nil && commands.HasPlanGuard(raw)
}
