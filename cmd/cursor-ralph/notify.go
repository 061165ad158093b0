package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gen2brain/beeep"
	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

func notifyFlags(f *pflag.FlagSet) {
	f.Bool("if-wanted", false, "show it only to a user who has notifications on")
}

// notify shows a notification about a loop. The hook starts it and does not
// wait, so what goes wrong is told in the log.
func notify(_ context.Context, e *env, args []string) error {
	id, err := e.target(args)
	if err != nil {
		return err
	}
	l, err := e.find(id)
	if err != nil {
		return err
	}
	if e.isSet("if-wanted") && !e.wantsNotices() {
		return nil
	}
	return e.showNotification(l)
}

func (e *env) showNotification(l loop.State) error {
	beeep.AppName = "cursor-ralph"
	err := beeep.Notify(plain("Ralph loop in "+filepath.Base(l.Workspace), titleLimit), notification(l), "")
	if err != nil {
		err = fmt.Errorf("show a notification: %w", err)
		line := hooklog.Line{At: e.now(), Conversation: l.ConversationID, Event: "notify", Action: "error", Why: err.Error()}
		_ = hooklog.Append(e.places.Log(), line) // the error itself is told too
	}
	return err
}

// The most characters that a notification has: no desktop shows more.
const (
	titleLimit  = 80
	reasonLimit = 400
)

// notification says where the loop stands and what the user can do.
func notification(l loop.State) string {
	text := plain(fmt.Sprintf("%s after %d iterations. %s", l.Status.Word(), l.Iterations, l.Reason), reasonLimit)
	switch {
	case l.Outer() && l.Status == loop.Paused:
		text += "\n" + plain("To go on: cursor-ralph run --resume "+l.ConversationID, reasonLimit)
	case l.Outer():
	case l.Status == loop.Waiting || l.Status == loop.Paused:
		text += "\n" + plain("To go on, type "+loop.ContinueLine(l.ConversationID), reasonLimit) + "\n" + plain("or open "+loop.PromptLink(l.ConversationID), reasonLimit)
	}
	return text
}

// plain is one line that says nothing to a desktop but its words. Some read markup
// in a notification, and on Windows it may go through a script of PowerShell, a
// text in quotes in which the other signs would run what the agent wrote.
func plain(text string, limit int) string {
	letters := []rune(printable(strings.Join(strings.Fields(text), " ")))
	if len(letters) > limit {
		letters = append(letters[:limit-1], '…')
	}
	return strings.NewReplacer("<", "‹", ">", "›", "&", "+", "$", "＄", "`", "'", `"`, "'", "“", "'", "”", "'", "„", "'", "]]", "] ]").Replace(string(letters))
}

// mayNotify tells whether there may be a desktop that shows notifications, and
// the user wants them.
func (e *env) mayNotify() bool {
	return e.wantsNotices() && platform.HasDesktop(runtime.GOOS, e.getenv)
}

// notifyLater shows it in a process of its own, for a command whose output the
// agent waits for.
func (e *env) notifyLater(id string) error {
	if !e.mayNotify() {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return platform.Start(self, "notify", "--", id)
}

// wantsNotices tells whether the user has notifications on. One whose settings
// cannot be read is told more rather than less.
func (e *env) wantsNotices() bool {
	if e.getenv("CURSOR_RALPH_NO_NOTIFY") != "" {
		return false
	}
	c, _ := e.config()
	return c.Get("notify.enabled").Text != "false"
}
