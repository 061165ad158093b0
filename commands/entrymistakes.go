package commands

import (
	"errors"
	"regexp"
	"strings"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
	"github.com/tailscale/hujson"
)

// fieldRules are those of the fields that every entry may have. A field that is missing is right. That of loop_limit was seen,
// the others are reported of Cursor 3.12.
var fieldRules = []struct {
	name, remedy, want string
	ok                 func(*hujson.Value) bool
}{
	{"loop_limit", "make it a whole number of at least 1, or null for no limit", "", func(v *hujson.Value) bool { return null(v) || positive(v) }},
	{"timeout", "make it a number of seconds above 0, or remove it", "not a number above 0", aboveZero},
	{"failClosed", "make it true or false, or remove it", "not true or false", truth},
	{"matcher", `make it a string, or remove it`, "not a string", isString},
}

// entryMistakes finds the fields of an entry for which Cursor drops the whole file.
func (d *doc) entryMistakes(v *hujson.Value, anyNames bool) []Finding {
	if v.Value.Kind() != '{' {
		return nil // shapes tells
	}
	found := d.typeMistakes(v, anyNames)
	for _, rule := range fieldRules {
		field := find(v, rule.name)
		if field == nil || rule.ok(field) {
			continue
		}
		problem := rule.name + " is " + d.source(field)
		if rule.want != "" {
			problem += ", " + rule.want
		}
		found = append(found, fatal(rule.remedy, "%s", problem).at(d, field))
	}
	if matcher := find(v, "matcher"); stringIn(v, "matcher") != "" {
		if err := badPattern(stringIn(v, "matcher")); err != nil {
			found = append(found, fatal("correct the pattern, which JavaScript has to read", "matcher %s is not a regular expression: %s", d.source(matcher), shown(err.Error())).at(d, matcher))
		}
	}
	return found
}

// typeMistakes looks at the type of an entry and at what that type needs. An empty command passes.
func (d *doc) typeMistakes(v *hujson.Value, anyNames bool) []Finding {
	kind := find(v, "type")
	switch name := stringIn(v, "type"); {
	case kind == nil || name == "command":
		return d.needsString(v, "command", false)
	case name == "prompt":
		found := d.needsString(v, "prompt", true)
		if find(v, "model") != nil {
			found = append(found, d.needsString(v, "model", true)...)
		}
		return found
	case name != "" && anyNames:
		return nil
	}
	return []Finding{fatal(`write "type": "command", or remove the type`, `type is %s, not "command" or "prompt"`, d.source(kind)).at(d, kind)}
}

func (d *doc) needsString(v *hujson.Value, name string, filled bool) []Finding {
	field := find(v, name)
	switch {
	case field == nil:
		return []Finding{fatal("add it, or remove the entry", "%s is missing", name).at(d, v)}
	case !isString(field):
		return []Finding{fatal("make it a string, or remove the entry", "%s is %s, not a string", name, d.source(field)).at(d, field)}
	case filled && stringIn(v, name) == "":
		return []Finding{fatal("fill it in, or remove the entry", "%s is empty", name).at(d, field)}
	}
	return nil
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
