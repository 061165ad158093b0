package onevent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/gate"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/internal/survey"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// cursorRalph is the program that is installed beside the hook.
func cursorRalph() handoff.Program {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return handoff.Beside(self)
}

// calledByAgent returns how the agent's shell calls cursor-ralph: a login shell, as the one
// that runs us, so our PATH is its. It is empty where the name is enough.
func (h *handler) calledByAgent() string {
	if h.host != nil {
		return h.calledInHost()
	}
	path := string(cursorRalph())
	for _, folder := range filepath.SplitList(h.getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(folder, filepath.Base(path))); err == nil && info.Mode().IsRegular() {
			return ""
		}
	}
	if _, err := os.Stat(path); err != nil || !filepath.IsAbs(path) {
		return ""
	}
	return shellwords.Invocation(path, runtime.GOOS)
}

// calledInHost is the full path, as the host's rule for our program has it: that of the entry, which stays over upgrades.
func (h *handler) calledInHost() string {
	path := cursorRalph()
	if filepath.IsAbs(os.Args[0]) {
		path = handoff.Beside(os.Args[0])
	}
	return shellwords.Invocation(string(path), runtime.GOOS)
}

// hostTitle names the host in the loop's state; empty for Cursor.
func (h *handler) hostTitle() string {
	if h.host == nil {
		return ""
	}
	return h.host.Title
}

// hasSettings reports whether the user has settings of his own.
func (h *handler) hasSettings() bool {
	path := platform.ConfigFile(runtime.GOOS, h.getenv)
	if path == "" {
		return false
	}
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// typeWait is how long to ask whether typing is possible: a display that hangs
// must not hold the editor. Away from X11 and Wayland another program has to be
// started for it, PowerShell or osascript; a window with our extension has to answer.
func typeWait(d platform.Desktop, window bool) time.Duration {
	if !window && (d.Kind == platform.X11 || d.Kind == platform.Wayland) {
		return time.Second
	}
	return 2500 * time.Millisecond
}

// typing finds out whether the continue line can be typed here and now, or sent in a
// new chat, which our extension alone creates.
func (h *handler) typing(ctx context.Context, fresh bool) loop.Typing {
	desktop := platform.FindDesktop(runtime.GOOS, h.getenv)
	window := h.places.HasRendezvous() // our extension reaches a chat without a desktop too
	why := desktop.Why
	if fresh && !window {
		why = "no window of the editor runs our extension, which could open a new chat"
	} else if desktop.Kind != platform.NoDesktop || window {
		ctx, cancel := h.time.within(ctx, typeWait(desktop, window))
		defer cancel()
		err := cursorRalph().CanType(ctx, handoff.Inject{Conversation: h.in.ConversationID, Fresh: fresh})
		if err == nil {
			return loop.TypingPossible
		}
		why = "cursor-ralph inject --dry-run: " + err.Error() + "; cursor-ralph doctor tells more"
	}
	h.log(hooklog.Line{Action: "typing-impossible", Why: why})
	return loop.TypingImpossible
}

// inject starts the process that types the continue line once we are gone.
func (h *handler) inject(ctx context.Context, l loop.State) {
	err := cursorRalph().Inject(handoff.Inject{
		Conversation: h.in.ConversationID, Injection: l.Delivery.ID, After: h.pid,
	})
	if err == nil {
		return
	}
	h.fail(err)
	failed := loop.Delivery{ID: l.Delivery.ID, Outcome: loop.Outcome("it could not be started: " + err.Error())}
	l, _, err = h.store.Apply(ctx, l.ConversationID, loop.Event{Kind: loop.EventInjected, Injected: loop.Injected{Line: failed}})
	h.failIf(err)
	h.notify(l, loop.Action{Kind: loop.HandOver})
}

// verify runs the gate round of a promise, as long as Cursor lets us: at the stop entry's
// timeout it kills us and takes no answer. Commands and reviews run below a child process,
// which ends them if the hook is killed.
func (h *handler) verify(l loop.State) loop.Verification {
	limit := min(l.RoundLimit(), loop.VerifyRoom)
	line := hooklog.Line{Loop: l.ShortID(), Iteration: l.Iteration(), Max: l.MaxIterations, Action: "verifying", Why: l.GateNames()}
	h.log(line)
	var v loop.Verification
	if l.Verify == "" && l.Review == "" {
		v = gate.Run(context.Background(), gate.Round{Loop: l, Limit: limit})
	} else {
		v = cursorRalph().Verify(context.Background(), l, limit)
	}
	line.Action, line.Reason, line.Why = "verified", v.Result(), v.Summary()
	h.log(line)
	return v
}

// survey surveys the loop. If the time is not enough at its beginning, the agent's call of cursor-ralph does it.
func (h *handler) survey(ctx context.Context, l loop.State, begin bool) (loop.Survey, error) {
	ctx, cancel := h.time.within(ctx, longest)
	defer cancel()
	v, err := survey.Survey{Places: h.places, Env: os.Environ()}.Take(ctx, l, begin)
	for _, why := range v.Errors {
		h.log(hooklog.Line{Loop: l.ShortID(), Iteration: l.Iteration(), Max: l.MaxIterations, Action: "survey-failed", Why: why})
	}
	if err != nil {
		err = fmt.Errorf("survey: %w", err)
	}
	h.failIf(err)
	return v, err
}

// notify shows the user what became of the loop if nothing in the chat does.
func (h *handler) notify(l loop.State, a loop.Action) {
	if isWorthANotice(l, a) {
		h.notifyOf(l)
	}
}

func (h *handler) notifyOf(l loop.State) {
	if h.mayNotify() {
		h.failIf(cursorRalph().Notify(l.ConversationID, handoff.Notify{IfWanted: true}))
	}
}

// undecided logs why a stop could not be decided, and notifies the user: nobody is at work now.
func (h *handler) undecided(why error) {
	h.fail(why)
	if h.mayNotify() {
		h.failIf(cursorRalph().Notify(h.in.ConversationID, handoff.Notify{IfWanted: true, Undecided: true}))
	}
}

// mayNotify reports whether there may be a channel for notices: a desktop, or what
// the settings name.
func (h *handler) mayNotify() bool {
	return h.getenv("CURSOR_RALPH_NO_NOTIFY") == "" &&
		(platform.HasDesktop(runtime.GOOS, h.getenv) || h.hasSettings())
}

// isWorthANotice leaves out what the user did.
func isWorthANotice(l loop.State, a loop.Action) bool {
	switch l.Status {
	case loop.PromiseAccepted, loop.MaxIterations, loop.MaxDuration, loop.MaxTokens, loop.Blocked:
		return true
	case loop.Paused:
		return a.Reason.Pauses()
	}
	return a.Kind == loop.HandOver
}

// announce does what the agent's call that ended a loop did not: it starts no process.
func (h *handler) announce(l loop.State) {
	if l.OnEnd != "" {
		h.over = append(h.over, l)
	}
	if l.Status == loop.Blocked {
		h.notifyOf(l)
	}
	h.ended = true
}

// onEnd has the commands of --on-end run. The editor does not wait for them.
func (h *handler) onEnd() {
	for _, l := range h.over {
		h.failIf(cursorRalph().OnEnd(l))
	}
}

// prune has old records removed after a loop has ended. The editor does not wait for
// this. If it fails, the next end does it.
func (h *handler) prune() {
	if h.ended && h.getenv("CURSOR_RALPH_NO_WATCHER") == "" {
		_ = cursorRalph().Prune()
	}
}

// watch starts the user's watcher if a loop goes on and none runs. It notices lost
// follow-ups and stalled loops. The editor does not wait for this: the answer is
// out.
func (h *handler) watch() {
	if !h.watched || h.getenv("CURSOR_RALPH_NO_WATCHER") != "" {
		return
	}
	if err := cursorRalph().Watch(h.places.WatcherLock()); err != nil {
		h.fail(fmt.Errorf("start the watcher: %w", err))
	}
}
