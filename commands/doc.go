package commands

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// doc is hooks.json as a tree. Edits change only the tree, so every other byte stays.
type doc struct {
	raw   []byte // as it was parsed, which is what the offsets in the tree count
	root  *hujson.Value
	style style
	ended bool // we added a newline, because the file ends in a line comment
}

// Cursor's own files have a few kilobytes. The bound on brackets keeps a hostile file from using up the stack of the parser.
const (
	maxSize     = 1 << 20
	maxBrackets = 5000
)

func parse(raw []byte) (*doc, error) {
	if len(raw) > maxSize || bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) > maxBrackets {
		return nil, errors.New("too big for a hooks.json")
	}
	raw = bytes.Clone(raw)
	root, err := hujson.Parse(raw)
	ended := false
	if err != nil {
		var again error
		if root, again = hujson.Parse(append(raw, '\n')); again != nil {
			return nil, errors.New(shown(strings.TrimPrefix(err.Error(), "hujson: ")))
		}
		ended = true
	}
	d := &doc{raw: raw, root: &root, ended: ended}
	d.style = d.readStyle()
	return d, nil
}

func (d *doc) pack() []byte {
	raw := d.root.Pack()
	if d.ended {
		raw = bytes.TrimSuffix(raw, []byte("\n"))
	}
	return raw
}

// shown makes a piece of the file safe to show in a line.
func shown(s string) string { return text.Limit(text.Escape(text.Line(s)), 120) }

// source is a value as the file has it, for people.
func (d *doc) source(v *hujson.Value) string { return shown(d.rawOf(v)) }

func (d *doc) rawOf(v *hujson.Value) string { return string(d.raw[v.StartOffset:v.EndOffset]) }

func (d *doc) hooks() *hujson.Value { return find(d.root, "hooks") }

// find returns the value of a member, nil if there is none. Of several with one name the last counts, as for JSON.parse.
func find(v *hujson.Value, name string) *hujson.Value {
	for _, m := range slices.Backward(members(v)) {
		if nameOf(m) == name {
			return &m.Value
		}
	}
	return nil
}

func nameOf(m *hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// members is empty for anything but an object.
func members(v *hujson.Value) (list []*hujson.ObjectMember) {
	if v == nil {
		return nil
	}
	if obj, ok := v.Value.(*hujson.Object); ok {
		for i := range obj.Members {
			list = append(list, &obj.Members[i])
		}
	}
	return list
}

// elements is empty for anything but an array.
func elements(v *hujson.Value) (list []*hujson.Value) {
	if v == nil {
		return nil
	}
	if arr, ok := v.Value.(*hujson.Array); ok {
		for i := range arr.Elements {
			list = append(list, &arr.Elements[i])
		}
	}
	return list
}

// stringIn is empty for anything but a string.
func stringIn(v *hujson.Value, name string) string {
	if m := find(v, name); m != nil && isString(m) {
		return m.Value.(hujson.Literal).String()
	}
	return ""
}
