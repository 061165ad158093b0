package commands

import (
	"errors"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// mistakes are those for which Cursor drops the whole file without a word. Those of the shapes make it impossible, too, to say
// where our entries belong; the others are looked for where there are none of these. An event that we do not know may be one of a
// newer Cursor.
func mistakes() []func(*report) {
	return []func(*report){(*report).version, (*report).trailingCommas, (*report).commentSigns, (*report).events, (*report).entries}
}

// dropped returns the mistakes of a file.
func dropped(d *doc) []Finding {
	if found := findings(d, shapes); len(found) > 0 {
		return found
	}
	return findings(d, mistakes()...)
}

// shapes finds a file that is no object of lists of entries, or has a name twice.
func shapes(r *report) {
	root, hooks := r.d.root, r.d.hooks()
	switch {
	case root.Value.Kind() != '{':
		r.fatal(root, `put everything into one { "version": 1, "hooks": {} }`, "the file is not a JSON object")
		return
	case hooks == nil:
		r.fatal(nil, `write "hooks": {}, or remove the file`, `"hooks" is missing`)
	case hooks.Value.Kind() != '{':
		r.fatal(hooks, `make it an object of events: "hooks": { "stop": [] }`, `"hooks" is not an object`)
	}
	r.duplicates("the file", root)
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

func (r *report) version() {
	const remedy = `write "version": 1`
	switch v := find(r.d.root, "version"); {
	case v == nil:
		r.fatal(nil, remedy, `"version" is missing`)
	case !isPositive(v):
		r.fatal(v, remedy, `"version" is %s, not a whole number of at least 1`, r.d.source(v))
	}
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

func (r *report) events() {
	for _, m := range members(r.d.hooks()) {
		if !slices.Contains(hook.Events(), nameOf(m)) {
			r.notice(&m.Name, "if your Cursor does not know it, correct or remove it", "event %q is unknown to the Cursor versions we know; Cursor drops the whole file for an event it does not know, older versions for newer names too", nameOf(m))
		}
	}
}

// fieldRule is what Cursor wants of a field that an entry has.
type fieldRule struct {
	name, remedy, want string
	ok                 func(*hujson.Value) bool
}

// fieldRules lists them. That of loop_limit was seen, the others are reported of Cursor 3.12.
func fieldRules() []fieldRule {
	isFilled := func(v *hujson.Value) bool { return stringOf(v) != "" }
	return []fieldRule{
		{"loop_limit", "make it a whole number of at least 1, or null for no limit", "", func(v *hujson.Value) bool { return v.Value.Kind() == 'n' || isPositive(v) }},
		{"timeout", "make it a number of seconds above 0, or remove it", ", not a number above 0", func(v *hujson.Value) bool { return number(v) > 0 }},
		{"failClosed", "make it true or false, or remove it", ", not true or false", func(v *hujson.Value) bool { return v.Value.Kind() == 't' || v.Value.Kind() == 'f' }},
		{"matcher", `make it a string, or remove it`, ", not a string", isString},
		{"matcher", "correct the pattern, which JavaScript has to read", ", not a regular expression", func(v *hujson.Value) bool { return badPattern(stringOf(v)) == nil }},
		{"type", `write "type": "command", or remove the type`, `, not "command" or "prompt"`, func(v *hujson.Value) bool { return stringOf(v) == "command" || stringOf(v) == "prompt" }},
		{"command", "make it a string, or remove the entry", ", not a string", isString},
		{"prompt", "fill it in, or remove the entry", ", not a text", isFilled},
		{"model", "fill it in, or remove it", ", not a text", isFilled},
	}
}

// entries finds the fields of entries for which Cursor drops the whole file. An empty command passes.
func (r *report) entries() {
	for _, m := range members(r.d.hooks()) {
		for _, v := range elements(&m.Value) {
			kind := stringIn(v, "type")
			if needed := map[string]string{"": "command", "command": "command", "prompt": "prompt"}[kind]; needed != "" && find(v, needed) == nil {
				r.fatal(v, "add it, or remove the entry", "%s is missing", needed)
			}
			for _, rule := range fieldRules() {
				field := find(v, rule.name)
				isOfPrompt := rule.name == "prompt" || rule.name == "model"
				if field != nil && !rule.ok(field) && (!isOfPrompt || kind == "prompt") && (rule.name != "command" || kind != "prompt") {
					r.fatal(field, rule.remedy, "%s is %s%s", rule.name, r.d.source(field), rule.want)
				}
			}
		}
	}
}

// number is 0 for anything else.
func number(v *hujson.Value) float64 {
	if lit, ok := v.Value.(hujson.Literal); ok && lit.Kind() == '0' {
		return lit.Float()
	}
	return 0
}

func isPositive(v *hujson.Value) bool { return number(v) >= 1 && number(v) == math.Trunc(number(v)) }

// badPattern says what keeps JavaScript from reading a pattern, as far as it is a mistake in Go's patterns too, or Go's own syntax.
// What Go alone refuses, such as (?=x), passes. The * alone stands for everything [rep].
func badPattern(pattern string) error {
	if pattern == "*" {
		return nil
	}
	if group := foreignGroup(pattern); group != "" {
		return errors.New("JavaScript has no " + group)
	}
	_, err := syntax.Parse(pattern, syntax.Perl)
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err
	}
	wrong := true // in JavaScript too
	switch bad.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrTrailingBackslash, syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
	case syntax.ErrMissingBracket:
		wrong = !strings.Contains(pattern, "[]") && !strings.Contains(pattern, "[^]") // complete there
	case syntax.ErrInvalidCharRange:
		wrong = !strings.Contains(bad.Expr, `\`) // [\d-x] is three members there
	default:
		wrong = false
	}
	if !wrong {
		return nil
	}
	return errors.New(string(bad.Code) + " in " + bad.Expr)
}

// foreignGroup finds a group that other languages have, such as (?i) and (?P<name>a).
func foreignGroup(pattern string) string {
	plain := regexp.MustCompile(`\\(?s:.)|\[(?:\\(?s:.)|[^\]\\])*\]`).ReplaceAllStringFunc(pattern, func(s string) string { return strings.Repeat("_", len(s)) })
	return regexp.MustCompile(`\(\?(?:[a-zA-Z-]+\)|P[<=>])`).FindString(plain)
}
