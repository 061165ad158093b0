package cli

import (
	"os"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Self is this program, for what it does in a process of its own.
func Self() handoff.Program {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return handoff.Program(path)
}

// UserShell returns the shell for commands of the user, empty for the system's.
func (e *Env) UserShell() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	return e.Getenv("SHELL")
}

// Read fills in a call with the flags of the command line.
func (e *Env) Read(call interface{ Flags(handoff.Flags) }) { call.Flags(parsed{e.Flags}) }

// StartWatcher starts the watcher unless one runs. A loop goes on without it. An agent's may be in a sandbox, where it could
// tell the user nothing, and would keep the lock.
func (e *Env) StartWatcher() {
	if e.Getenv("CURSOR_RALPH_NO_WATCHER") != "" || e.ByAgent() {
		return
	}
	if err := Self().Watch(e.Places.WatcherLock()); err != nil {
		e.Log(hooklog.Line{Event: "watcher", Action: "error", Why: "the watcher was not started: " + err.Error()})
	}
}

// StartOnEnd has the command of --on-end run.
func (e *Env) StartOnEnd(l loop.State) {
	if err := Self().OnEnd(l); err != nil {
		e.Log(hooklog.Line{Conversation: l.ConversationID, Loop: l.ShortID(), Event: "on-end", Action: "error", Why: err.Error()})
	}
}

// Prune removes old records in a process of its own, when a loop has ended. If that
// fails, the next end does it.
func (e *Env) Prune() {
	if e.Getenv("CURSOR_RALPH_NO_WATCHER") == "" && !e.ByAgent() {
		_ = Self().Prune()
	}
}

// parsed reads parsed flags. A flag that the command does not have is zero.
type parsed struct{ set *pflag.FlagSet }

func (f parsed) BoolVar(p *bool, name string, _ bool, _ string) { *p, _ = f.set.GetBool(name) }

func (f parsed) IntVar(p *int, name string, _ int, _ string) { *p, _ = f.set.GetInt(name) }

func (f parsed) StringVar(p *string, name string, _ string, _ string) { *p, _ = f.set.GetString(name) }

func (f parsed) DurationVar(p *time.Duration, name string, _ time.Duration, _ string) {
	*p, _ = f.set.GetDuration(name)
}
