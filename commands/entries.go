package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
)

const hookName = "cursor-ralph-hook"

type entry struct {
	event  string
	fields []field
}

type field struct {
	name  string
	value hujson.Literal
}

// value is nil for a field that the entry does not have.
func (e entry) value(name string) hujson.Literal {
	i := slices.IndexFunc(e.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return e.fields[i].value
}

const (
	quickTimeout = 10             // seconds, for the hooks that only take notes
	shellMatcher = "cursor-ralph" // other shell commands of the agent start no hook
)

// fullEvents are the events that an installation needs unless it is minimal.
func fullEvents() []string {
	return []string{"stop", "afterAgentResponse", "postToolUse", "postToolUseFailure", "afterShellExecution", "beforeSubmitPrompt"}
}

func (o Options) entries() (list []entry) {
	if o.Minimal {
		return []entry{o.stopEntry()}
	}
	for _, event := range fullEvents() {
		list = append(list, o.entry(event))
	}
	if o.PreCompact != nil && *o.PreCompact {
		list = append(list, o.entry(compactEvent))
	}
	if o.PlanGuard != nil && *o.PlanGuard {
		list = append(list, o.guardEntry())
	}
	return list
}

// guardEvent is the event of the plan guard, and of no other entry.
const guardEvent = "preToolUse"

// compactEvent comes before Cursor summarizes a chat. Which version has it first is not known, and an older one drops the whole
// file: so the user asks for it.
const compactEvent = "preCompact"

// guardEntry has no matcher: unknown tools must be denied, too. If the hook cannot be run, Cursor denies every call.
func (o Options) guardEntry() entry {
	return entry{guardEvent, []field{
		{"command", literal(o.command() + " --guard" + o.lingerFlag())}, // an event that cannot be read does not say what it is
		{"timeout", hujson.Int(quickTimeout)},
		{"failClosed", hujson.Bool(true)},
	}}
}

func (o Options) entry(event string) entry {
	if event == "stop" {
		return o.stopEntry()
	}
	command := o.command()
	if event == "beforeSubmitPrompt" { // refuses a loop whose verification would not fit into the stop entry's timeout
		command += fmt.Sprintf(" --timeout %d", o.stopTimeout()) + o.lingerFlag() + o.quietFlag()
	}
	e := entry{event, []field{{"command", literal(command)}}}
	if event == "afterShellExecution" {
		e.fields = append(e.fields, field{"matcher", literal(shellMatcher)})
	}
	e.fields = append(e.fields, field{"timeout", hujson.Int(quickTimeout)})
	return e
}

// stopEntry writes both limits twice, for Cursor and as flags for the hook, which cannot see its own entry. With auto we set no
// limit for Cursor, and the hook finds out whether Cursor has one all the same.
func (o Options) stopEntry() entry {
	limit, timeout := o.sessionLimit(), o.stopTimeout()
	command := fmt.Sprintf("%s --session-limit %s --timeout %d", o.command(), limit, timeout) + o.lingerFlag()
	if o.Minimal {
		command += " --minimal"
	}
	command += o.quietFlag() + o.typingFlags()
	loopLimit := hujson.Literal(limit)
	if limit == "none" || limit == "auto" {
		loopLimit = hujson.Literal("null")
	}
	return entry{"stop", []field{
		{"command", literal(command)},
		{"timeout", hujson.Int(timeout)},
		{"loop_limit", loopLimit},
	}}
}

// lingerFlag is for hooks whose answers matter. Entries for no particular system leave the time to the hook.
func (o Options) lingerFlag() string {
	switch {
	case o.Linger != nil:
		return " --linger " + o.Linger.String()
	case o.OS == "":
		return ""
	}
	return " --linger " + hook.Linger(o.OS).String()
}

func (o Options) quietFlag() string {
	if o.NoNotify != nil && *o.NoNotify {
		return " --no-notify"
	}
	return ""
}

// typingFlags are passed on by the hook to cursor-ralph inject.
func (o Options) typingFlags() string {
	flags := ""
	for _, f := range []struct {
		name   string
		value  *string
		normal string // needs no flag
	}{{"injectors", o.Injectors, ""}, {"focus-keys", o.FocusKeys, ""}, {"submit-key", o.SubmitKey, "return"}} {
		if f.value != nil && *f.value != "" && *f.value != f.normal {
			flags += " --" + f.name + " " + Quote(*f.value, o.OS)
		}
	}
	if o.TypeUnchecked != nil && *o.TypeUnchecked {
		flags += " --type-unchecked"
	}
	return flags
}

func (o Options) command() string {
	return Invocation(o.hookPath(), o.OS)
}

// literal returns a JSON string in which nothing looks like a comment: Cursor strips comments inside strings, too.
func literal(s string) hujson.Literal {
	raw := string(hujson.String(s))
	if commentSign(raw) != "" {
		raw = strings.NewReplacer("/", `\/`, "*", `\u002a`).Replace(raw)
	}
	return hujson.Literal(raw)
}

func commentSign(s string) string {
	for _, sign := range []string{"//", "/*", "*/"} {
		if strings.Contains(s, sign) {
			return sign
		}
	}
	return ""
}

// ours reports whether a command runs our hook and nothing else. A hook that the user wrapped in another command is the user's.
// Both shells' rules are tried: a project's file may have been installed on the other system.
func ours(command string) bool {
	return runsHook(command, shellwords.POSIX) || runsHook(command, shellwords.PowerShell)
}

func runsHook(command string, d shellwords.Dialect) bool {
	list, ok := d.One(command)
	if !ok || len(list) == 0 {
		return false
	}
	return isHook(list[0][strings.LastIndexAny(list[0], `/\`)+1:])
}

func isHook(base string) bool { return base == hookName || strings.EqualFold(base, hookName+".exe") }

// wraps reports whether a command runs our hook in a way that we do not write: behind a program that starts another one, such as
// time, or as a part of a longer command. Mentioning its name is not running it.
func wraps(command string) bool {
	if ours(command) {
		return false
	}
	parts := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(";|&()\n", r) }) // a quoted one leaves an open quote behind
	parts = append(parts, command)
	return slices.ContainsFunc(parts, func(part string) bool {
		return startsHook(part, shellwords.POSIX) || startsHook(part, shellwords.PowerShell)
	})
}

func starters() []string {
	return []string{"env", "exec", "command", "time", "nice", "ionice", "nohup", "timeout", "sudo", "caffeinate"}
}

func shells() []string { return []string{"sh", "bash", "dash", "zsh"} }

// startsHook skips assignments, starters, and their options and numbers.
func startsHook(part string, d shellwords.Dialect) bool {
	list, ok := d.One(part)
	if !ok {
		return false
	}
	started := false
	for i, w := range list {
		switch base := w[strings.LastIndexAny(w, `/\`)+1:]; {
		case isHook(base):
			return true
		case slices.Contains(shells(), base):
			return i+2 < len(list) && strings.HasPrefix(list[i+1], "-") && strings.HasSuffix(list[i+1], "c") && RunsHook(list[i+2])
		case slices.Contains(starters(), base):
			started = true
		case started && (strings.HasPrefix(w, "-") || strings.Trim(w, "0123456789.smhd") == ""), strings.Contains(w, "="):
		default:
			return false
		}
	}
	return false
}
