package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Finding is something wrong with hooks.json, and what to do about it.
type Finding struct {
	Problem string
	Remedy  string
	Fatal   bool // loops do not work as they should; otherwise it is only worth knowing
}

// Inspect finds what is wrong with a hooks.json: every mistake for which Cursor silently drops the whole file, and everything
// for which our hook would not do its work. It does not mind a file without our hook, which may be in another, nor other hooks,
// of which Rivals tells. stat is os.Stat.
func Inspect(raw []byte, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	found := byteOrderMark(raw)
	_, text := splitMark(raw)
	d, err := parse(text)
	if err != nil {
		return append(found, unparsable(err)...)
	}
	found = slices.Concat(found, shapes(d), missing(d), drops(d, false), nestedComments(d))
	return slices.Concat(found, installation(d, goos, stat), wrappers(d), matchers(d))
}

func fatal(remedy, format string, args ...any) Finding {
	return Finding{fmt.Sprintf(format, args...), remedy, true}
}

func notice(remedy, format string, args ...any) Finding {
	return Finding{fmt.Sprintf(format, args...), remedy, false}
}

func splitMark(raw []byte) (mark, text []byte) {
	text = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	return raw[:len(raw)-len(text)], text
}

func byteOrderMark(raw []byte) []Finding {
	if mark, _ := splitMark(raw); len(mark) == 0 {
		return nil
	}
	return []Finding{fatal("save the file as UTF-8 without a byte-order mark", "the file begins with a byte-order mark, which is not JSON")}
}

func unparsable(err error) []Finding {
	remedy := "correct it there: Cursor drops the whole file as it is"
	if strings.Contains(err.Error(), "invalid UTF-8") { // of which Cursor may think otherwise
		remedy = "save the file as UTF-8"
	}
	return []Finding{fatal(remedy, "does not parse: %v", err)}
}

// shapes finds what makes it impossible to say where our entries belong.
func shapes(d doc) []Finding {
	if d.root.Value.Kind() != '{' {
		return []Finding{fatal(`put everything into one { "version": 1, "hooks": {} }`, "the file is not a JSON object")}
	}
	found := duplicates("the file", d.root)
	hooks, at := find(d.root, "hooks")
	if at >= 0 && hooks.Value.Kind() != '{' {
		return append(found, fatal(`make it an object of events: "hooks": { "stop": [] }`, `"hooks" is not an object`))
	}
	found = append(found, duplicates(`"hooks"`, hooks)...)
	for _, m := range members(hooks) {
		if m.Value.Value.Kind() != '[' {
			found = append(found, fatal(`make it a list of entries: [ { "command": "..." } ]`, "%q in hooks is not a list", nameOf(m)))
		}
		for i, v := range elements(m.Value) {
			found = append(found, entryShape(fmt.Sprintf("%s[%d]", nameOf(m), i), v)...)
		}
	}
	return found
}

func entryShape(where string, v hujson.Value) []Finding {
	if v.Value.Kind() != '{' {
		return []Finding{fatal(`make it an entry: { "command": "..." }`, "%s is not an object", where)}
	}
	return duplicates(where, v)
}

func duplicates(where string, v hujson.Value) []Finding {
	var found []Finding
	seen := map[string]int{}
	for _, m := range members(v) {
		if seen[nameOf(m)]++; seen[nameOf(m)] == 2 {
			found = append(found, fatal("keep one of them: the last one hides the others", "%s has %q more than once", where, nameOf(m)))
		}
	}
	return found
}

// missing finds the members without which Cursor drops the whole file. An installation adds them.
func missing(d doc) []Finding {
	var found []Finding
	if _, at := find(d.root, "version"); at < 0 {
		found = append(found, fatal(versionRemedy, `"version" is missing`))
	}
	if _, at := find(d.root, "hooks"); at < 0 {
		found = append(found, fatal(`write "hooks": {}, or run the installer`, `"hooks" is missing`))
	}
	return found
}

const versionRemedy = `write "version": 1`

// drops finds the other mistakes for which Cursor drops the whole file without a word.
func drops(d doc, anyEvent bool) []Finding {
	found := slices.Concat(versions(d), trailingCommas(d), commentSigns(d))
	hooks, _ := find(d.root, "hooks")
	for _, m := range members(hooks) {
		if !anyEvent && !slices.Contains(knownEvents(), nameOf(m)) {
			found = append(found, fatal("correct or remove it; `cursor-ralph install --any-event`, if your Cursor is newer and knows it",
				"event %q is unknown to the Cursor versions we know; Cursor drops the whole file for an event it does not know, older versions for newer names too", nameOf(m)))
		}
		for i, v := range elements(m.Value) {
			limit, at := find(v, "loop_limit")
			if at >= 0 && !null(limit) && !positive(limit) {
				found = append(found, fatal("make it a whole number of at least 1, or null for no limit", "%s[%d]: loop_limit is %s", nameOf(m), i, d.source(limit)))
			}
		}
	}
	return found
}

func knownEvents() []string {
	return []string{
		"beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution", "beforeReadFile", "afterFileEdit",
		"beforeTabFileRead", "afterTabFileEdit", "stop", "beforeSubmitPrompt", "afterAgentResponse", "afterAgentThought",
		"sessionStart", "sessionEnd", "preCompact", "subagentStart", "subagentStop", "preToolUse", "postToolUse",
		"postToolUseFailure", "workspaceOpen",
	}
}

func versions(d doc) []Finding {
	if v, at := find(d.root, "version"); at >= 0 && !positive(v) {
		return []Finding{fatal(versionRemedy, `"version" is %s, not a whole number of at least 1`, d.source(v))}
	}
	return nil
}

func null(v hujson.Value) bool { return v.Value.Kind() == 'n' }

func positive(v hujson.Value) bool {
	lit, ok := v.Value.(hujson.Literal)
	if !ok || lit.Kind() != '0' {
		return false
	}
	n := lit.Float()
	return n >= 1 && n == math.Trunc(n)
}

// source is a value as the file has it, for people.
func (d doc) source(v hujson.Value) string {
	return printable(string(d.raw[v.StartOffset:v.EndOffset]))
}

func (d doc) line(offset int) int {
	return 1 + bytes.Count(d.raw[:offset], []byte("\n"))
}

func trailingCommas(d doc) []Finding {
	var found []Finding
	for v := range d.root.All() {
		if trailingComma(*v) {
			g := groupOf(*v)
			found = append(found, fatal("remove the comma", "line %d: a comma before the closing bracket", d.line(g.items[len(g.items)-1].comma)))
		}
	}
	return found
}

// commentSigns finds strings of which Cursor, which strips comments without regard to strings, would strip a part.
func commentSigns(d doc) []Finding {
	var found []Finding
	for v := range d.root.All() {
		if sign := d.strippedSign(*v); sign != "" {
			found = append(found, fatal(`write / as \/ and * as \u002a in that string`,
				"line %d: the string %s holds %s, which Cursor takes for a comment", d.line(v.StartOffset), d.source(*v), sign))
		}
	}
	return found
}

func (d doc) strippedSign(v hujson.Value) string {
	raw := string(d.raw[v.StartOffset:v.EndOffset])
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

// nestedComments finds a comment that holds the sign of another kind: what is left of the file then depends on which kind
// Cursor strips first, and that is not known.
func nestedComments(d doc) []Finding {
	if len(commentSigns(d))+len(trailingCommas(d)) > 0 {
		return nil
	}
	line, block := regexp.MustCompile(`//[^\n]*`), regexp.MustCompile(`(?s)/\*.*?\*/`)
	lineFirst := block.ReplaceAll(line.ReplaceAll(d.raw, nil), nil)
	blockFirst := line.ReplaceAll(block.ReplaceAll(d.raw, nil), nil)
	plain := d.root.Clone()
	plain.Standardize()
	if sameJSON(lineFirst, plain.Pack()) && sameJSON(blockFirst, plain.Pack()) {
		return nil
	}
	return []Finding{notice("remove the sign of the one comment from inside the other, or the comment",
		"a comment holds // or /* of another one: Cursor may strip too much and drop the whole file")}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
