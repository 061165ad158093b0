package commands

import (
	"math"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// drops finds the mistakes for which Cursor drops the whole file without a word, apart from what shapes and missing find.
// anyNames lets events and types of entries pass that only a newer Cursor may know.
func drops(d *doc, anyNames bool) []Finding {
	found := slices.Concat(versions(d), trailingCommas(d), commentSigns(d))
	for _, m := range members(d.hooks()) {
		if !anyNames && !slices.Contains(hook.Events(), nameOf(m)) {
			found = append(found, fatal("correct or remove it; `cursor-ralph install --any-event`, if your Cursor is newer and knows it",
				"event %q is unknown to the Cursor versions we know; Cursor drops the whole file for an event it does not know, older versions for newer names too", nameOf(m)).at(d, &m.Name))
		}
		for _, v := range elements(&m.Value) {
			found = append(found, d.entryMistakes(v, anyNames)...)
		}
	}
	return found
}

func versions(d *doc) []Finding {
	if v := find(d.root, "version"); v != nil && !positive(v) {
		return []Finding{fatal(versionRemedy, `"version" is %s, not a whole number of at least 1`, d.source(v)).at(d, v)}
	}
	return nil
}

func positive(v *hujson.Value) bool {
	lit, ok := v.Value.(hujson.Literal)
	if !ok || lit.Kind() != '0' {
		return false
	}
	n := lit.Float()
	return n >= 1 && n == math.Trunc(n)
}

func trailingCommas(d *doc) []Finding {
	var found []Finding
	for v := range d.root.All() {
		if last := groupOf(v).comma(); last != nil {
			found = append(found, fatal("remove the comma", "a comma before the closing bracket").atOffset(d, last.EndOffset+len(last.AfterExtra)))
		}
	}
	return found
}

// commentSigns finds strings of which Cursor, which strips comments without regard to strings, would strip a part.
func commentSigns(d *doc) []Finding {
	var found []Finding
	for v := range d.root.All() {
		if sign := d.strippedSign(v); sign != "" {
			found = append(found, fatal(`write / as \/ and * as \u002a in that string`,
				"the string %s holds %s, which Cursor takes for a comment", d.source(v), sign).at(d, v))
		}
	}
	return found
}

func (d *doc) strippedSign(v *hujson.Value) string {
	raw := d.rawOf(v)
	if v.Value.Kind() != '"' {
		return ""
	}
	_, block, opened := strings.Cut(raw, "/*")
	switch {
	case strings.Contains(raw, "//"):
		return "//"
	case opened && strings.Contains(block+string(d.raw[v.EndOffset:]), "*/"):
		return "/*"
	}
	return ""
}
