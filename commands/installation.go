package commands

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
)

// Installation is what a hooks.json has of our hook. The zero Installation has nothing.
type Installation struct {
	Events     []string      // at which our hook runs, also inside another command
	Wrapped    []string      // the user's own entries that run it, as event: command
	Unparsable bool          // for Cursor too
	Timeout    time.Duration // how long Cursor lets our stop entry take; zero without one
	PlanGuard  bool          // there is an entry for the plan guard
	PreCompact bool          // there is one for summaries of the chat
	Typing     Typing        // what our stop entry says about typing
	Quiet      bool          // our stop entry turns notifications off

	own     bool // there are entries that a removal removes
	limit   string
	minimal bool
	linger  *time.Duration // nil for the default
	verify  time.Duration  // what the stop entry has time for
}

// Typing is what an installation says about typing into Cursor; the fields are those of Options.
type Typing struct {
	Injectors, FocusKeys, SubmitKey string
	Unchecked                       bool
}

// Installed reads what a hooks.json has of our hook. It is the one answer to whether our hook is installed: neither a comment nor
// another program's command that mentions it is an installation. A file that does not parse has nothing, as for Cursor.
func Installed(raw []byte) Installation {
	_, text := splitMark(raw)
	d, err := parse(text)
	if err != nil {
		return Installation{Unparsable: true}
	}
	var i Installation
	for _, m := range d.allEvents() {
		mine := len(oursIn(elements(&m.Value)))
		i.own = i.own || mine > 0
	}
	for _, e := range d.installed("") {
		i.Events = append(i.Events, e.event)
		i.PlanGuard = i.PlanGuard || e.event == guardEvent
		i.PreCompact = i.PreCompact || e.event == compactEvent
		if e.event == "stop" && i.Timeout == 0 {
			i.Timeout = e.timeout(d)
		}
	}
	return i.withSettings(d).withWrapped(d)
}

// withSettings adds those of our stop entry, also of one written for another system.
func (i Installation) withSettings(d *doc) Installation {
	for _, goos := range []string{"linux", "windows"} {
		for _, e := range d.installed(goos) {
			if e.event == "stop" && e.words != nil {
				i.limit, i.minimal, i.Quiet = e.limit(d), e.has("--minimal"), e.has("--no-notify")
				i.linger, i.verify = e.linger(goos), max(e.timeout(d)-stopMargin, 0)
				i.Typing = Typing{e.names("--injectors"), e.names("--focus-keys"), e.names("--submit-key"), e.has("--type-unchecked")}
				return i
			}
		}
	}
	return i
}

// withWrapped adds the events of entries that run our hook inside another command.
func (i Installation) withWrapped(d *doc) Installation {
	for _, m := range d.allEvents() {
		for _, v := range elements(&m.Value) {
			if !wrapsIn(v) {
				continue
			}
			i.Wrapped = append(i.Wrapped, nameOf(m)+": "+stringIn(v, "command"))
			if !i.At(nameOf(m)) {
				i.Events = append(i.Events, nameOf(m))
			}
		}
	}
	return i
}

// RunsHook reports whether a command runs our hook, also behind a program that starts another one.
func RunsHook(command string) bool { return ours(command) || wraps(command) }

// Any reports whether our hook is installed at all.
func (i Installation) Any() bool { return len(i.Events) > 0 }

// At reports whether our hook runs at an event.
func (i Installation) At(event string) bool { return slices.Contains(i.Events, event) }

type installed struct {
	event string
	value *hujson.Value
	words []string // of its command, empty when that is written for another system
}

func (d *doc) installed(goos string) []installed {
	var list []installed
	for _, m := range members(d.hooks()) {
		for _, v := range oursIn(elements(&m.Value)) {
			e := installed{event: nameOf(m), value: v}
			if command, shell := stringIn(v, "command"), shellwords.Of(goos); runsHook(command, shell) {
				e.words, _ = shell.One(command)
			}
			list = append(list, e)
		}
	}
	return list
}

func (e installed) has(flag string) bool { return slices.Contains(e.words, flag) }

func (e installed) flag(name, missing string) string {
	for i, w := range e.words {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			return value
		}
		if w == name && i+1 < len(e.words) {
			return e.words[i+1]
		}
	}
	return missing
}

// names is a flag's value, empty if the installer would not write it.
func (e installed) names(flag string) string {
	if value := e.flag(flag, ""); nameList(value) {
		return value
	}
	return ""
}

// field is a member as it is written in the file.
func (e installed) field(d *doc, name, missing string) string {
	if v := find(e.value, name); v != nil {
		return d.source(v)
	}
	return missing
}

// linger is the flag's value, nil if it is the default or if the installer would not write it.
func (e installed) linger(goos string) *time.Duration {
	d, err := time.ParseDuration(e.flag("--linger", ""))
	if err != nil || d < 0 || d > MaxLinger || d == hook.Linger(goos) {
		return nil
	}
	return &d
}

// limit prefers what Cursor obeys: a user who changes one of the two by hand changes that one. If Cursor has no limit, only the
// flag says whether we asked for none or auto.
func (e installed) limit(d *doc) string {
	limit, flag := e.field(d, "loop_limit", ""), e.flag("--session-limit", "")
	if limit == "null" && flag == "auto" {
		return "auto"
	}
	if limit == "null" {
		return "none"
	}
	for _, l := range []string{limit, flag} {
		if checkLimit(l) == nil {
			return l
		}
	}
	return ""
}

const (
	defaultTimeout = "60"                      // seconds that Cursor allows an entry without a timeout (documented)
	mostTimeout    = 10 * 365 * 24 * time.Hour // less than a time.Duration can hold
)

// timeout is how long Cursor lets an entry run; zero if it is not a number.
func (e installed) timeout(d *doc) time.Duration {
	seconds, _ := strconv.ParseFloat(e.field(d, "timeout", defaultTimeout), 64)
	return time.Duration(min(max(seconds, 0), mostTimeout.Seconds()) * float64(time.Second))
}
