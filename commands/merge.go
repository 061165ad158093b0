package commands

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// outline is what hooks.json had of its own before we came: it stays when our entries go.
type outline struct {
	hooks  bool
	events map[string]bool
}

// outlineOf returns an empty outline for a file that is missing or blank.
func outlineOf(raw []byte) outline {
	o := outline{events: map[string]bool{}}
	if d, err := parse(raw); err == nil {
		hooks := d.hooks()
		o.hooks = hooks != nil
		for _, m := range members(hooks) {
			o.events[nameOf(m)] = true
		}
	}
	return o
}

// merge returns hooks.json with our entries in it, and what else it had to change. raw is nil when there is no file.
func merge(raw []byte, want []entry, had outline, anyEvent bool) ([]byte, []string, error) {
	d, err := parseForMerge(raw)
	if err != nil {
		return nil, nil, err
	}
	if err := refuse(findings(d, (*report).shapes)); err != nil {
		return nil, nil, err
	}
	before := drops(d, anyEvent) // with the line numbers of the user's file
	if len(findings(d, (*report).trailingCommas)) > 0 {
		return nil, nil, refuse(before) // what is added behind one does not parse
	}
	notes := d.put(want, had)
	merged, err := parse(d.pack())
	if err != nil {
		return nil, nil, err
	}
	if found := drops(merged, anyEvent); len(found) > 0 && len(before) > 0 {
		return nil, nil, refuse(before)
	} else if len(found) > 0 {
		return nil, nil, refuse(found)
	}
	return merged.raw, notes, nil
}

func parseForMerge(raw []byte) (*doc, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}\n")
	}
	if f := byteOrderMark(raw); f != nil {
		return nil, refuse(f)
	}
	d, err := parse(raw)
	if err != nil {
		return nil, refuse(unparsable(err))
	}
	return d, nil
}

// refuse makes one error of what is wrong, nil when nothing is.
func refuse(found []Finding) error {
	if len(found) == 0 {
		return nil
	}
	var what, todo []string
	for _, f := range found {
		what = append(what, f.Text())
		if !slices.Contains(todo, f.Remedy) {
			todo = append(todo, f.Remedy)
		}
	}
	return hint.New(strings.Join(what, "; "), strings.Join(todo, "; ")+" (nothing was changed)")
}

// put updates our entries and removes those that are no longer wanted. Without the members "version" and "hooks"
// Cursor drops the file.
func (d *doc) put(want []entry, had outline) (notes []string) {
	if find(d.root, "version") == nil {
		if len(members(d.root)) > 0 {
			notes = append(notes, `"version": 1 was missing and is added: without it Cursor drops the whole file`)
		}
		d.add(d.root, "version", hujson.Int(1))
	}
	if d.hooks() == nil {
		d.add(d.root, "hooks", &hujson.Object{})
	}
	wanted := map[string]bool{}
	for _, e := range want {
		wanted[e.event] = true
		d.putEntry(e)
	}
	d.cutOurs(had, func(event string, nth int) bool { return !wanted[event] || nth > 0 })
	return notes
}

// putEntry updates the first of our entries of an event, or adds it.
func (d *doc) putEntry(e entry) {
	if find(d.hooks(), e.event) == nil {
		d.add(d.hooks(), e.event, &hujson.Array{})
	}
	list := find(d.hooks(), e.event)
	for _, v := range elements(list) {
		if isOurs(v) {
			d.update(v, e)
			return
		}
	}
	d.add(list, "", d.object(e.fields))
}

// update changes an entry in place, so that its formatting, comments and unknown members stay. It takes out what others wrote
// into our entry and for which Cursor would drop the file: a merger of hooks.json wrote "type": "" into the entries of four tools
// [rep]. A failClosed that is right is the user's.
func (d *doc) update(v *hujson.Value, e entry) {
	for _, name := range []string{"command", "matcher", "timeout", "loop_limit"} {
		d.set(v, name, e.value(name))
	}
	if stringIn(v, "type") != "command" {
		d.set(v, "type", nil)
	}
	if closed := find(v, "failClosed"); e.value("failClosed") != nil || closed != nil && !truth(closed) {
		d.set(v, "failClosed", e.value("failClosed"))
	}
}

// cutOurs removes those of our entries that gone chooses, and then what is empty, unless the user had it. It goes backward, because
// a cut moves what follows.
func (d *doc) cutOurs(had outline, gone func(event string, nth int) bool) {
	for _, m := range slices.Backward(d.allEvents()) {
		event, list, cut := nameOf(m), elements(&m.Value), false
		nth := len(oursIn(list))
		for i, v := range slices.Backward(list) {
			if !isOurs(v) {
				continue
			}
			if nth--; gone(event, nth) {
				d.cut(&m.Value, i)
				cut = true
			}
		}
		if cut {
			d.tidy(event, had)
		}
	}
}

func isOurs(v *hujson.Value) bool { return ours(stringIn(v, "command")) }

func oursIn(list []*hujson.Value) []*hujson.Value {
	return slices.DeleteFunc(slices.Clone(list), func(v *hujson.Value) bool { return !isOurs(v) })
}

// allEvents are those of every "hooks", should there be more than one.
func (d *doc) allEvents() (list []*hujson.ObjectMember) {
	for _, m := range members(d.root) {
		if nameOf(m) == "hooks" {
			list = append(list, members(&m.Value)...)
		}
	}
	return list
}

// tidy removes an event's list, and then the hooks, if they had only our entries.
func (d *doc) tidy(event string, had outline) {
	if list := find(d.hooks(), event); had.events[event] || list == nil || !bare(list) {
		return
	}
	d.set(d.hooks(), event, nil)
	if !had.hooks && bare(d.hooks()) {
		d.set(d.root, "hooks", nil)
	}
}

// bare reports whether nothing is between the brackets, not even a comment.
func bare(v *hujson.Value) bool {
	g := groupOf(v)
	return len(g.items) == 0 && commentsEnd(*g.after) == 0
}

// unmerge returns hooks.json without our entries. original is the file as it was before our first install, nil if there was none
// or it is not known. If the user changed nothing since, the result is byte for byte the original, or nil; otherwise everything
// that the user changed stays.
func unmerge(raw, original []byte) ([]byte, error) {
	rest, err := strip(raw, outlineOf(original))
	if err != nil {
		return nil, err
	}
	if original == nil && nothing(rest) {
		return nil, nil
	}
	guarded := true
	for _, sample := range []Options{{}, {Minimal: true}, {PlanGuard: &guarded}, {PreCompact: &guarded}, {PlanGuard: &guarded, PreCompact: &guarded}} {
		sample.Hook = "/" + hookName
		if again, err := mergeAndStrip(original, sample.entries()); err == nil && bytes.Equal(again, rest) {
			return original, nil
		}
	}
	return rest, nil
}

func mergeAndStrip(original []byte, want []entry) ([]byte, error) {
	if original == nil {
		return nil, errors.New("no original")
	}
	had := outlineOf(original)
	merged, _, err := merge(original, want, had, true)
	if err != nil {
		return nil, err
	}
	return strip(merged, had)
}

func strip(raw []byte, had outline) ([]byte, error) {
	mark, text := splitMark(raw)
	d, err := parse(text)
	if err != nil {
		return nil, refuse(unparsable(err))
	}
	d.cutOurs(had, func(string, int) bool { return true })
	return append(bytes.Clone(mark), d.pack()...), nil
}

// nothing reports whether a file has nothing beyond what we add.
func nothing(raw []byte) bool {
	d, err := parse(raw)
	if err != nil || !d.root.IsStandard() {
		return false
	}
	list := members(d.root)
	_, isObject := d.root.Value.(*hujson.Object)
	return isObject && (len(list) == 0 || len(list) == 1 && nameOf(list[0]) == "version")
}
