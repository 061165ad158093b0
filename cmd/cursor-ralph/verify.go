package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/gate"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func verifyFlags(f *pflag.FlagSet) {
	f.Duration("limit", 0, "kill it after the time `D`, if that is less than the loop's --verify-timeout")
	f.String("for", "", "the `ID` of the verification that is asked for")
	f.String("late", "", "the `ID` of one that nobody waits for: its result is decided on here")
}

// verify runs the verification of a loop and prints its result as JSON. Whoever
// asks keeps our standard input open as long as he waits.
func verify(ctx context.Context, e *env, args []string) error {
	id, err := e.target(args)
	if err != nil {
		return err
	}
	l, err := e.find(id)
	if err != nil {
		return err
	}
	if l.Verify == "" {
		return problem("the loop of "+id+" has no --verify", "give it when the loop is started")
	}
	if late := e.text("late"); late != "" {
		return e.verifyLate(ctx, l, late)
	}
	if l.Verifying.ID = e.text("for"); l.Verifying.ID == "" {
		return e.json(e.runVerify(ctx, l))
	}
	alone, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, e.stdin) // its end, however it comes, is what counts
		cancel()
	}()
	v := e.verifyWanted(alone, l)
	if alone.Err() != nil {
		return e.giveUpVerify(ctx, l, true)
	}
	return e.json(v)
}

// verifyWanted runs a verification as long as its result is wanted: a cancel, a
// pause, a stop by hand or another verification ends it.
func (e *env) verifyWanted(ctx context.Context, l loop.State) loop.Verification {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for e.verifies(l) && sleep(ctx, duePoll) == nil {
		}
		cancel()
	}()
	return e.runVerify(ctx, l)
}

// verifies tells whether a loop still waits for this verification. A paused loop
// that is continued does.
func (e *env) verifies(l loop.State) bool {
	now, err := e.store.Read(l.ConversationID)
	return err == nil && now.Verifying.ID == l.Verifying.ID && now.Stop == l.Stop && now.Status == l.Status
}

// giveUpVerify lets the loop wait no more for a verification whose asker is gone:
// a stop hook, whose agent is idle then, or the user.
func (e *env) giveUpVerify(ctx context.Context, l loop.State, idle bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockWait)
	defer cancel()
	_, _, err := e.store.Apply(ctx, l.ConversationID, loop.Event{Kind: loop.EventVerified, Idle: idle, Verified: loop.Verification{ID: l.Verifying.ID}})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has ended
	}
	return err
}

// runVerify runs the command of a loop in its workspace.
func (e *env) runVerify(ctx context.Context, l loop.State) loop.Verification {
	if l.Workspace == "" {
		return loop.Verification{Exit: -1, Why: "the workspace, in which it has to run, is not known"}
	}
	limit := l.VerifyLimit()
	if f := e.flags.Lookup("limit"); f != nil {
		if shorter, err := e.flags.GetDuration("limit"); err == nil && shorter > 0 {
			limit = min(limit, shorter)
		}
	}
	r := gate.Run(ctx, gate.Command{Text: l.Verify, Dir: l.Workspace, Shell: e.userShell(), Env: os.Environ(), Timeout: limit})
	v := loop.Verification{Passed: r.Passed, Exit: r.Exit, Why: r.Why, Output: r.Output, Seconds: r.Seconds}
	v.Changed = worktree.Unlike(l.VerifyFiles)
	return v
}

func (e *env) userShell() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	return e.getenv("SHELL")
}

// verifyLate decides on a promise that came after a limit had ended its loop.
func (e *env) verifyLate(ctx context.Context, l loop.State, verifying string) error {
	if l.Verifying.ID != verifying {
		return problem("the loop does not wait for this verification", "`cursor-ralph status` shows where it stands")
	}
	v := e.runVerify(ctx, l)
	v.ID = verifying
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockWait)
	defer cancel()
	next, action, err := e.store.Apply(ctx, l.ConversationID, loop.Event{Kind: loop.EventVerified, Verified: v})
	if err != nil {
		return err
	}
	line := hooklog.Line{At: e.now(), Conversation: l.ConversationID, Event: "verify", Iteration: next.Iterations, Max: next.MaxIterations,
		Promise: action.Promise, Action: string(next.Status), Why: action.Why}
	if err := hooklog.Append(e.places.Log(), line); err != nil {
		return err
	}
	return e.notifyLater(l.ConversationID)
}

// verified is what a continue needs before it can be decided on. The user, or
// the agent, waits for it, and may lose patience.
func (e *env) verified(ctx context.Context, l loop.State) (loop.Verification, error) {
	fmt.Fprintf(e.stderr, "cursor-ralph: a promise was given; verifying it: %s\n", printable(l.Verify))
	v := e.verifyWanted(ctx, l)
	v.ID = l.Verifying.ID
	if ctx.Err() == nil {
		return v, nil
	}
	gaveUp := problem("given up while the promise was verified", "the loop is as it was; continue it again, or cancel it")
	return v, errors.Join(gaveUp, e.giveUpVerify(ctx, l, false))
}

// checkVerify refuses a loop whose verification Cursor would not wait for.
func (e *env) checkVerify(l loop.State) error {
	if l.Verify == "" {
		return nil
	}
	for _, path := range e.hookFiles() {
		raw, err := readSmall(path)
		if err != nil {
			continue // doctor tells
		}
		timeout := commands.InstalledTimeout(raw)
		if timeout > 0 && l.VerifyLimit() > loop.VerifyRoom(timeout) {
			return problem(fmt.Sprintf("--verify-timeout %s is more than Cursor waits for: the stop entry in %s has room for %s", l.VerifyLimit(), path, loop.VerifyRoom(timeout)),
				fmt.Sprintf("nothing was started; `cursor-ralph install%s --verify-timeout %s` makes more", e.placeOf(path), l.VerifyLimit()))
		}
	}
	return nil
}

// placeOf is the option of install that leads to a hooks.json.
func (e *env) placeOf(hooks string) string {
	folder := filepath.Dir(hooks)
	if user, err := e.cursorFolder(""); err == nil && folder == user {
		return ""
	}
	return " --project " + commands.Quote(filepath.Dir(folder), runtime.GOOS)
}
