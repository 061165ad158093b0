package commands

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/tailscale/hujson"
)

const again = "run the installer again"

func (r *report) installation(goos string, stat func(string) (fs.FileInfo, error)) {
	list := r.d.installed(goos)
	r.completeness(list)
	r.doubles(list)
	r.programs(list, goos, stat)
	for _, e := range list {
		if e.event == "stop" && e.words != nil {
			r.agreement(e)
		}
		if e.event == guardEvent {
			r.openings(e)
		}
	}
}

// openings finds what lets tool calls pass by the plan guard.
func (r *report) openings(e installed) {
	if e.field(r.d, "failClosed", "false") != "true" {
		r.notice(nil, again, "the %s entry has no failClosed: while our hook cannot be run, the plan guard lets every tool through", guardEvent)
	}
	if e.words != nil && !e.has("--guard") {
		r.notice(nil, again, "the %s entry has no --guard: an event that our hook cannot read passes by the plan guard", guardEvent)
	}
	if matcher := stringIn(e.value, "matcher"); matcher != "" {
		r.notice(nil, again, "the %s entry has the matcher %q: the plan guard does not see the other tools", guardEvent, matcher)
	}
}

// completeness finds events without our hook. Without --minimal a promise needs tool calls, which the other events report.
func (r *report) completeness(list []installed) {
	at := slices.IndexFunc(list, func(e installed) bool { return e.event == "stop" })
	switch {
	case at < 0 && slices.ContainsFunc(r.d.stops(), wrapsIn), len(list) == 0:
		return
	case at < 0:
		r.fatal(nil, again, "no stop entry runs %s: no loop can continue", hookName)
		return
	case list[at].has("--minimal"):
		return
	}
	for _, event := range fullEvents() {
		if !slices.ContainsFunc(list, func(e installed) bool { return e.event == event }) {
			r.fatal(nil, again, "no %s entry runs %s, and the stop entry has no --minimal", event, hookName)
		}
	}
}

func (r *report) doubles(list []installed) {
	count := map[string]int{}
	for _, e := range list {
		if count[e.event]++; count[e.event] == 2 {
			r.notice(nil, again+": it keeps one of them", "%s runs %s more than once", e.event, hookName)
		}
	}
}

// programs finds hooks that cannot be run. A path with variables, or none at all, is left to the shell.
func (r *report) programs(list []installed, goos string, stat func(string) (fs.FileInfo, error)) {
	seen := map[string]bool{}
	for _, e := range list {
		if e.words == nil {
			r.fatal(e.value, again+" on this system", "the %s entry is written for the shell of another system: %q", e.event, stringIn(e.value, "command"))
			continue
		}
		path := e.words[0]
		if seen[path] || !(Options{Hook: path, OS: goos}).absoluteHook() {
			continue
		}
		seen[path] = true
		r.program(e.value, path, goos, stat)
		if Versioned(path) {
			r.notice(e.value, again+": it writes the link of your package manager instead",
				"%q is in a folder of one version: the next upgrade removes it, %s", path, consequence(list))
		}
	}
}

// consequence is what happens when the hook is gone.
func consequence(list []installed) string {
	if slices.ContainsFunc(list, func(e installed) bool { v := find(e.value, "failClosed"); return v != nil && v.Value.Kind() == 't' }) {
		return "and then Cursor denies every tool call (failClosed)"
	}
	return "and then no loop continues"
}

func (r *report) program(at *hujson.Value, path, goos string, stat func(string) (fs.FileInfo, error)) {
	info, err := stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.fatal(at, "put the program there, or run the installer of the one you have", "%q does not exist", path)
	case err != nil:
		r.fatal(at, "make it readable for your user", "%q cannot be read: %v", path, err)
	case !info.Mode().IsRegular(), goos != "windows" && info.Mode()&0o111 == 0:
		r.fatal(at, "make it executable: chmod +x "+shown(Quote(path, goos)), "%q is not an executable file", path)
	}
}

// agreement compares what the stop entry tells Cursor with what its flags tell the hook.
func (r *report) agreement(e installed) {
	flag, limit := e.flag("--session-limit", "5"), e.field(r.d, "loop_limit", "5")
	if flag != limit && !(limit == "null" && (flag == "none" || flag == "auto")) {
		r.fatal(nil, again, "the session limits disagree: loop_limit is %s, --session-limit is %q", limit, flag)
	}
	timeout := e.field(r.d, "timeout", defaultTimeout)
	if flag := e.flag("--timeout", timeout); flag != timeout {
		r.fatal(nil, again, "the timeouts disagree: timeout is %s, --timeout is %q", timeout, flag)
	}
}

// wrappers finds stop entries of the user's that run our hook among other things.
func (r *report) wrappers() {
	for _, v := range r.d.stops() {
		if wrapsIn(v) {
			r.notice(v, "check yourself that its flags agree with its loop_limit and timeout, and that it passes on stdin and stdout",
				"a stop entry runs %s inside another command, which is neither checked nor updated: %q", hookName, stringIn(v, "command"))
			r.found[len(r.found)-1].Harmless = true
		}
	}
}

func (d *doc) stops() []*hujson.Value { return elements(find(d.hooks(), "stop")) }

func wrapsIn(v *hujson.Value) bool { return wraps(stringIn(v, "command")) }
