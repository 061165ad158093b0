// Package handoff starts cursor-ralph for what outlives the hook or is heavy: sending a line,
// the gates, notices, --on-end and the watcher.
// The arguments of each call are written and read from one list of flags here.
// What the calls do is not.
package handoff

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Program is the path of cursor-ralph.
type Program string

// Beside finds the cursor-ralph that is installed beside a hook. Linux names the
// hook's file itself; macOS and Windows name what was started, so a link is
// followed if the program is not beside it.
func Beside(hook string) Program {
	path := sibling(hook)
	if _, err := os.Stat(path); err == nil {
		return Program(path)
	}
	if real, err := filepath.EvalSymlinks(hook); err == nil {
		path = sibling(real)
	}
	return Program(path)
}

func sibling(hook string) string {
	name := strings.Replace(filepath.Base(hook), "cursor-ralph-hook", "cursor-ralph", 1)
	return filepath.Join(filepath.Dir(hook), name)
}

// CanType returns nil if some way of typing would work here and now.
func (p Program) CanType(ctx context.Context, i Inject) error {
	i.DryRun, i.Any = true, true
	return proc.Run(ctx, string(p), i.args()...)
}

// Inject starts typing the continue line, in a process that outlives us.
func (p Program) Inject(i Inject) error { return proc.Start(string(p), i.args()...) }

// InjectNow is Inject, and waits for the outcome.
func (p Program) InjectNow(ctx context.Context, i Inject) error {
	return proc.Run(ctx, string(p), i.args()...)
}

// verifyMargin is for cursor-ralph to kill a verification and to report it.
const verifyMargin = 8 * time.Second

// Verify runs the gate round that a loop waits for, below a process that ends it when we are gone. Whatever goes wrong, the
// promise is refused.
func (p Program) Verify(ctx context.Context, l loop.State, limit time.Duration) (v loop.Verification) {
	ctx, cancel := context.WithTimeout(ctx, limit+verifyMargin)
	defer cancel()
	call := Verify{Conversation: l.ConversationID, For: l.Verifying.ID, Limit: limit}
	out, err := proc.Ask(ctx, string(p), call.args()...)
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	if err != nil {
		v = unrun(l, err)
	}
	v.ID = l.Verifying.ID
	return v
}

// unrun refuses a promise whose gate round could not be run.
func unrun(l loop.State, err error) loop.Verification {
	v := loop.Verification{Exit: -1, Gate: loop.GateVerify, Why: "it could not be run: " + err.Error()}
	if l.Verify == "" {
		v.Refusal = "it could not be checked: " + err.Error()
	}
	return v
}

// Notify shows a notification about a loop, in a process that outlives us.
func (p Program) Notify(conversation string, n Notify) error {
	return proc.Start(string(p), append(write("notify", &n), "--", conversation)...)
}

// Prune removes old records, in a process that outlives us.
func (p Program) Prune() error { return proc.Start(string(p), write("prune", &Prune{Auto: true})...) }

// Watch starts the user's watcher unless one holds the lock.
func (p Program) Watch(lock string) error {
	if held, err := ownfile.Held(lock); held || err != nil {
		return err
	}
	return proc.Start(string(p), "watcher")
}

// OnEnd runs the command of --on-end of a loop that has ended, in a process that
// outlives us.
func (p Program) OnEnd(l loop.State) error {
	return proc.Start(string(p), "on-end", "--", l.ConversationID, l.ShortID())
}
