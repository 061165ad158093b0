package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/gate"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func verifyFlags(f *pflag.FlagSet) {
	f.Duration("limit", 0, "kill it after this time, if that is less than the loop's --verify-timeout")
	f.String("late", "", "the `ID` of a verification that nobody waits for: its result is decided on here")
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, e.stdin) // its end, however it comes, is what counts
		cancel()
	}()
	return e.json(e.runVerify(ctx, l))
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
	for path, was := range l.VerifyFiles {
		if contentOf(path) != was {
			v.Changed = append(v.Changed, path)
		}
	}
	slices.Sort(v.Changed)
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
// the agent, waits for it.
func (e *env) verified(ctx context.Context, l loop.State) loop.Verification {
	fmt.Fprintf(e.stderr, "cursor-ralph: a promise was given; verifying it: %s\n", printable(l.Verify))
	v := e.runVerify(ctx, l)
	v.ID = l.Verifying.ID
	return v
}

// checkVerify refuses a loop whose verification Cursor would not wait for.
func (e *env) checkVerify(l loop.State) error {
	if l.Verify == "" {
		return nil
	}
	for _, path := range e.hookFiles() {
		raw, err := os.ReadFile(path)
		if err != nil || !isFile(path) {
			continue
		}
		timeout := commands.InstalledTimeout(raw)
		if timeout > 0 && l.VerifyLimit() > commands.VerifyRoom(timeout) {
			return problem(fmt.Sprintf("--verify-timeout %s is more than Cursor waits for: the stop entry in %s has a timeout of %s", l.VerifyLimit(), path, timeout),
				fmt.Sprintf("nothing was started; `cursor-ralph install --verify-timeout %s` makes room for it", l.VerifyLimit()))
		}
	}
	return nil
}

// runByVerify gives the files that the verification obviously runs, as they are
// now: the words of the command that are files, and the file in which a build
// tool's command is written down. An agent that changes them could make any
// promise pass, which the user is told.
func runByVerify(command, dir string) loop.Contents {
	files := loop.Contents{}
	add := func(name string) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if content := contentOf(name); content != "" && len(files) < maxVerifyFiles {
			files[name] = content
		}
	}
	for _, word := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()<>{}'\"`=", r) }) {
		add(word)
		for _, name := range recipes(word) {
			add(name)
		}
	}
	if len(files) == 0 {
		return nil
	}
	return files
}

const (
	maxVerifyFiles = 20
	maxVerifyFile  = 16 << 20 // bytes: no script is larger
)

// recipes are where a build tool finds what it runs.
func recipes(tool string) []string {
	switch tool {
	case "make", "gmake":
		return []string{"GNUmakefile", "makefile", "Makefile"}
	case "npm", "yarn", "pnpm", "bun":
		return []string{"package.json"}
	case "just":
		return []string{"justfile", "Justfile"}
	case "task":
		return []string{"Taskfile.yml", "Taskfile.yaml"}
	}
	return nil
}

// contentOf is a fingerprint of a regular file, empty for anything else.
func contentOf(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxVerifyFile {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
