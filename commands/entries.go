package commands

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

const hookName = "cursor-ralph-hook"

// entry is one of ours in hooks.json.
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
	for _, f := range e.fields {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

const (
	quickTimeout = 10             // seconds, for the hooks that only take notes
	shellMatcher = "cursor-ralph" // other shell commands of the agent start no hook
)

// fullEvents are the events that an installation needs unless it is minimal.
func fullEvents() []string {
	return []string{"stop", "afterAgentResponse", "postToolUse", "postToolUseFailure", "afterShellExecution", "beforeSubmitPrompt"}
}

func (o Options) entries() []entry {
	if o.Minimal {
		return []entry{o.stopEntry()}
	}
	var list []entry
	for _, event := range fullEvents() {
		list = append(list, o.entry(event))
	}
	if o.PlanGuard != nil && *o.PlanGuard {
		list = append(list, o.guardEntry())
	}
	return list
}

// guardEvent is that of the plan guard alone.
const guardEvent = "preToolUse"

// guardEntry has no matcher: a tool that nobody has heard of must be denied, too. A hook that cannot be run denies every call.
func (o Options) guardEntry() entry {
	return entry{guardEvent, []field{
		{"command", text(o.command() + " --guard")}, // an event that cannot be read does not say what it is
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
		command += fmt.Sprintf(" --timeout %d", o.stopTimeout()) + o.quietFlag()
	}
	e := entry{event, []field{{"command", text(command)}}}
	if event == "afterShellExecution" {
		e.fields = append(e.fields, field{"matcher", text(shellMatcher)})
	}
	e.fields = append(e.fields, field{"timeout", hujson.Int(quickTimeout)})
	return e
}

// stopEntry writes both limits twice, for Cursor and as flags for the hook, which cannot see its own entry. With auto Cursor
// is told of no limit, and the hook finds out whether it keeps to that.
func (o Options) stopEntry() entry {
	limit, timeout := o.sessionLimit(), o.stopTimeout()
	command := fmt.Sprintf("%s --session-limit %s --timeout %d", o.command(), limit, timeout)
	if o.Minimal {
		command += " --minimal"
	}
	command += o.quietFlag() + o.typingFlags()
	loopLimit := hujson.Literal(limit)
	if limit == "none" || limit == "auto" {
		loopLimit = hujson.Literal("null")
	}
	return entry{"stop", []field{
		{"command", text(command)},
		{"timeout", hujson.Int(timeout)},
		{"loop_limit", loopLimit},
	}}
}

// quietFlag is for the hooks that show notifications.
func (o Options) quietFlag() string {
	if o.NoNotify != nil && *o.NoNotify {
		return " --no-notify"
	}
	return ""
}

// typingFlags are those that the hook passes on to cursor-ralph inject.
func (o Options) typingFlags() string {
	flags := ""
	if o.Injectors != nil && *o.Injectors != "" {
		flags += " --injectors " + quote(*o.Injectors, o.OS)
	}
	if o.FocusKeys != nil && *o.FocusKeys != "" {
		flags += " --focus-keys " + quote(*o.FocusKeys, o.OS)
	}
	if o.TypeUnchecked != nil && *o.TypeUnchecked {
		flags += " --type-unchecked"
	}
	return flags
}

func (o Options) command() string {
	return Invocation(o.hookPath(), o.OS)
}

// text is a JSON string without what looks like a comment: Cursor strips comments without regard to strings.
func text(s string) hujson.Literal {
	raw := string(hujson.String(s))
	if commentSign(raw) != "" {
		raw = strings.NewReplacer("/", `\/`, "*", `\u002a`).Replace(raw)
	}
	return hujson.Literal(raw)
}

// commentSign is the first comment sign in s, if any.
func commentSign(s string) string {
	for _, sign := range []string{"//", "/*", "*/"} {
		if strings.Contains(s, sign) {
			return sign
		}
	}
	return ""
}

// ours reports whether a command runs our hook and nothing else. The hook wrapped in something of the user's is the user's.
// Both shells' readings are tried: a project's file may have been installed on the other system.
func ours(command string) bool {
	return runsHook(command, false) || runsHook(command, true)
}

func runsHook(command string, windows bool) bool {
	list, ok := words(command, windows)
	if !ok || len(list) == 0 {
		return false
	}
	base := list[0][strings.LastIndexAny(list[0], `/\`)+1:]
	return base == hookName || strings.EqualFold(base, hookName+".exe")
}
