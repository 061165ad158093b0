// Package commands is what we put into Cursor: the slash commands, our entries in hooks.json, and the checks of that file.
//
// It plans first and writes second: Plan and PlanRemoval read, decide and write nothing, so that a dry run shows exactly what
// Apply will do. It is not the hook, knows nothing of loops, and never prints: errors that a person can act on have a hint
// (package internal/hint).
//
// Apply replaces each file atomically; it takes no lock, and fails if a file has changed since the plan. Errors wrap those of
// package os. Facts about Cursor have their source beside them: documented, seen or reported, as in package hook.
package commands

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Options say what to install and where.
type Options struct {
	Folder        string         // the .cursor folder, absolute
	Project       bool           // Folder is a project's: symbolic links are refused, as Cursor refuses them there
	Hook          string         // absolute path of cursor-ralph-hook
	Program       string         // how the agent's shell calls cursor-ralph: a name or an absolute path; empty is cursor-ralph
	OS            string         // a GOOS value, it decides the quoting
	SessionLimit  string         // a number of at least 1, none or auto; empty is what is installed, else auto
	Minimal       bool           // the stop entry only, for a Cursor that does not know our other events
	KeepMinimal   bool           // Minimal too is what is installed
	Injectors     *string        // ways of typing in order, joined by commas, or none; empty is those of the desktop, nil is what is installed
	SubmitKey     *string        // the key that sends a message; empty or return is Return, nil is what is installed
	FocusKeys     *string        // keys to press before typing the line, such as ctrl+i; empty for no keys, nil for what is installed
	TypeUnchecked *bool          // ways of typing that cannot check the focus may be used; nil is what is installed
	Linger        *time.Duration // how long the hook stays after an answer that must not be lost; nil is what is installed, else hook.Linger
	NoNotify      *bool          // show no notifications; nil is what is installed
	PlanGuard     *bool          // ask our hook before every tool call, which keeps a plan loop's agent from changing things; nil is what is installed
	PreCompact    *bool          // have our hook told of a summary of the chat, for loops with --repeat first; nil is what is installed
	VerifyTimeout time.Duration  // longest --verify the stop entry must have time for; zero is what is installed, else ten minutes
	AnyEvent      bool           // accept event names in hooks.json that we do not know
}

// PluginName is what Cursor calls our plugin, which is the folder plugin of the repository.
const PluginName = "cursor-ralph"

// MaxLinger is the longest time that a hook may stay: it has five seconds in all.
const MaxLinger = 2 * time.Second

const (
	defaultSessionLimit  = "auto"
	defaultVerifyTimeout = 10 * time.Minute
	stopMargin           = time.Minute // what the stop hook may need besides the verification
)

func (o Options) program() string { return cmp.Or(o.Program, "cursor-ralph") }

func (o Options) sessionLimit() string { return cmp.Or(o.SessionLimit, defaultSessionLimit) }

// stopTimeout is the timeout of the stop entry in whole seconds, rounded up.
func (o Options) stopTimeout() int64 {
	return int64((cmp.Or(o.VerifyTimeout, defaultVerifyTimeout) + stopMargin + time.Second - 1) / time.Second)
}

// hookPath is Hook without the double slashes that Cursor would take for a comment.
func (o Options) hookPath() string {
	if o.OS == "windows" {
		return strings.ReplaceAll(o.Hook, "/", `\`)
	}
	return path.Clean(o.Hook)
}

func (o Options) check() error {
	if err := o.checkFolder(); err != nil {
		return err
	}
	if !o.absoluteHook() {
		return hint.New(fmt.Sprintf("hook %q is not an absolute path", o.Hook), "give the full path of cursor-ralph-hook")
	}
	for _, s := range []string{o.Hook, o.program()} {
		if !utf8.ValidString(s) || text.HasControl(s) {
			return hint.New(fmt.Sprintf("path %q cannot be written into a command", s), "move the program to a path without control characters")
		}
	}
	if !ours(o.command()) {
		return hint.New(fmt.Sprintf("hook %q is not named cursor-ralph-hook", o.Hook), "uninstall knows our entries by that name: do not rename the program")
	}
	if o.Linger != nil && (*o.Linger < 0 || *o.Linger > MaxLinger) {
		return hint.Misuse(fmt.Sprintf("linger %s is not between 0 and %s", text.Exactly(*o.Linger), text.Exactly(MaxLinger)), "give a duration such as 100ms, or 0 to turn it off")
	}
	if o.VerifyTimeout < 0 {
		return hint.Misuse(fmt.Sprintf("verify timeout %s is negative", text.Exactly(o.VerifyTimeout)), "give a duration such as 10m")
	}
	for name, value := range map[string]*string{"injectors": o.Injectors, "focus keys": o.FocusKeys, "submit key": o.SubmitKey} {
		if value != nil && *value != "" && !nameList(*value) {
			return hint.Misuse(fmt.Sprintf("%s %q are not names", name, *value), "give injectors such as xtest,robotgo, and keys such as ctrl+i")
		}
	}
	return checkLimit(o.sessionLimit())
}

func (o Options) checkFolder() error {
	if !filepath.IsAbs(o.Folder) {
		return hint.New(fmt.Sprintf("folder %q is not an absolute path", o.Folder), "give the full path of the .cursor folder")
	}
	return nil
}

func (o Options) absoluteHook() bool {
	if o.OS != "windows" {
		return strings.HasPrefix(o.Hook, "/")
	}
	p := o.hookPath()
	return strings.HasPrefix(p, `\\`) || len(p) > 2 && p[1:3] == `:\`
}

func checkLimit(limit string) error {
	n, err := strconv.Atoi(limit)
	if limit == "none" || limit == "auto" || err == nil && n >= 1 && strconv.Itoa(n) == limit {
		return nil
	}
	return hint.Misuse(fmt.Sprintf("session limit %q is not a limit", limit), "give a whole number of at least 1, none or auto")
}

// nameList reports whether s looks like a list of injectors or keys. This package does not know which exist.
func nameList(s string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*([,+][A-Za-z0-9][A-Za-z0-9-]*)*$`).MatchString(s)
}
