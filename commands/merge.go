package commands

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// outline is what hooks.json had of its own before we came: it stays when our entries go.
type outline struct {
	hooks  bool
	events map[string]bool
}

// outlineOf of a file that was missing or blank is empty.
func outlineOf(raw []byte) outline {
	o := outline{events: map[string]bool{}}
	if d, err := parse(raw); err == nil {
		hooks, at := find(d.root, "hooks")
		o.hooks = at >= 0
		for _, m := range members(hooks) {
			o.events[nameOf(m)] = true
		}
	}
	return o
}

// merge returns hooks.json with our entries in it, and says what else it had to change. raw is nil when there is no file.
func merge(raw []byte, want []entry, had outline, anyEvent bool) ([]byte, []string, error) {
	d, err := parseForMerge(raw)
	if err != nil {
		return nil, nil, err
	}
	if err := refuse(shapes(d)); err != nil {
		return nil, nil, err
	}
	if len(trailingCommas(d)) > 0 { // what is added behind one does not parse
		return nil, nil, refuse(drops(d, anyEvent))
	}
	merged, notes, err := mergeInto(d, want, had)
	if err != nil {
		return nil, nil, err
	}
	if found := drops(merged, anyEvent); len(found) > 0 {
		return nil, nil, refuse(asBefore(d, found, anyEvent))
	}
	return merged.raw, notes, nil
}

// asBefore gives mistakes that the user's file had before with the line numbers of that file.
func asBefore(d doc, found []Finding, anyEvent bool) []Finding {
	if before := drops(d, anyEvent); len(before) > 0 {
		return before
	}
	return found
}

func parseForMerge(raw []byte) (doc, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}\n")
	}
	if f := byteOrderMark(raw); f != nil {
		return doc{}, refuse(f)
	}
	d, err := parse(raw)
	if err != nil {
		return doc{}, refuse(unparsable(err))
	}
	return d, nil
}

// refuse makes one error of what is wrong, nil when nothing is.
func refuse(found []Finding) error {
	if len(found) == 0 {
		return nil
	}
	var what, hint []string
	for _, f := range found {
		what = append(what, f.Problem)
		if !slices.Contains(hint, f.Remedy) {
			hint = append(hint, f.Remedy)
		}
	}
	return refusal{strings.Join(what, "; "), strings.Join(hint, "; ") + " (nothing was changed)"}
}

func mergeInto(d doc, want []entry, had outline) (doc, []string, error) {
	d, notes, err := d.scaffold()
	wanted := map[string]bool{}
	for i := 0; i < len(want) && err == nil; i++ {
		wanted[want[i].event] = true
		d, err = d.put(want[i])
	}
	if err != nil {
		return doc{}, nil, err
	}
	d, err = d.cutOurs(had, func(event string, nth int) bool { return !wanted[event] || nth > 0 })
	return d, notes, err
}

// scaffold sees to the two members without which Cursor drops the file.
func (d doc) scaffold() (doc, []string, error) {
	var notes []string
	var err error
	if _, at := find(d.root, "version"); at < 0 {
		if len(members(d.root)) > 0 {
			notes = append(notes, `"version": 1 was missing and is added: without it Cursor drops the whole file`)
		}
		if d, err = d.add(d.root, d.member("version", "1")); err != nil {
			return d, nil, err
		}
	}
	if _, at := find(d.root, "hooks"); at < 0 {
		d, err = d.add(d.root, d.member("hooks", "{}"))
	}
	return d, notes, err
}

// put brings the first of our entries of an event up to date, or adds it.
func (d doc) put(e entry) (doc, error) {
	hooks, _ := find(d.root, "hooks")
	list, at := find(hooks, e.event)
	if at < 0 {
		next, err := d.add(hooks, d.member(e.event, "[]"))
		if err != nil {
			return d, err
		}
		return next.put(e)
	}
	for i, v := range elements(list) {
		if ours(stringIn(v, "command")) {
			return d.update(e, i)
		}
	}
	return d.add(list, d.object(e.fields))
}

// update changes an entry in place, so that its formatting, comments and unknown members stay.
func (d doc) update(e entry, i int) (doc, error) {
	var err error
	for _, name := range []string{"command", "matcher", "timeout", "loop_limit"} {
		if d, err = d.set(d.entry(e.event, i), name, e.value(name)); err != nil {
			return d, err
		}
	}
	if closed := e.value("failClosed"); closed != nil { // of other entries it is the user's
		return d.set(d.entry(e.event, i), "failClosed", closed)
	}
	return d, nil
}

func (d doc) entry(event string, i int) hujson.Value {
	hooks, _ := find(d.root, "hooks")
	list, _ := find(hooks, event)
	return elements(list)[i]
}

// set changes one member of an object, a nil value takes it out.
func (d doc) set(v hujson.Value, name string, value hujson.Literal) (doc, error) {
	now, at := find(v, name)
	switch {
	case at < 0 && value == nil:
		return d, nil
	case at < 0:
		return d.add(v, d.member(name, string(value)))
	case value == nil:
		return d.cut(v, at)
	case same(now, value):
		return d, nil
	}
	return d.replace(now.StartOffset, now.EndOffset, string(value))
}

func same(v hujson.Value, value hujson.Literal) bool {
	lit, ok := v.Value.(hujson.Literal)
	return ok && lit.Kind() == value.Kind() && lit.String() == value.String()
}

// cutOurs takes out those of our entries that gone chooses, and what is empty then unless the user had it.
func (d doc) cutOurs(had outline, gone func(event string, nth int) bool) (doc, error) {
	for {
		list, event, i := d.firstOurs(gone)
		if i < 0 {
			return d, nil
		}
		next, err := d.cut(list, i)
		if err != nil {
			return d, err
		}
		if d, err = next.tidy(event, had); err != nil {
			return d, err
		}
	}
}

func (d doc) firstOurs(gone func(event string, nth int) bool) (list hujson.Value, event string, i int) {
	for _, m := range d.allEvents() {
		nth := 0
		for i, v := range elements(m.Value) {
			if !ours(stringIn(v, "command")) {
				continue
			}
			if gone(nameOf(m), nth) {
				return m.Value, nameOf(m), i
			}
			nth++
		}
	}
	return hujson.Value{}, "", -1
}

// allEvents are those of every "hooks", should there be more than one.
func (d doc) allEvents() []hujson.ObjectMember {
	var list []hujson.ObjectMember
	for _, m := range members(d.root) {
		if nameOf(m) == "hooks" {
			list = append(list, members(m.Value)...)
		}
	}
	return list
}

// tidy takes out an event's list, and then the hooks, if our entries were all there was in them.
func (d doc) tidy(event string, had outline) (doc, error) {
	hooks, at := find(d.root, "hooks")
	list, i := find(hooks, event)
	if had.events[event] || i < 0 || !d.bare(list) {
		return d, nil
	}
	next, err := d.cut(hooks, i)
	if err != nil {
		return d, err
	}
	if hooks, _ = find(next.root, "hooks"); had.hooks || !next.bare(hooks) {
		return next, nil
	}
	return next.cut(next.root, at)
}
