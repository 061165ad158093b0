package commands

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Finding is something wrong with hooks.json, and what to do about it.
type Finding struct {
	Problem  string
	Remedy   string
	Fatal    bool // loops do not work as they should
	Harmless bool // only worth knowing
	Place    Place
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
// for which our hook would not do its work. It accepts a file without our hook, which may be in another, and other hooks, which
// Rivals reports. stat is os.Stat.
func Inspect(raw []byte, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	found := byteOrderMark(raw)
	_, text := splitMark(raw)
	d, err := parse(text)
	if err != nil {
		return append(found, unparsable(err)...)
	}
	r := report{d, found}
	r.shapes()
	r.missing()
	r.drops(false)
	r.nestedComments()
	r.installation(goos, stat)
	r.wrappers()
	return r.found
}

func splitMark(raw []byte) (mark, text []byte) {
	text = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	return raw[:len(raw)-len(text)], text
}

func byteOrderMark(raw []byte) []Finding {
	if mark, _ := splitMark(raw); len(mark) == 0 {
		return nil
	}
	return []Finding{{Problem: "the file begins with a byte-order mark, which is not JSON", Remedy: "save the file as UTF-8 without a byte-order mark", Fatal: true}}
}

func unparsable(err error) []Finding {
	remedy := "correct it there: Cursor drops the whole file as it is"
	if strings.Contains(err.Error(), "invalid UTF-8") { // Cursor may accept it
		remedy = "save the file as UTF-8"
	}
	return []Finding{{Problem: "does not parse: " + err.Error(), Remedy: remedy, Fatal: true}}
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
