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
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/verify"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func verifyFlags(f *pflag.FlagSet) { new(handoff.Verify).Flags(f) }

// verifyLoop runs the verification of a loop and prints the result as JSON. The caller
// keeps our standard input open while it waits.
func verifyLoop(ctx context.Context, e *env, args []string) error {
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	l := found.State
	if l.Verify == "" {
		return hint.New("the loop "+l.ShortID()+" has no --verify", "give it when the loop is started")
	}
	var call handoff.Verify
	e.Read(&call)
	switch {
	case call.Late != "":
		return e.verifyLate(ctx, l, call.Late)
	case call.For == "":
		return e.JSON(e.runVerify(ctx, l, call.Limit))
	}
	l.Verifying.ID = call.For
	alone, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, e.Stdin) // only its end matters, however it comes
		cancel()
	}()
	v := e.verifyWanted(alone, l, call.Limit)
	if alone.Err() != nil {
		return e.giveUpVerify(ctx, l, true)
	}
	return e.JSON(v)
}

// verifyWanted runs a verification while its result is wanted: a cancel, a pause, a
// stop by hand or another verification ends it.
func (e *env) verifyWanted(ctx context.Context, l loop.State, limit time.Duration) loop.Verification {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if release, err := e.Store.Verifier(ctx, l.ConversationID); err == nil { // else the loop may take us for dead, and asks again
		defer func() { _ = release() }()
	}
	go func() {
		for e.verifies(l) && cli.Sleep(ctx, duePoll) == nil {
		}
		cancel()
	}()
	return e.runVerify(ctx, l, limit)
}

// verifies reports whether a loop still waits for this verification.
func (e *env) verifies(l loop.State) bool {
	now, err := e.Store.Read(l.ConversationID)
	return err == nil && now.Verifying.ID == l.Verifying.ID && now.Stop == l.Stop && now.Status == l.Status
}

// giveUpVerify ends the wait of a loop whose caller is gone: a stop hook, whose agent
// is idle then, or the user.
func (e *env) giveUpVerify(ctx context.Context, l loop.State, idle bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cli.LockWait)
	defer cancel()
	_, _, err := e.Store.Apply(ctx, l.ConversationID, loop.Event{Kind: loop.EventVerified, Continue: loop.Continue{Idle: idle}, Answers: loop.Answers{Verified: loop.Verification{ID: l.Verifying.ID}}})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has ended
	}
	return err
}

// runVerify runs the command of a loop in its workspace.
func (e *env) runVerify(ctx context.Context, l loop.State, limit time.Duration) loop.Verification {
	if l.Workspace == "" {
		return loop.Verification{Exit: -1, Why: "the workspace, in which it has to run, is not known"}
	}
	if limit <= 0 || limit > l.VerifyLimit() {
		limit = l.VerifyLimit()
	}
	r := verify.Run(ctx, verify.Command{Text: l.Verify, Dir: l.Workspace, Shell: e.userShell(), Env: os.Environ(), Timeout: limit})
	v := loop.Verification{Passed: r.Passed, Exit: r.Exit, Why: r.Why, Output: r.Output, Seconds: r.Seconds}
	v.Changed = worktree.Unlike(l.VerifyFiles)
	return v
}

func (e *env) userShell() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	return e.Getenv("SHELL")
}

// verifyLate decides on a promise that came after a limit had ended its loop.
func (e *env) verifyLate(ctx context.Context, l loop.State, verifying string) error {
	if l.Verifying.ID != verifying {
		return hint.New("the loop does not wait for this verification", "`cursor-ralph status` shows where it stands")
	}
	v := e.runVerify(ctx, l, 0)
	v.ID = verifying
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cli.LockWait)
	defer cancel()
	next, action, err := e.Store.Apply(ctx, l.ConversationID, loop.Event{Kind: loop.EventVerified, Answers: loop.Answers{Verified: v}})
	if err != nil {
		return err
	}
	e.Log(hooklog.Line{Conversation: l.ConversationID, Event: "verify", Iteration: action.Iteration, Max: next.MaxIterations,
		Promise: action.Promise, Action: string(next.Status), Reason: action.Reason, Why: action.Why()})
	return notify.Later(e.Env, l.ConversationID)
}

// verified runs the verification that a continue needs first.
func (e *env) verified(ctx context.Context, l loop.State) (loop.Verification, error) {
	fmt.Fprintf(e.Stderr, "cursor-ralph: a promise was given; verifying it: %s\n", cli.Printable(l.Verify))
	v := e.verifyWanted(ctx, l, 0)
	if ctx.Err() == nil && !v.Passed {
		fmt.Fprintf(e.Stderr, "cursor-ralph: the verification failed (%s): the promise is refused\n", v.Summary())
	}
	if ctx.Err() == nil {
		return v, nil
	}
	gaveUp := hint.New("given up while the promise was verified", "the loop is as it was; continue it again, or cancel it")
	return v, errors.Join(gaveUp, e.giveUpVerify(ctx, l, false))
}

// checkVerify refuses a loop whose verification Cursor would not wait for.
func (e *env) checkVerify(l loop.State) error {
	if l.Verify == "" {
		return nil
	}
	for _, path := range install.HookFiles(e.Env) {
		timeout := install.InstalledAt(path).Timeout
		if timeout > 0 && l.VerifyLimit() > loop.VerifyRoom(timeout) {
			return hint.New(fmt.Sprintf("--verify-timeout %s is more than Cursor waits for: the stop entry in %s has room for %s", text.Exactly(l.VerifyLimit()), path, text.Exactly(loop.VerifyRoom(timeout))),
				fmt.Sprintf("nothing was started; `cursor-ralph install%s --verify-timeout %s` makes more", e.placeOf(path), text.Exactly(l.VerifyLimit())))
		}
	}
	return nil
}

// placeOf returns the option of install for a hooks.json.
func (e *env) placeOf(hooks string) string {
	folder := filepath.Dir(hooks)
	if user, err := install.CursorFolder(e.Env, ""); err == nil && folder == user {
		return ""
	}
	return " --project " + commands.Quote(filepath.Dir(folder), runtime.GOOS)
}
