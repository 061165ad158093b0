package commands

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

const hookName = "cursor-ralph-hook"

// entry is one of our entries in hooks.json: the program, and what Cursor has to know of it. It has no settings and stays the
// same over upgrades.
type entry struct{ event, text string }

const quickTimeout = 10 // seconds, for the hooks that only take notes

// entries are those of an installation.
func (o Options) entries() []entry {
	command := o.command()
	quick := func(event string) entry {
		return entry{event, fmt.Sprintf(`{ "command": %s, "timeout": %d }`, literal(command), quickTimeout)}
	}
	return []entry{
		{"stop", fmt.Sprintf(`{ "command": %s, "timeout": %d, "loop_limit": null }`, literal(command), int(loop.StopTimeout.Seconds()))},
		quick("afterAgentResponse"), quick("postToolUse"), quick("postToolUseFailure"),
		quick("beforeSubmitPrompt"),
	}
}

func (o Options) command() string { return Invocation(o.hookPath(), o.OS) }

// literal returns a JSON string in which nothing looks like a comment: Cursor strips comments inside strings, too.
func literal(s string) string {
	raw := string(hujson.String(s))
	if commentSign(raw) != "" {
		raw = strings.NewReplacer("/", `\/`, "*", `\u002a`).Replace(raw)
	}
	return raw
}

func commentSign(s string) string {
	for _, sign := range []string{"//", "/*", "*/"} {
		if strings.Contains(s, sign) {
			return sign
		}
	}
	return ""
}

// isWritten reports whether an entry of a file says what we write, however it is formatted.
func (e entry) isWritten(v *hujson.Value) bool {
	is, want := meaning(v.Pack()), meaning([]byte(e.text))
	return want != nil && reflect.DeepEqual(is, want)
}

func meaning(raw []byte) (value any) {
	standard, err := hujson.Standardize(raw)
	if err != nil || json.Unmarshal(standard, &value) != nil {
		return nil
	}
	return value
}

// ours reports whether a command runs our hook and nothing else. Both shells' rules are tried: a project's file may have been
// installed on the other system.
func ours(command string) bool {
	return len(hookWords(command, shellwords.POSIX)) > 0 || len(hookWords(command, shellwords.PowerShell)) > 0
}

// hookWords are the words of a command that runs our hook, written for a shell; empty if it is another.
func hookWords(command string, d shellwords.Dialect) []string {
	list, ok := d.One(command)
	if !ok || len(list) == 0 {
		return nil
	}
	base := list[0][strings.LastIndexAny(list[0], `/\`)+1:]
	if base != hookName && !strings.EqualFold(base, hookName+".exe") {
		return nil
	}
	return list
}
