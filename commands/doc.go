package commands

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/tailscale/hujson"
)

// doc is hooks.json as text, and as a tree whose offsets point into that text. An edit replaces a piece of the text and parses
// it anew, so that everything that was not edited stays byte for byte.
type doc struct {
	raw  []byte
	root hujson.Value
}

// Cursor's own files have a few kilobytes. The bound on brackets keeps a hostile file from using up the stack of the parser.
const (
	maxSize     = 1 << 20
	maxBrackets = 5000
)

func parse(raw []byte) (doc, error) {
	if len(raw) > maxSize || bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) > maxBrackets {
		return doc{}, errors.New("too big for a hooks.json")
	}
	raw = bytes.Clone(raw)
	root, err := hujson.Parse(raw)
	if err == nil {
		return doc{raw, root}, nil
	}
	if root, err := hujson.Parse(append(raw, '\n')); err == nil { // the file ends in a line comment
		return doc{raw, root}, nil
	}
	return doc{}, errors.New(printable(strings.TrimPrefix(err.Error(), "hujson: ")))
}

// printable is for texts from a file that may be hostile to a terminal.
func printable(s string) string {
	const long = 120
	var b strings.Builder
	for _, r := range s {
		if b.Len() > long {
			return b.String() + "..."
		}
		if !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (d doc) replace(from, to int, text string) (doc, error) {
	return parse(slices.Concat(d.raw[:from], []byte(text), d.raw[to:]))
}

// group is the inside of an object or array.
type group struct {
	open, close int // offsets of what is between the brackets
	items       []item
}

// item is an element, or a member with its name.
type item struct {
	lead       int // offset after the bracket or comma before it
	start, end int
	comma      int // offset of the comma after it, or -1
}

func groupOf(v hujson.Value) group {
	g := group{open: v.StartOffset + 1, close: v.EndOffset - 1}
	switch t := v.Value.(type) {
	case *hujson.Object:
		for _, m := range t.Members {
			g.add(m.Name, m.Value)
		}
	case *hujson.Array:
		for _, e := range t.Elements {
			g.add(e, e)
		}
	}
	if n := len(g.items); n > 0 && !trailingComma(v) {
		g.items[n-1].comma = -1
	}
	return g
}

func (g *group) add(first, last hujson.Value) {
	g.items = append(g.items, item{
		lead:  first.StartOffset - len(first.BeforeExtra),
		start: first.StartOffset,
		end:   last.EndOffset,
		comma: last.EndOffset + len(last.AfterExtra),
	})
}

func trailingComma(v hujson.Value) bool {
	switch t := v.Value.(type) {
	case *hujson.Object:
		n := len(t.Members)
		return n > 0 && t.Members[n-1].Value.AfterExtra != nil
	case *hujson.Array:
		n := len(t.Elements)
		return n > 0 && t.Elements[n-1].AfterExtra != nil
	}
	return false
}

// bare reports whether nothing is between the brackets, not even a comment.
func (d doc) bare(v hujson.Value) bool {
	g := groupOf(v)
	return len(g.items) == 0 && commentsEnd(d.raw[g.open:g.close]) == 0
}

// commentsEnd is the length of extra up to the end of its last comment: what follows is white space.
func commentsEnd(extra []byte) int {
	end := 0
	for i := 0; i < len(extra); {
		n := commentLength(extra[i:])
		i += max(n, 1)
		if n > 0 {
			end = i
		}
	}
	return end
}

func commentLength(b []byte) int {
	closing := ""
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		closing = "\n"
	case bytes.HasPrefix(b, []byte("/*")):
		closing = "*/"
	default:
		return 0
	}
	if i := bytes.Index(b[2:], []byte(closing)); i >= 0 {
		return 2 + i + len(closing)
	}
	return len(b)
}

// find returns the value of a member and its place. Of several with one name the last counts, as for JSON.parse.
func find(v hujson.Value, name string) (hujson.Value, int) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return hujson.Value{}, -1
	}
	for i := len(obj.Members) - 1; i >= 0; i-- {
		if nameOf(obj.Members[i]) == name {
			return obj.Members[i].Value, i
		}
	}
	return hujson.Value{}, -1
}

func nameOf(m hujson.ObjectMember) string {
	return m.Name.Value.(hujson.Literal).String()
}

// members is empty for anything but an object.
func members(v hujson.Value) []hujson.ObjectMember {
	if obj, ok := v.Value.(*hujson.Object); ok {
		return obj.Members
	}
	return nil
}

// elements is empty for anything but an array.
func elements(v hujson.Value) []hujson.Value {
	if arr, ok := v.Value.(*hujson.Array); ok {
		return arr.Elements
	}
	return nil
}

// stringIn is empty for anything but a string.
func stringIn(v hujson.Value, name string) string {
	m, _ := find(v, name)
	if lit, ok := m.Value.(hujson.Literal); ok && lit.Kind() == '"' {
		return lit.String()
	}
	return ""
}
