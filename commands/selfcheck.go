package commands

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/tailscale/hujson"
)

const again = "run the installer again"

// installation finds what keeps our own entries from working.
func installation(d *doc, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	list := d.installed(goos)
	found := slices.Concat(completeness(d, list), doubles(list), programs(d, list, goos, stat))
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
func openings(d *doc, e installed) []Finding {
	var found []Finding
	if e.field(d, "failClosed", "false") != "true" {
		found = append(found, notice(again, "the %s entry has no failClosed: while our hook cannot be run, the plan guard lets every tool through", guardEvent))
	}
	if e.words != nil && !e.has("--guard") {
		found = append(found, notice(again, "the %s entry has no --guard: an event that our hook cannot read passes by the plan guard", guardEvent))
	}
	if matcher := stringIn(e.value, "matcher"); matcher != "" {
		found = append(found, notice(again, "the %s entry has the matcher %q: the plan guard does not see the other tools", guardEvent, matcher))
	}
	return found
}

// completeness finds events without our hook. Without --minimal a promise needs tool calls, which the other events report.
func completeness(d *doc, list []installed) []Finding {
	at := slices.IndexFunc(list, func(e installed) bool { return e.event == "stop" })
	switch {
	case at < 0 && d.wrapped(), len(list) == 0:
		return nil
	case at < 0:
		return []Finding{fatal(again, "no stop entry runs %s: no loop can go on", hookName)}
	case list[at].has("--minimal"):
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
func programs(d *doc, list []installed, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	var found []Finding
	seen := map[string]bool{}
	for _, e := range list {
		if e.words == nil {
			found = append(found, fatal(again+" on this system", "the %s entry is written for the shell of another system: %q", e.event, stringIn(e.value, "command")).at(d, e.value))
			continue
		}
		path := e.words[0]
		if seen[path] || !(Options{Hook: path, OS: goos}).absoluteHook() {
			continue
		}
		seen[path] = true
		for _, f := range append(program(path, goos, stat), versioned(path, list)...) {
			found = append(found, f.at(d, e.value))
		}
	}
	return found
}

// versioned finds a path that the next upgrade removes.
func versioned(path string, list []installed) []Finding {
	if !Versioned(path) {
		return nil
	}
	return []Finding{notice(again+": it writes the link of your package manager instead", "%q is in a folder of one version: the next upgrade removes it, %s", path, consequence(list))}
}

// consequence is what happens when the hook is gone.
func consequence(list []installed) string {
	if slices.ContainsFunc(list, func(e installed) bool { v := find(e.value, "failClosed"); return v != nil && v.Value.Kind() == 't' }) {
		return "and then Cursor denies every tool call (failClosed)"
	}
	return "and then no loop goes on"
}

func program(path, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	info, err := stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{fatal("put the program there, or run the installer of the one you have", "%q does not exist", path)}
	case err != nil:
		return []Finding{fatal("make it readable for you", "%q cannot be looked at: %v", path, err)}
	case !info.Mode().IsRegular(), goos != "windows" && info.Mode()&0o111 == 0:
		return []Finding{fatal("make it executable: chmod +x "+shown(Quote(path, goos)), "%q is not an executable file", path)}
	}
	return nil
}

// agreement compares what the stop entry tells Cursor with what its flags tell the hook.
func agreement(d *doc, e installed) []Finding {
	var found []Finding
	flag, limit := e.flag("--session-limit", "5"), e.field(d, "loop_limit", "5")
	if flag != limit && !(limit == "null" && (flag == "none" || flag == "auto")) {
		found = append(found, fatal(again, "the session limits disagree: loop_limit is %s, --session-limit is %q", limit, flag))
	}
	timeout := e.field(d, "timeout", defaultTimeout)
	if flag := e.flag("--timeout", timeout); flag != timeout {
		found = append(found, fatal(again, "the timeouts disagree: timeout is %s, --timeout is %q", timeout, flag))
	}
	return found
}

// wrappers finds stop entries of the user's that run our hook among other things.
func wrappers(d *doc) []Finding {
	var found []Finding
	for _, v := range d.stops() {
		if command := stringIn(v, "command"); wraps(command) {
			found = append(found, notice("check yourself that its flags agree with its loop_limit and timeout, and that it passes on stdin and stdout",
				"a stop entry runs %s inside another command, which is neither checked nor updated: %q", hookName, command).at(d, v))
		}
	}
	return found
}

// stops are the stop entries, ours and others'.
func (d *doc) stops() []*hujson.Value { return elements(find(d.hooks(), "stop")) }

// wrapped reports whether a stop entry runs our hook inside another command.
func (d *doc) wrapped() bool {
	return slices.ContainsFunc(d.stops(), func(v *hujson.Value) bool { return wraps(stringIn(v, "command")) })
}
