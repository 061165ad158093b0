package commands

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// HooksFile is a hooks.json that Cursor may use, with the place it has there.
type HooksFile struct {
	Place  string // plugin, claude, project, user or machine
	Plugin string // the plugin's name
	Path   string
	Raw    []byte
}

// Rivals finds the stop hooks that are not ours, and says what they would do to ours: of several follow-ups Cursor uses the last
// one, an empty one too. The files are in the order in which Cursor puts the answers, the lowest first. A file that does not
// parse is left out. scratchpad is the state file of the loop that Cursor's ralph-loop plugin has, empty for none.
func Rivals(files []HooksFile, scratchpad string) []Finding {
	var stops []stopHook
	for n, file := range files {
		_, text := splitMark(file.Raw)
		d, err := parse(text)
		if err != nil {
			continue
		}
		for _, v := range d.stops() {
			stops = append(stops, stopHook{file, n, stringIn(v, "command"), rivalName(d, v)})
		}
	}
	at := slices.IndexFunc(stops, stopHook.runsOurs)
	var found []Finding
	for i, s := range stops {
		if s.runsOurs() {
			continue
		}
		r := rival{stopHook: s, known: s.knownAs(), scratchpad: scratchpad}
		if at >= 0 {
			r.ours, r.last = &stops[at], i > at
		}
		found = append(found, r.finding())
	}
	return found
}

// stopHook is a stop entry of any file.
type stopHook struct {
	HooksFile
	file    int // its number: two plugins may have one name
	command string
	name    string // for people
}

func (s stopHook) runsOurs() bool { return RunsHook(s.command) }

func rivalName(d *doc, v *hujson.Value) string {
	if command := stringIn(v, "command"); command != "" {
		return strconv.Quote(command)
	}
	return d.source(v)
}

// loops are the stop hooks of which we know that they give follow-ups. The sources are
// https://github.com/cursor/plugins/tree/main/ralph-loop and /continual-learning there,
// https://github.com/HardySimpson/cursor-ralph and https://github.com/hexsprite/cursor-ralph,
// https://github.com/marcopesani/cursor-ralph, https://github.com/ericzakariasson/cursor-ralph-wiggum.
var loops = []struct{ script, of, tool string }{
	{"stop-hook.sh", "ralph", cursorsPlugin},
	{"continual-learning-stop.ts", "", "Cursor's continual-learning plugin"},
	{"ralph-loop-stop.sh", "", "an older cursor-ralph"},
	{"ralph-stop.sh", "", "marcopesani's cursor-ralph"},
	{"ralph-continue.sh", "", "cursor-ralph-wiggum"},
}

const cursorsPlugin = "Cursor's ralph-loop plugin"

// knownAs names the tool, by its script and what stands in the command or is the plugin's name; empty if we do not know it.
func (s stopHook) knownAs() string {
	separators := func(r rune) bool { return strings.ContainsRune(` \"'`, r) }
	for _, word := range strings.FieldsFunc(s.command, separators) {
		for _, l := range loops {
			if path.Base(word) == l.script && strings.Contains(s.command+" "+s.Plugin, l.of) {
				return l.tool
			}
		}
	}
	return ""
}

// rival is a stop hook that is not ours, beside ours.
type rival struct {
	stopHook
	known      string
	scratchpad string
	ours       *stopHook // nil if it is nowhere
	last       bool      // it comes after ours
}

func (r rival) finding() Finding {
	_, disputed := r.order()
	return Finding{Problem: r.Path + ": " + r.text(), Remedy: r.remedy(), Fatal: r.known != "" && r.last && !disputed, Harmless: !r.last && r.ours != nil}
}

func (r rival) text() string {
	what, its := "another stop hook, "+r.name, "its follow-up, if it gives one,"
	if r.known != "" {
		what, its = "the stop hook of "+r.known+", "+r.name, "its follow-up"
	} else if r.Plugin != "" {
		what = "a stop hook of the plugin " + r.Plugin + ", " + r.name
	} else if r.Place == "claude" {
		what = "a stop hook of Claude's settings (if Cursor is set to run those), " + r.name
	}
	order, _ := r.order()
	switch {
	case r.ours == nil:
		return what + ": of several follow-ups Cursor uses the last one"
	case r.last:
		return what + ", comes after ours" + order + ": " + its + " would replace ours"
	}
	return what + ", comes before ours" + order + ": ours would replace " + strings.TrimSuffix(its, ",")
}

// order says how sure it is which of the two is the last one.
func (r rival) order() (text string, disputed bool) {
	if r.ours == nil || r.file == r.ours.file {
		return "", false
	}
	switch r.Place + " " + r.ours.Place {
	case "user project", "project user":
		return " (as we observed; Cursor's documentation puts the project's after the user's)", true
	case "plugin plugin":
		return " (it is unknown which of two plugins comes last)", true
	}
	return "", false
}

func (r rival) remedy() string {
	remedy := "remove the entry from that file"
	if r.Plugin != "" {
		remedy = "disable the plugin " + r.Plugin + " in Cursor's settings, if it is enabled there"
	}
	switch {
	case r.known == cursorsPlugin && r.scratchpad != "":
		return "`cursor-ralph import` takes its loop over, " + r.scratchpad + "; then " + remedy
	case !r.last && r.ours != nil:
		return "none needed while our loops run; if it keeps the agent going when they rest, " + remedy
	case r.known == "":
		return "if loops are disturbed, " + remedy
	}
	return remedy
}
