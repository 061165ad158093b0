package commands

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// HooksFile is a hooks.json that Cursor may use, with the place it has there.
type HooksFile struct {
	Place  string // plugin, project, user or machine
	Plugin string // the plugin's name
	Path   string
	Raw    []byte
}

// stopHook is a stop entry of any file.
type stopHook struct {
	HooksFile
	file    int // its number: two plugins may have one name
	command string
	name    string // for people
}

// Rivals finds the stop hooks that are not ours, and says what they would do to ours: of several follow-ups Cursor uses the last
// one, an empty one too. The files are in the order in which Cursor puts the answers, the lowest first. A file that does not
// parse is left out.
func Rivals(files []HooksFile) (found []Finding) {
	var stops []stopHook
	for n, file := range files {
		d, err := parse(file.Raw)
		if err != nil {
			continue
		}
		for _, v := range d.stops() {
			command := stringIn(v, "command")
			name := strconv.Quote(command)
			if command == "" {
				name = d.source(v)
			}
			stops = append(stops, stopHook{file, n, command, name})
		}
	}
	at := slices.IndexFunc(stops, func(s stopHook) bool { return ours(s.command) })
	for i, s := range stops {
		if ours(s.command) {
			continue
		}
		what, remedy := s.describe()
		f := Finding{Problem: s.Path + ": " + what, Remedy: remedy}
		switch {
		case at < 0:
			f.Problem += ": of several follow-ups Cursor uses the last one"
		case i < at:
			f.Problem += ", comes before ours: ours would replace its follow-up"
			f.Remedy, f.Harmless = "none needed while our loops run; if it keeps the agent going when they rest, "+remedy, true
		default:
			f.Problem += ", comes after ours: its follow-up, if it gives one, would replace ours"
			f.Fatal = s.tool() != "" && (s.file == stops[at].file || s.Place == "machine") // else the order is not known for sure
		}
		found = append(found, f)
	}
	return found
}

// describe says whose stop hook it is, and how to be rid of it.
func (s stopHook) describe() (what, remedy string) {
	what, remedy = "another stop hook, "+s.name, "remove the entry from that file"
	if s.Plugin != "" {
		what, remedy = "a stop hook of the plugin "+s.Plugin+", "+s.name, "disable the plugin "+s.Plugin+" in Cursor's settings, if it is enabled there"
	}
	if tool := s.tool(); tool != "" {
		what = "the stop hook of " + tool + ", " + s.name
	}
	return what, remedy
}

// loops are the stop hooks of which we know that they give follow-ups. The sources are
// https://github.com/cursor/plugins/tree/main/ralph-loop and /continual-learning there,
// https://github.com/HardySimpson/cursor-ralph and https://github.com/hexsprite/cursor-ralph,
// https://github.com/marcopesani/cursor-ralph, https://github.com/ericzakariasson/cursor-ralph-wiggum.
var loops = []struct{ script, of, tool string }{
	{"stop-hook.sh", "ralph", "Cursor's ralph-loop plugin"},
	{"continual-learning-stop.ts", "", "Cursor's continual-learning plugin"},
	{"ralph-loop-stop.sh", "", "an older cursor-ralph"},
	{"ralph-stop.sh", "", "marcopesani's cursor-ralph"},
	{"ralph-continue.sh", "", "cursor-ralph-wiggum"},
}

// tool names the tool, by its script and what stands in the command or is the plugin's name; empty if we do not know it.
func (s stopHook) tool() string {
	for _, word := range strings.FieldsFunc(s.command, func(r rune) bool { return strings.ContainsRune(` \"'`, r) }) {
		for _, l := range loops {
			if path.Base(word) == l.script && strings.Contains(s.command+" "+s.Plugin, l.of) {
				return l.tool
			}
		}
	}
	return ""
}
