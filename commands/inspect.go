package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
)

// Finding is something wrong with hooks.json, and what to do about it.
type Finding struct {
	Problem string
	Remedy  string
	Fatal   bool // loops do not work as they should
	Place   Place
}

// Place is where in a hooks.json something is. The zero Place is the file as a whole.
type Place struct {
	Line   int    // from 1
	Column int    // from 1, in characters
	Entry  string // such as sessionStart[1]; empty outside the entries
}

// Text is the problem with its place, for people.
func (f Finding) Text() string {
	text := f.Problem
	if f.Place.Entry != "" {
		text = f.Place.Entry + ": " + text
	}
	if f.Place.Line > 0 {
		text = fmt.Sprintf("line %d, column %d: %s", f.Place.Line, f.Place.Column, text)
	}
	return text
}

// Inspect finds what is wrong with a hooks.json: every mistake for which Cursor silently drops the whole file, and everything
// for which our hook would not do its work. It accepts a file without our hook, which may be in another. stat is
// os.Stat.
func Inspect(raw []byte, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	d, err := parse(raw)
	if err != nil {
		return unparsable(err)
	}
	r := report{d, dropped(d)}
	if refuse(findings(d, shapes)) == nil {
		r.installation(goos, stat)
	}
	return r.found
}

func unparsable(err error) []Finding {
	remedy := "correct it there: Cursor drops the whole file as it is"
	if strings.Contains(err.Error(), "invalid UTF-8") || errors.Is(err, errMark) {
		remedy = "save the file as UTF-8 without a byte-order mark"
	}
	return []Finding{{Problem: "does not parse: " + err.Error(), Remedy: remedy, Fatal: true}}
}

// refuse makes one error of what is fatal, nil when nothing is.
func refuse(found []Finding) error {
	var what, todo []string
	for _, f := range found {
		if !f.Fatal {
			continue
		}
		if what = append(what, f.Text()); !slices.Contains(todo, f.Remedy) {
			todo = append(todo, f.Remedy)
		}
	}
	if len(what) == 0 {
		return nil
	}
	return hint.New(strings.Join(what, "; "), strings.Join(todo, "; ")+" (nothing was changed)")
}

type report struct {
	d     *doc
	found []Finding
}

func findings(d *doc, checks ...func(*report)) []Finding {
	r := report{d: d}
	for _, check := range checks {
		check(&r)
	}
	return r.found
}

// fatal reports something that keeps loops from working, at a value, or nil for the file as a whole.
func (r *report) fatal(at *hujson.Value, remedy, format string, args ...any) {
	r.notice(at, remedy, format, args...)
	r.found[len(r.found)-1].Fatal = true
}

func (r *report) notice(at *hujson.Value, remedy, format string, args ...any) {
	f := Finding{Problem: fmt.Sprintf(format, args...), Remedy: remedy}
	if at != nil {
		f.Place = r.d.place(at.StartOffset)
	}
	r.found = append(r.found, f)
}

func (d *doc) place(offset int) Place {
	start := bytes.LastIndexByte(d.raw[:offset], '\n') + 1
	return Place{
		Line:   1 + bytes.Count(d.raw[:offset], []byte("\n")),
		Column: 1 + utf8.RuneCount(d.raw[start:offset]),
		Entry:  d.entryAt(offset),
	}
}

// entryAt names the entry that an offset lies in, as Cursor's own log does.
func (d *doc) entryAt(offset int) string {
	for _, m := range members(d.hooks()) {
		for i, v := range elements(&m.Value) {
			if v.StartOffset <= offset && offset < v.EndOffset {
				return fmt.Sprintf("%s[%d]", shown(nameOf(m)), i)
			}
		}
	}
	return ""
}

const again = "run `cursor-ralph install` again"

// installation finds what keeps our own entries from doing their work. What install would change is reported as one.
func (r *report) installation(goos string, stat func(string) (fs.FileInfo, error)) {
	path := ""
	seen := map[string]bool{}
	for _, m := range members(r.d.hooks()) {
		for _, i := range oursIn(&m.Value) {
			v := elements(&m.Value)[i]
			words := hookWords(stringIn(v, "command"), shellwords.Of(goos))
			if words == nil {
				r.fatal(v, again+" on this system", "the %s entry is written for the shell of another system: %q", nameOf(m), stringIn(v, "command"))
				return
			}
			if path = words[0]; !seen[path] && isAbsolute(path, goos) { // else the shell finds it
				r.program(v, path, goos, stat)
			}
			seen[path] = true
		}
	}
	if path == "" {
		return
	}
	if wrong := r.d.unlike(Options{Hook: path, OS: goos}.entries()); len(wrong) > 0 {
		r.fatal(nil, again, "our entries are not as install writes them: %s", strings.Join(wrong, ", "))
	}
}

// unlike returns the events where our entries differ from these.
func (d *doc) unlike(want []entry) (events []string) {
	for _, e := range want {
		list := find(d.hooks(), e.event)
		if at := oursIn(list); len(at) != 1 || !e.isWritten(elements(list)[at[0]]) {
			events = append(events, e.event)
		}
	}
	return events
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
