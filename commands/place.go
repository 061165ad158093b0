package commands

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

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

// at adds the place of a value.
func (f Finding) at(d *doc, v *hujson.Value) Finding { return f.atOffset(d, v.StartOffset) }

func (f Finding) atOffset(d *doc, offset int) Finding {
	start := bytes.LastIndexByte(d.raw[:offset], '\n') + 1
	f.Place = Place{
		Line:   1 + bytes.Count(d.raw[:offset], []byte("\n")),
		Column: 1 + utf8.RuneCount(d.raw[start:offset]),
		Entry:  d.entryAt(offset),
	}
	return f
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
