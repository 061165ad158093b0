package onevent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// How long the editor waits for what cursor-ralph does for us.
const (
	decideTime = 500 * time.Millisecond // is left to decide after each of them
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
	if h.called == "" {
		path := cursorRalph()
		if filepath.IsAbs(os.Args[0]) {
			path = handoff.Beside(os.Args[0])
		}
		h.called = shellwords.Invocation(string(path), runtime.GOOS)
	}
	return h.called
}

// hostTitle names the host in the loop's state; empty for Cursor.
func (h *handler) hostTitle() string {
	if h.host == nil {
		return ""
	}
	return h.host.Title
}

// within leaves time to decide after a wait.
func within(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)-decideTime)
	}
	return context.WithTimeout(ctx, wait)
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

// checkWait is to find out whether the reviewer is there.
const checkWait = 1500 * time.Millisecond

// checkGates says why the gates of a loop can never be passed. Only those are asked
// about whose programs are not ours.
func (h *handler) checkGates(ctx context.Context, l loop.State) string {
	if l.Review == "" {
		return ""
	}
	ctx, cancel := within(ctx, checkWait)
	defer cancel()
	problem, err := cursorRalph().CheckGates(ctx, l)
	h.failIf(err) // then the review itself says what is wrong
	return problem
}

// typeWait is how long to ask whether typing is possible: a display that hangs
// must not hold the editor. Away from X11 and Wayland another program has to be
// started for it, PowerShell or osascript; with a desktop bridge Cursor's command.
func typeWait(d platform.Desktop, bridge bool) time.Duration {
	if !bridge && (d.Kind == platform.X11 || d.Kind == platform.Wayland) {
		return time.Second
	}
	return 2500 * time.Millisecond
}

// typing finds out whether the continue line can be typed here and now, or sent in a
// new chat, which our extension alone creates.
func (h *handler) typing(ctx context.Context, fresh bool) loop.Typing {
	desktop := platform.FindDesktop(runtime.GOOS, h.getenv)
	_, bridge := platform.BridgeAnnounced(runtime.GOOS, h.getenv)
	bridge = bridge || h.places.HasRendezvous() // our extension reaches a chat without a desktop too
	why := desktop.Why
	if fresh && !bridge {
		why = "no window of the editor runs our extension, which could open a new chat"
	} else if desktop.Kind != platform.NoDesktop || bridge {
		ctx, cancel := within(ctx, typeWait(desktop, bridge))
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
// timeout it kills us and takes no answer.
func (h *handler) verify(l loop.State) loop.Verification {
	limit := min(l.RoundLimit(), loop.VerifyRoom)
	line := hooklog.Line{Loop: l.ShortID(), Iteration: l.Iteration(), Max: l.MaxIterations, Action: "verifying", Why: l.GateNames()}
	h.log(line)
	v := cursorRalph().Verify(context.Background(), l, limit)
	line.Action, line.Reason, line.Why = "verified", v.Result(), v.Summary()
	h.log(line)
	return v
}

// promptSurveyWait fits into the timeout of the prompt hook in hooks.json. If that is not
// enough, the agent's call of cursor-ralph surveys the loop.
const promptSurveyWait = 4 * time.Second

// survey surveys the loop, as long as that takes: the event's time begins again.
func (h *handler) survey(_ context.Context, l loop.State, begin bool) (loop.Survey, error) {
	ctx := context.Background()
	if h.in.EventName == hook.EventBeforeSubmitPrompt {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, promptSurveyWait)
		defer cancel()
	}
	v, err := cursorRalph().Survey(ctx, l, begin)
	h.renew(deadline)
	if err != nil {
		err = fmt.Errorf("cursor-ralph survey: %w", err)
	}
	for _, why := range v.Errors {
		h.log(hooklog.Line{Loop: l.ShortID(), Iteration: l.Iteration(), Max: l.MaxIterations, Action: "survey-failed", Why: why})
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

// undecidedAgain is how long the user is not told again that stops cannot be decided.
const undecidedAgain = time.Hour

// undecided tells the user that a stop could not be decided: nothing else shows that the loop stands still.
func (h *handler) undecided(err error) {
	mark := h.places.Undecided()
	if info, err := os.Lstat(mark); !h.mayNotify() || err == nil && h.now().Sub(info.ModTime()).Abs() < undecidedAgain {
		return
	}
	if f, err := os.OpenFile(mark, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600); err == nil {
		_ = f.Close() // nothing was written
	} else {
		_ = os.Chtimes(mark, h.now(), h.now()) // where that fails the user is told again
	}
	h.failIf(cursorRalph().Notify(h.in.ConversationID, handoff.Notify{IfWanted: true, Undecided: trouble(err)}))
}

// trouble says in words what keeps us from our files. The error has their names, which a notice must not have.
func trouble(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "another process holds its lock"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "its files cannot be written"
	}
	return "its files cannot be used"
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

// onEnd has the commands of --on-end run. The editor does not wait for them.
func (h *handler) onEnd() {
	for _, l := range h.over {
		h.failIf(cursorRalph().OnEnd(l))
	}
}

// prune has old records removed after a loop has ended. The editor does not wait for
// this. If it fails, the next end does it.
func (h *handler) prune() {
	if !h.ended {
		return
	}
	_ = os.Remove(h.places.Undecided()) // that is over
	if h.getenv("CURSOR_RALPH_NO_WATCHER") == "" {
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
