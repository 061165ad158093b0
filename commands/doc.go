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
	ended bool // we ended the comment in which the file ends, with a newline
}

// Cursor's own files have a few kilobytes. The bound on brackets keeps a hostile file from using up the stack of the parser.
const (
	maxSize     = 1 << 20
	maxBrackets = 5000
)

var errMark = errors.New("it begins with a byte-order mark, which is not JSON")

func parse(raw []byte) (*doc, error) {
	if len(raw) > maxSize || bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) > maxBrackets {
		return nil, errors.New("too big for a hooks.json")
	}
	if bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		return nil, errMark
	}
	raw = bytes.Clone(raw)
	root, err := hujson.Parse(raw)
	if err == nil {
		return &doc{raw, &root, false}, nil
	}
	root, again := hujson.Parse(append(raw, '\n'))
	if again != nil {
		return nil, errors.New(shown(strings.TrimPrefix(err.Error(), "hujson: ")))
	}
	return &doc{raw, &root, true}, nil
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

func (d *doc) hooks() *hujson.Value { return d.root.Find("/hooks") }

// pointer is that of a member, for Find and Patch.
func pointer(names ...string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	at := ""
	for _, name := range names {
		at += "/" + escape.Replace(name)
	}
	return at
}

func find(v *hujson.Value, name string) *hujson.Value {
	if v == nil {
		return nil
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil
	}
	return v.Find(pointer(name))
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
	if m := find(v, name); m != nil {
		return stringOf(m)
	}
	return ""
}

func isOurs(v *hujson.Value) bool { return ours(stringIn(v, "command")) }

// stops are the entries of the stop event.
func isString(v *hujson.Value) bool { return v.Value.Kind() == '"' }

// stringOf is empty for anything but a string.
func stringOf(v *hujson.Value) string {
	if !isString(v) {
		return ""
	}
	return v.Value.(hujson.Literal).String()
}

// oursIn are the positions of our entries in a list.
func oursIn(list *hujson.Value) (at []int) {
	for i, v := range elements(list) {
		if isOurs(v) {
			at = append(at, i)
		}
	}
	return slices.Clip(at)
}
