package commands

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// shapes finds what makes it impossible to say where our entries belong. Cursor drops the file for it, too [seen, rep].
func (r *report) shapes() {
	root, hooks := r.d.root, r.d.hooks()
	if root.Value.Kind() != '{' {
		r.fatal(root, `put everything into one { "version": 1, "hooks": {} }`, "the file is not a JSON object")
		return
	}
	r.duplicates("the file", root)
	if hooks != nil && hooks.Value.Kind() != '{' {
		r.fatal(hooks, `make it an object of events: "hooks": { "stop": [] }`, `"hooks" is not an object`)
		return
	}
	r.duplicates(`"hooks"`, hooks)
	for _, m := range members(hooks) {
		if m.Value.Value.Kind() != '[' {
			r.fatal(&m.Value, `make it a list of entries: [ { "command": "..." } ]`, "%q in hooks is not a list", nameOf(m))
		}
		for _, v := range elements(&m.Value) {
			if v.Value.Kind() != '{' {
				r.fatal(v, `make it an entry: { "command": "..." }`, "the entry is not an object")
			}
			r.duplicates("the entry", v)
		}
	}
}

func (r *report) duplicates(what string, v *hujson.Value) {
	seen := map[string]int{}
	for _, m := range members(v) {
		if seen[nameOf(m)]++; seen[nameOf(m)] == 2 {
			r.fatal(&m.Name, "keep one of them: the last one hides the others", "%s has %q more than once", what, nameOf(m))
		}
	}
}

const versionRemedy = `write "version": 1`

// missing finds the members without which Cursor drops the whole file. An installation adds them.
func (r *report) missing() {
	if find(r.d.root, "version") == nil {
		r.fatal(nil, versionRemedy, `"version" is missing`)
	}
	if r.d.hooks() == nil {
		r.fatal(nil, `write "hooks": {}, or run the installer`, `"hooks" is missing`)
	}
}

// drops finds the mistakes for which Cursor drops the whole file without a word, apart from what shapes and missing find.
// anyNames lets events and types of entries pass that only a newer Cursor may know.
func (r *report) drops(anyNames bool) {
	if v := find(r.d.root, "version"); v != nil && !positive(v) {
		r.fatal(v, versionRemedy, `"version" is %s, not a whole number of at least 1`, r.d.source(v))
	}
	r.trailingCommas()
	r.commentSigns()
	for _, m := range members(r.d.hooks()) {
		if !anyNames && !slices.Contains(hook.Events(), nameOf(m)) {
			r.fatal(&m.Name, "correct or remove it; `cursor-ralph install --any-event`, if your Cursor is newer and knows it",
				"event %q is unknown to the Cursor versions we know; Cursor drops the whole file for an event it does not know, older versions for newer names too", nameOf(m))
		}
		for _, v := range elements(&m.Value) {
			r.entryMistakes(v, anyNames)
		}
	}
}

func drops(d *doc, anyNames bool) []Finding {
	return findings(d, func(r *report) { r.drops(anyNames) })
}

func positive(v *hujson.Value) bool {
	lit, ok := v.Value.(hujson.Literal)
	return ok && lit.Kind() == '0' && lit.Float() >= 1 && lit.Float() == math.Trunc(lit.Float())
}

func (r *report) trailingCommas() {
	for v := range r.d.root.All() {
		if last := groupOf(v).comma(); last != nil {
			r.fatal(last, "remove the comma", "a comma before the closing bracket")
			r.found[len(r.found)-1].Place = r.d.place(last.EndOffset + len(last.AfterExtra))
		}
	}
}

// commentSigns finds strings of which Cursor, which strips comments without regard to strings, would strip a part.
func (r *report) commentSigns() {
	for v := range r.d.root.All() {
		if sign := r.d.strippedSign(v); sign != "" {
			r.fatal(v, `write / as \/ and * as \u002a in that string`, "the string %s holds %s, which Cursor takes for a comment", r.d.source(v), sign)
		}
	}
}

func (d *doc) strippedSign(v *hujson.Value) string {
	raw := d.rawOf(v)
	if !isString(v) {
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

// nestedComments finds a comment that holds the sign of another kind: what is left of the file then depends on which kind
// Cursor strips first, and that is not known.
func (r *report) nestedComments() {
	if len(findings(r.d, (*report).trailingCommas, (*report).commentSigns)) > 0 {
		return
	}
	line, block := regexp.MustCompile(`//[^\n]*`), regexp.MustCompile(`(?s)/\*.*?\*/`)
	lineFirst := block.ReplaceAll(line.ReplaceAll(r.d.raw, nil), nil)
	blockFirst := line.ReplaceAll(block.ReplaceAll(r.d.raw, nil), nil)
	plain := r.d.root.Clone()
	plain.Standardize()
	if !sameJSON(lineFirst, plain.Pack()) || !sameJSON(blockFirst, plain.Pack()) {
		r.notice(nil, "remove the sign of the one comment from inside the other, or the comment",
			"a comment holds // or /* of another one: Cursor may strip too much and drop the whole file")
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// fieldRules are those of the fields that every entry may have. A field that is missing is right. That of loop_limit was seen,
// the others are reported of Cursor 3.12.
var fieldRules = []struct {
	name, remedy, want string
	ok                 func(*hujson.Value) bool
}{
	{"loop_limit", "make it a whole number of at least 1, or null for no limit", "", func(v *hujson.Value) bool { return null(v) || positive(v) }},
	{"timeout", "make it a number of seconds above 0, or remove it", ", not a number above 0", aboveZero},
	{"failClosed", "make it true or false, or remove it", ", not true or false", truth},
	{"matcher", `make it a string, or remove it`, ", not a string", isString},
}

// entryMistakes finds the fields of an entry for which Cursor drops the whole file.
func (r *report) entryMistakes(v *hujson.Value, anyNames bool) {
	if v.Value.Kind() != '{' {
		return // shapes reports it
	}
	r.typeMistakes(v, anyNames)
	for _, rule := range fieldRules {
		if field := find(v, rule.name); field != nil && !rule.ok(field) {
			r.fatal(field, rule.remedy, "%s is %s%s", rule.name, r.d.source(field), rule.want)
		}
	}
	if matcher := find(v, "matcher"); stringIn(v, "matcher") != "" {
		if err := badPattern(stringIn(v, "matcher")); err != nil {
			r.fatal(matcher, "correct the pattern, which JavaScript has to read", "matcher %s is not a regular expression: %s", r.d.source(matcher), shown(err.Error()))
		}
	}
}

// typeMistakes looks at the type of an entry and at what that type needs. An empty command passes.
func (r *report) typeMistakes(v *hujson.Value, anyNames bool) {
	kind := find(v, "type")
	switch name := stringIn(v, "type"); {
	case kind == nil || name == "command":
		r.needsString(v, "command", false)
	case name == "prompt":
		r.needsString(v, "prompt", true)
		if find(v, "model") != nil {
			r.needsString(v, "model", true)
		}
	case name == "" || !anyNames:
		r.fatal(kind, `write "type": "command", or remove the type`, `type is %s, not "command" or "prompt"`, r.d.source(kind))
	}
}

func (r *report) needsString(v *hujson.Value, name string, filled bool) {
	field := find(v, name)
	switch {
	case field == nil:
		r.fatal(v, "add it, or remove the entry", "%s is missing", name)
	case !isString(field):
		r.fatal(field, "make it a string, or remove the entry", "%s is %s, not a string", name, r.d.source(field))
	case filled && stringIn(v, name) == "":
		r.fatal(field, "fill it in, or remove the entry", "%s is empty", name)
	}
}

func null(v *hujson.Value) bool     { return v.Value.Kind() == 'n' }
func isString(v *hujson.Value) bool { return v.Value.Kind() == '"' }

func truth(v *hujson.Value) bool {
	kind := v.Value.Kind()
	return kind == 't' || kind == 'f'
}

func aboveZero(v *hujson.Value) bool {
	lit, ok := v.Value.(hujson.Literal)
	return ok && lit.Kind() == '0' && lit.Float() > 0
}

// badPattern says what keeps JavaScript from reading a pattern. The * alone stands for everything [rep].
func badPattern(pattern string) error {
	if pattern == "*" {
		return nil
	}
	if flags := inlineFlags(pattern); flags != "" {
		return errors.New("JavaScript has no " + flags)
	}
	_, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	var bad *syntax.Error
	if errors.As(err, &bad) && bad.Code == syntax.ErrCaptureGroupOutOfRange {
		return nil // a huge count in braces, which JavaScript reads
	}
	if bad != nil {
		return errors.New(strings.TrimPrefix(strings.TrimSuffix(bad.Error(), " in `"+bad.Expr+"`"), "error parsing regexp: "))
	}
	return err
}

// inlineFlags finds a group such as (?i), which the library knows and JavaScript does not.
func inlineFlags(pattern string) string {
	plain := regexp.MustCompile(`\\(?s:.)|\[(?:\\(?s:.)|[^\]\\])*\]`).ReplaceAllStringFunc(pattern, func(s string) string { return strings.Repeat("_", len(s)) })
	return regexp.MustCompile(`\(\?[a-zA-Z-]+\)`).FindString(plain)
}
