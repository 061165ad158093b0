package commands

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a file is written; what we add is written alike.
type style struct {
	newline, unit string // unit indents one level
	space         string // after a colon or comma in a line
	expanded      bool   // values are on lines of their own
}

func (d *doc) readStyle() style {
	s := style{newline: "\n", unit: "  ", space: " ", expanded: bytes.Contains(d.raw[d.root.StartOffset:d.root.EndOffset], []byte("\n"))}
	if bytes.Contains(d.raw, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if bytes.Contains(d.raw, []byte("\n\t")) {
		s.unit = "\t"
	}
	list := members(d.root)
	if len(list) == 0 {
		s.expanded = true
		return s
	}
	if len(list[0].Value.BeforeExtra) == 0 {
		s.space = ""
	}
	outer, inner := indent(d.raw, d.root.StartOffset), indent(d.raw, list[0].Name.StartOffset)
	if step, ok := strings.CutPrefix(inner, outer); ok && step != "" {
		s.unit = step
	}
	return s
}

// indent is the white space that the line of an offset begins with.
func indent(raw []byte, offset int) string {
	line := raw[bytes.LastIndexByte(raw[:offset], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// group is the inside of an object or array: its elements, or its members from name to value, and what is before the closing
// bracket. Of an item AfterExtra is before its comma; nil at the last one says that it has none.
type group struct {
	items []item
	after *hujson.Extra
}

type item struct{ first, last *hujson.Value }

func groupOf(v *hujson.Value) group {
	g := group{after: &hujson.Extra{}}
	for _, m := range members(v) {
		g.items = append(g.items, item{&m.Name, &m.Value})
	}
	for _, e := range elements(v) {
		g.items = append(g.items, item{e, e})
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		g.after = &t.AfterExtra
	case *hujson.Array:
		g.after = &t.AfterExtra
	}
	return g
}

// comma returns the last item if a comma follows it, else nil.
func (g group) comma() *hujson.Value {
	if n := len(g.items); n > 0 && g.items[n-1].last.AfterExtra != nil {
		return g.items[n-1].last
	}
	return nil
}

// add puts a value at the end of an object or array, the way its other items are written. cut undoes it. An array takes no name.
func (d *doc) add(v *hujson.Value, name string, value hujson.ValueTrimmed) {
	g := groupOf(v)
	var before string
	if len(g.items) == 0 {
		before = d.fill(v, g)
	} else {
		before = d.follow(g)
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		m := d.member(name, value)
		m.Name.BeforeExtra = hujson.Extra(before)
		t.Members = append(t.Members, m)
	case *hujson.Array:
		t.Elements = append(t.Elements, hujson.Value{BeforeExtra: hujson.Extra(before), Value: value})
	}
}

// follow makes room behind the last item and its comments.
func (d *doc) follow(g group) (before string) {
	n := commentsEnd(*g.after)
	comments, rest := string((*g.after)[:n]), string((*g.after)[n:])
	separator := d.separator(g)
	if strings.HasSuffix(comments, "\n") {
		separator = strings.TrimPrefix(separator, d.style.newline)
		rest = d.style.newline + rest
	}
	*g.after = hujson.Extra(rest)
	return comments + separator
}

// fill makes room in an empty object or array, behind the comments that may be there.
func (d *doc) fill(v *hujson.Value, g group) (before string) {
	n := commentsEnd(*g.after)
	comments, rest := string((*g.after)[:n]), string((*g.after)[n:])
	d.root.UpdateOffsets()
	outer := d.style.newline + indent(d.root.Pack(), v.StartOffset)
	inner := outer + d.style.unit
	switch {
	case strings.HasSuffix(comments, "\n"):
		before, rest = comments+strings.TrimPrefix(inner, d.style.newline), d.style.newline+rest
	case comments != "":
		before = comments + " "
	case d.style.expanded:
		before, rest = inner, outer
	default:
		rest = ""
	}
	*g.after = hujson.Extra(rest)
	return before
}

// separator is the white space that the last item has before it.
func (d *doc) separator(g group) string {
	before := g.items[len(g.items)-1].first.BeforeExtra
	n := commentsEnd(before)
	comments, space := string(before[:n]), string(before[n:])
	i := strings.LastIndex(space, "\n")
	switch {
	case i >= 0:
		return d.style.newline + space[i+1:]
	case strings.HasSuffix(comments, "\n"):
		return d.style.newline + space
	case len(g.items) == 1 && d.style.space != "":
		return d.style.space
	}
	return space
}

// cut takes an item out, with its comma and its white space. Comments stay.
func (d *doc) cut(v *hujson.Value, i int) {
	g := groupOf(v)
	before, after := g.items[i].first.BeforeExtra, g.items[i].last.AfterExtra
	behind, isLast := g.after, i == len(g.items)-1
	if !isLast {
		behind = &g.items[i+1].first.BeforeExtra
	}
	rest := slices.Concat(after, *behind)
	switch kept := before[:commentsEnd(before)]; {
	case len(g.items) == 1 && commentsEnd(before)+commentsEnd(after)+commentsEnd(*behind) == 0:
		rest = nil
	case bytes.HasSuffix(kept, []byte("\n")):
		rest = append(bytes.Clone(kept), cutNewline(rest)...)
	default:
		rest = append(bytes.Clone(kept), rest...)
	}
	if isLast && i > 0 {
		last := g.items[i-1].last
		if after == nil { // the comma before it goes, too
			rest, last.AfterExtra = slices.Concat(last.AfterExtra, rest), nil
		} else if last.AfterExtra == nil {
			last.AfterExtra = hujson.Extra{}
		}
	}
	*behind = rest
	switch t := v.Value.(type) {
	case *hujson.Object:
		t.Members = slices.Delete(t.Members, i, i+1)
	case *hujson.Array:
		t.Elements = slices.Delete(t.Elements, i, i+1)
	}
}

func cutNewline(b []byte) []byte {
	if rest, ok := bytes.CutPrefix(b, []byte("\r\n")); ok {
		return rest
	}
	return bytes.TrimPrefix(b, []byte("\n"))
}

func (d *doc) set(v *hujson.Value, name string, value hujson.Literal) {
	now := find(v, name)
	switch {
	case now == nil && value == nil:
	case now == nil:
		d.add(v, name, value)
	case value == nil:
		d.cut(v, slices.IndexFunc(members(v), func(m *hujson.ObjectMember) bool { return &m.Value == now }))
	case !same(now, value):
		now.Value = value
	}
}

func same(v *hujson.Value, value hujson.Literal) bool {
	lit, ok := v.Value.(hujson.Literal)
	return ok && lit.Kind() == value.Kind() && lit.String() == value.String()
}

func (d *doc) member(name string, value hujson.ValueTrimmed) hujson.ObjectMember {
	return hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(d.style.space), Value: value},
	}
}

func (d *doc) object(fields []field) *hujson.Object {
	obj := &hujson.Object{AfterExtra: hujson.Extra(d.style.space)}
	for _, f := range fields {
		m := d.member(f.name, f.value)
		m.Name.BeforeExtra = hujson.Extra(d.style.space)
		obj.Members = append(obj.Members, m)
	}
	return obj
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
