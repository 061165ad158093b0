package commands

import (
	"bytes"
	"errors"
	"io/fs"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// installed is an entry of ours as it is found in the file.
type installed struct {
	event string
	value hujson.Value
	words []string // of its command, empty when that is written for another system
}

func (d doc) installed(goos string) []installed {
	var list []installed
	hooks, _ := find(d.root, "hooks")
	for _, m := range members(hooks) {
		for _, v := range elements(m.Value) {
			command := stringIn(v, "command")
			if !ours(command) {
				continue
			}
			e := installed{event: nameOf(m), value: v}
			if windows := goos == "windows"; runsHook(command, windows) {
				e.words, _ = words(command, windows)
			}
			list = append(list, e)
		}
	}
	return list
}

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

func (e installed) minimal() bool { return slices.Contains(e.words, "--minimal") }

// names is a flag's value, empty if the installer would not write it.
func (e installed) names(flag string) string {
	if value := e.flag(flag, ""); nameList(value) {
		return value
	}
	return ""
}

// field is a member as it is written in the file.
func (e installed) field(d doc, name, missing string) string {
	v, at := find(e.value, name)
	if at < 0 {
		return missing
	}
	return d.source(v)
}

// settings are what an installation can be asked to keep.
type settings struct {
	limit     string // empty if there is none
	minimal   bool
	injectors string
	focusKeys string
	unchecked bool
	quiet     bool
	guard     bool
	verify    time.Duration // what the stop entry has time for
}

// settingsOf are those of our stop entry, also of one written for another system. The plan guard is an entry of its own.
func settingsOf(raw []byte) settings {
	_, text := splitMark(raw)
	d, err := parse(text)
	if err != nil {
		return settings{}
	}
	was := settings{guard: slices.ContainsFunc(d.installed(""), func(e installed) bool { return e.event == guardEvent })}
	for _, goos := range []string{"linux", "windows"} {
		for _, e := range d.installed(goos) {
			if e.event == "stop" && e.words != nil {
				was.limit, was.minimal, was.unchecked = e.limit(d), e.minimal(), slices.Contains(e.words, "--type-unchecked")
				was.verify, was.quiet = verifyOf(e.timeout(d)), slices.Contains(e.words, "--no-notify")
				was.injectors, was.focusKeys = e.names("--injectors"), e.names("--focus-keys")
				return was
			}
		}
	}
	return was
}

// Typing is what an installation says about typing into Cursor; the fields are
// those of Options.
type Typing struct {
	Injectors, FocusKeys string
	Unchecked            bool
}

// InstalledTyping gives the settings of typing in a hooks.json that has our stop
// entry.
func InstalledTyping(raw []byte) Typing {
	s := settingsOf(raw)
	return Typing{s.injectors, s.focusKeys, s.unchecked}
}

// HasPlanGuard reports whether a hooks.json has our entry for the plan guard.
func HasPlanGuard(raw []byte) bool { return settingsOf(raw).guard }

// limit prefers what Cursor keeps to: a user who changes one of the two by hand changes that one. A limit that is lifted for
// Cursor is none or auto, which only the flag tells.
func (e installed) limit(d doc) string {
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

const again = "run the installer again"

// installation finds what keeps our own entries from working.
func installation(d doc, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	list := d.installed(goos)
	found := slices.Concat(completeness(d, list), doubles(list), programs(list, goos, stat))
	for _, e := range list {
		if e.event == "stop" && e.words != nil {
			found = append(found, agreement(d, e)...)
		}
		if e.event == guardEvent {
			found = append(found, openings(d, e)...)
		}
	}
	return found
}

// openings finds what lets tool calls pass by the plan guard.
func openings(d doc, e installed) []Finding {
	var found []Finding
	if e.field(d, "failClosed", "false") != "true" {
		found = append(found, notice(again, "the %s entry has no failClosed: while our hook cannot be run, the plan guard lets every tool through", guardEvent))
	}
	if e.words != nil && !slices.Contains(e.words, "--guard") {
		found = append(found, notice(again, "the %s entry has no --guard: an event that our hook cannot read passes by the plan guard", guardEvent))
	}
	if matcher := stringIn(e.value, "matcher"); matcher != "" {
		found = append(found, notice(again, "the %s entry has the matcher %q: the plan guard does not see the other tools", guardEvent, matcher))
	}
	return found
}

// completeness finds events without our hook. Without --minimal a promise needs tool calls, which the other events report.
func completeness(d doc, list []installed) []Finding {
	at := slices.IndexFunc(list, func(e installed) bool { return e.event == "stop" })
	switch {
	case at < 0 && d.wrapped(), !bytes.Contains(d.raw, []byte(hookName)):
		return nil
	case at < 0:
		return []Finding{fatal(again, "no stop entry runs %s: no loop can go on", hookName)}
	case list[at].minimal():
		return nil
	}
	var found []Finding
	for _, event := range fullEvents() {
		if !slices.ContainsFunc(list, func(e installed) bool { return e.event == event }) {
			found = append(found, fatal(again, "no %s entry runs %s, and the stop entry has no --minimal", event, hookName))
		}
	}
	return found
}

func doubles(list []installed) []Finding {
	var found []Finding
	count := map[string]int{}
	for _, e := range list {
		if count[e.event]++; count[e.event] == 2 {
			found = append(found, notice(again+": it keeps one of them", "%s runs %s more than once", e.event, hookName))
		}
	}
	return found
}

// programs finds hooks that cannot be run. A path with variables, or none at all, is left to the shell.
func programs(list []installed, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	var found []Finding
	seen := map[string]bool{}
	for _, e := range list {
		if e.words == nil {
			found = append(found, fatal(again+" on this system", "the %s entry is written for the shell of another system: %q", e.event, stringIn(e.value, "command")))
			continue
		}
		path := e.words[0]
		if seen[path] || !(Options{Hook: path, OS: goos}).absoluteHook() {
			continue
		}
		seen[path] = true
		found = append(found, program(path, goos, stat)...)
	}
	return found
}

func program(path, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	info, err := stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{fatal("put the program there, or run the installer of the one you have", "%q does not exist", path)}
	case err != nil:
		return []Finding{fatal("make it readable for you", "%q cannot be looked at: %v", path, err)}
	case !info.Mode().IsRegular(), goos != "windows" && info.Mode()&0o111 == 0:
		return []Finding{fatal("make it executable: chmod +x "+printable(quote(path, goos)), "%q is not an executable file", path)}
	}
	return nil
}

// agreement compares what the stop entry tells Cursor with what its flags tell the hook.
func agreement(d doc, e installed) []Finding {
	var found []Finding
	flag, limit := e.flag("--session-limit", "5"), e.field(d, "loop_limit", "5")
	if flag != limit && !(limit == "null" && (flag == "none" || flag == "auto")) {
		found = append(found, fatal(again, "the session limits disagree: loop_limit is %s, --session-limit is %q", limit, flag))
	}
	timeout := e.field(d, "timeout", "60")
	if flag := e.flag("--timeout", timeout); flag != timeout {
		found = append(found, fatal(again, "the timeouts disagree: timeout is %s, --timeout is %q", timeout, flag))
	}
	return found
}

// wrappers finds stop entries of the user's that run our hook among other things.
func wrappers(d doc) []Finding {
	var found []Finding
	for _, v := range d.stops() {
		if command := stringIn(v, "command"); !ours(command) && strings.Contains(command, hookName) {
			found = append(found, notice("check yourself that its flags agree with its loop_limit and timeout, and that it passes on stdin and stdout",
				"a stop entry runs %s inside another command, which is neither checked nor updated: %q", hookName, command))
		}
	}
	return found
}

// stops are the stop entries, ours and others'.
func (d doc) stops() []hujson.Value {
	hooks, _ := find(d.root, "hooks")
	stop, _ := find(hooks, "stop")
	return elements(stop)
}

// wrapped reports whether a stop entry runs our hook inside another command.
func (d doc) wrapped() bool {
	return slices.ContainsFunc(d.stops(), func(v hujson.Value) bool { return strings.Contains(stringIn(v, "command"), hookName) })
}

func matchers(d doc) []Finding {
	var found []Finding
	hooks, _ := find(d.root, "hooks")
	for _, m := range members(hooks) {
		for _, v := range elements(m.Value) {
			matcher := stringIn(v, "matcher")
			if err := badPattern(matcher); err != nil {
				found = append(found, notice("correct the pattern: the entry may never run", "a matcher of %s is not a regular expression: %q: %v", nameOf(m), matcher, err))
			}
		}
	}
	return found
}

// badPattern lets pass what only JavaScript knows (lookaround, back references, \u) and the * that stands for everything.
func badPattern(pattern string) error {
	_, err := syntax.Parse(pattern, syntax.Perl)
	var bad *syntax.Error
	if pattern == "*" || !errors.As(err, &bad) {
		return nil
	}
	switch bad.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidRepeatSize, syntax.ErrInvalidNamedCapture, syntax.ErrLarge, syntax.ErrNestingDepth:
		return nil
	}
	return errors.New(string(bad.Code))
}
