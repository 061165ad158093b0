package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// notify tells the user, by a notification of the desktop, what became of the
// loop where nothing in the chat tells it. It is shown by cursor-ralph, in a
// process of its own: the hook neither links nor waits for a desktop.
func (h *handler) notify(l loop.State, a loop.Action) {
	if !worthTelling(l, a) || h.flags.quiet || h.getenv("CURSOR_RALPH_NO_NOTIFY") != "" || !platform.HasDesktop(runtime.GOOS, h.getenv) {
		return
	}
	program, err := cursorRalph()
	if err == nil {
		err = platform.Start(program, "notify", "--if-wanted", "--", l.ConversationID)
	}
	if err != nil {
		h.fail(err)
	}
}

// cursorRalph is the path of the program that is installed beside the hook.
func cursorRalph() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	name := strings.Replace(filepath.Base(self), "cursor-ralph-hook", "cursor-ralph", 1)
	return filepath.Join(filepath.Dir(self), name), nil
}

// worthTelling leaves out what the user did.
func worthTelling(l loop.State, a loop.Action) bool {
	switch l.Status {
	case loop.PromiseAccepted, loop.MaxIterations, loop.MaxDuration, loop.Blocked:
		return true
	case loop.Paused:
		return l.PauseReason != "user" && a.Why == l.Reason
	}
	return a.Kind == loop.HandOver
}
