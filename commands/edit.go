package commands

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// fresh is a hooks.json with nothing but our entries. Without the members "version" and "hooks" Cursor drops the file.
func fresh(want []entry) []byte {
	var lists []string
	for _, e := range want {
		lists = append(lists, fmt.Sprintf("    %q: %s", e.event, e.list()))
	}
	return []byte("{\n  \"version\": 1,\n  \"hooks\": {\n" + strings.Join(lists, ",\n") + "\n  }\n}\n")
}

// emptied is what a removal leaves of fresh.
const emptied = "{\n  \"version\": 1,\n  \"hooks\": {\n  }\n}\n"

// list is an event's list with this entry. The space behind its bracket says that the list is ours: see cutOurs.
func (e entry) list() string { return "[ " + e.text + " ]" }

// merge returns hooks.json with our entries in it, and what the user should know. raw is nil when there is no file.
func merge(raw []byte, want []entry) (merged []byte, notes []string, err error) {
	if raw == nil {
		return fresh(want), nil, nil
	}
	d, err := parse(raw)
	if err != nil {
		return nil, nil, refuse(unparsable(err))
	}
	before := dropped(d)
	if refuse(findings(d, shapes)) != nil || refuse(findings(d, (*report).trailingCommas)) != nil {
		return nil, nil, refuse(before)
	}
	if err := d.put(want); err != nil {
		return nil, nil, err
	}
	after, err := parse(d.pack())
	if err != nil {
		return nil, nil, err
	}
	found := dropped(after)
	if refuse(found) != nil { // our own entries are right by now
		return nil, nil, cmp.Or(refuse(before), refuse(found))
	}
	for _, f := range found {
		notes = append(notes, f.Problem)
	}
	return d.pack(), notes, nil
}

// put updates our entries and removes those that are no longer wanted.
func (d *doc) put(want []entry) error {
	wanted := map[string]bool{}
	for _, e := range want {
		wanted[e.event] = true
		list := find(d.hooks(), e.event)
		at := oursIn(list)
		var err error
		switch {
		case list == nil:
			err = d.add(pointer("hooks"), e.event, e.list())
		case len(at) == 0:
			err = d.add(pointer("hooks", e.event), "-", e.text)
		case !e.isWritten(elements(list)[at[0]]):
			err = d.patch("replace", pointer("hooks", e.event, fmt.Sprint(at[0])), e.text)
		}
		if err != nil {
			return err
		}
	}
	return d.cutOurs(func(event string, nth int) bool { return !wanted[event] || nth > 0 })
}

// strip returns hooks.json without our entries, nil if that is a file that we have made. If nobody else has changed it since, it
// is byte for byte what it was before.
func strip(raw []byte) ([]byte, error) {
	d, err := parse(raw)
	if err == nil && refuse(findings(d, shapes)) != nil {
		err = refuse(findings(d, shapes))
	} else if err != nil {
		err = refuse(unparsable(err))
	}
	if err != nil {
		return nil, err
	}
	first := members(d.hooks())
	made := len(first) > 0 && len(first[0].Name.BeforeExtra) > 0
	if err := d.cutOurs(func(string, int) bool { return true }); err != nil {
		return nil, err
	}
	rest := d.pack()
	if made && string(rest) == emptied {
		return nil, nil
	}
	return rest, nil
}

// cutOurs removes those of our entries that gone chooses, and the lists that we have made. Our list has a space before our
// entry, somebody else's that was empty has not: see add. It goes backward, because a cut moves what follows.
func (d *doc) cutOurs(gone func(event string, nth int) bool) error {
	events := members(d.hooks())
	for i := len(events) - 1; i >= 0; i-- {
		event, list := nameOf(events[i]), &events[i].Value
		at := oursIn(list)
		for nth := len(at) - 1; nth >= 0; nth-- {
			if !gone(event, nth) {
				continue
			}
			made := len(elements(list)) == 1 && len(elements(list)[0].BeforeExtra) > 0
			if err := d.cut(pointer("hooks", event), fmt.Sprint(at[nth]), at[nth]); err != nil {
				return err
			}
			if made && commentsEnd(*groupOf(list).after) == 0 {
				if err := d.cut(pointer("hooks"), event, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add puts a value behind the last one of an object or array, with the white space that is before that one, or right behind the
// bracket. hujson's Patch moves the comments around what it adds and removes, and not back: so they are set aside meanwhile.
// Those behind the last value stay behind it. cut undoes it to the byte.
func (d *doc) add(at, name, value string) error {
	g := groupOf(d.root.Find(at))
	comments, rest, space := "", string(*g.after), ""
	if len(g.items) > 0 {
		n := commentsEnd(*g.after)
		comments, rest, space = rest[:n], rest[n:], d.separator(g)
		if strings.HasSuffix(comments, "\n") {
			space, rest = strings.TrimPrefix(space, d.newline()), d.newline()+rest
		}
	}
	*g.after = nil
	if err := d.patch("add", at+"/"+name, value); err != nil {
		return err
	}
	g = groupOf(d.root.Find(at))
	last := g.items[len(g.items)-1]
	last.last.BeforeExtra = hujson.Extra(" ") // of a member, behind the colon
	last.first.BeforeExtra = hujson.Extra(comments + space)
	*g.after = hujson.Extra(rest)
	return nil
}

// cut removes a value with its comma and white space. Comments stay.
func (d *doc) cut(at, name string, i int) error {
	v := d.root.Find(at)
	g := groupOf(v)
	before, after := g.items[i].first.BeforeExtra, g.items[i].last.AfterExtra
	kept, rest := bytes.Clone(before[:commentsEnd(before)]), bytes.Clone(*g.next(i))
	if bytes.HasSuffix(kept, []byte("\n")) {
		rest = bytes.TrimPrefix(rest, []byte(d.newline()))
	}
	g.items[i].first.BeforeExtra, g.items[i].last.AfterExtra, *g.next(i) = nil, nil, nil
	if err := d.patch("remove", at+pointer(name), ""); err != nil {
		return err
	}
	following := &hujson.Extra{}
	if g = groupOf(v); i < len(g.items) {
		following = &g.items[i].first.BeforeExtra
	} else {
		following = g.after
	}
	*following = append(append(kept, after[:commentsEnd(after)]...), rest...)
	return nil
}

// patch applies one operation of RFC 6902.
func (d *doc) patch(op, at, value string) error {
	path, err := json.Marshal(at)
	if err != nil {
		return err
	}
	if value != "" {
		value = `, "value": ` + value
	}
	return d.root.Patch(fmt.Appendf(nil, `[{"op": %q, "path": %s%s}]`, op, path, value))
}

func (d *doc) newline() string {
	if bytes.Contains(d.raw, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// separator is the white space that the last item has before it, at least a space.
func (d *doc) separator(g group) string {
	before := string(g.items[len(g.items)-1].first.BeforeExtra)
	n := commentsEnd([]byte(before))
	space := before[n:]
	if i := strings.LastIndex(space, "\n"); i >= 0 {
		return d.newline() + space[i+1:]
	}
	if strings.HasSuffix(before[:n], "\n") {
		return d.newline() + space
	}
	return " "
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

// next is what stands before the item behind i, or before the bracket.
func (g group) next(i int) *hujson.Extra {
	if i == len(g.items)-1 {
		return g.after
	}
	return &g.items[i+1].first.BeforeExtra
}

// comma returns the last item if a comma follows it, else nil.
func (g group) comma() *hujson.Value {
	if n := len(g.items); n > 0 && g.items[n-1].last.AfterExtra != nil {
		return g.items[n-1].last
	}
	return nil
}

// commentsEnd is the length of extra up to the end of its last comment: what follows is white space.
func commentsEnd(extra []byte) int {
	end := 0
	for i := 0; i < len(extra); {
		closing := ""
		switch {
		case bytes.HasPrefix(extra[i:], []byte("//")):
			closing = "\n"
		case bytes.HasPrefix(extra[i:], []byte("/*")):
			closing = "*/"
		default:
			i++
			continue
		}
		_, rest, _ := bytes.Cut(extra[i+2:], []byte(closing))
		i = len(extra) - len(rest)
		end = i
	}
	return end
}
