// Package notify shows desktop notifications about loops.
package notify

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gen2brain/beeep"
	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Flags adds the flags of notify.
func Flags(f *pflag.FlagSet) {
	new(handoff.Notify).Flags(f)
	f.Bool("test", false, "show a test notification")
}

// Run shows a notification about a loop. The hook does not wait for it, so errors go to the log.
func Run(_ context.Context, e *cli.Env, args []string) error {
	if e.IsSet("test") {
		return show("cursor-ralph", "This is a test. You get a notice when a loop ends or waits for you.")
	}
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	l := found.State
	var call handoff.Notify
	if e.Read(&call); call.IfWanted && !wantsNotices(e) {
		return nil
	}
	return Show(e, l)
}

// Show shows a notification about a loop.
func Show(e *cli.Env, l loop.State) error {
	err := show(text.Notice("Ralph loop in "+filepath.Base(l.Workspace), titleLimit), notification(l, e.Now()))
	if err != nil {
		e.Log(hooklog.Line{Conversation: l.ConversationID, Event: "notify", Action: "error", Why: err.Error()})
	}
	return err
}

func show(title, words string) error {
	beeep.AppName = "cursor-ralph"
	if err := beeep.Notify(title, words, ""); err != nil {
		return fmt.Errorf("show a notification: %w", err)
	}
	return nil
}

// The most characters that a notification has: no desktop shows more.
const (
	titleLimit  = 80
	reasonLimit = 400
)

// notification returns where the loop stands and what the user can do.
func notification(l loop.State, now time.Time) string {
	if l.IsStalled(now) {
		words := text.Notice(fmt.Sprintf("Stalled after %s: no event for %s.", text.Count(l.Iterations, "iteration"), text.Duration(now.Sub(l.EventAt))), reasonLimit)
		if l.Outer() {
			return words + " Look at the terminal of cursor-ralph run."
		}
		return words + " Look at the chat.\n" + text.Notice("To go on, type "+loop.ContinueLine(l.ConversationID), reasonLimit)
	}
	if l.IsAsking() {
		return text.Notice(fmt.Sprintf("Waiting for your permission in iteration %d of %d. Answer in the terminal of cursor-ralph run.", l.Iteration(), l.MaxIterations), reasonLimit)
	}
	words := text.Notice(fmt.Sprintf("%s after %s. %s", l.Status.Word(), text.Count(l.Iterations, "iteration"), l.Reason), reasonLimit)
	switch {
	case l.Outer() && l.Status == loop.Paused:
		words += "\n" + text.Notice("To go on: "+l.ResumeCommand(now), reasonLimit)
	case l.Outer():
	case l.Status == loop.Waiting || l.Status == loop.Paused:
		words += "\n" + text.Notice("To go on, type "+loop.ContinueLine(l.ConversationID), reasonLimit) + "\n" + text.Notice("or open "+loop.PromptLink(l.ConversationID), reasonLimit)
	}
	return words
}

// May reports whether the user wants notifications and there may be a desktop for them.
func May(e *cli.Env) bool {
	return wantsNotices(e) && platform.HasDesktop(runtime.GOOS, e.Getenv)
}

// Later shows it in a process of its own, for a command whose output the agent waits for.
func Later(e *cli.Env, id string) error {
	if !May(e) {
		return nil
	}
	return cli.Self().Notify(id, handoff.Notify{})
}

// wantsNotices reports whether notifications are on. Unreadable settings count as on.
func wantsNotices(e *cli.Env) bool {
	if e.Getenv("CURSOR_RALPH_NO_NOTIFY") != "" {
		return false
	}
	c, _ := e.Config()
	return c.Get("notify.enabled").Text != "false"
}
