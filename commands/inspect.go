package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
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
	Place   Place
}

// Inspect finds what is wrong with a hooks.json: every mistake for which Cursor silently drops the whole file, and everything for
// which our hook would not do its work. It does not mind a file without our hook, which may be in another, nor other hooks, of
// which Rivals tells. stat is os.Stat.
func Inspect(raw []byte, goos string, stat func(string) (fs.FileInfo, error)) []Finding {
	found := byteOrderMark(raw)
	_, text := splitMark(raw)
	d, err := parse(text)
	if err != nil {
		return append(found, unparsable(err)...)
	}
	found = slices.Concat(found, shapes(d), missing(d), drops(d, false), nestedComments(d))
	return slices.Concat(found, installation(d, goos, stat), wrappers(d))
}

func fatal(remedy, format string, args ...any) Finding {
	return Finding{Problem: fmt.Sprintf(format, args...), Remedy: remedy, Fatal: true}
}

func notice(remedy, format string, args ...any) Finding {
	return Finding{Problem: fmt.Sprintf(format, args...), Remedy: remedy}
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

// shapes finds what makes it impossible to say where our entries belong. Cursor drops the file for it, too [seen, rep].
func shapes(d *doc) []Finding {
	if d.root.Value.Kind() != '{' {
		return []Finding{fatal(`put everything into one { "version": 1, "hooks": {} }`, "the file is not a JSON object").at(d, d.root)}
	}
	found := d.duplicates("the file", d.root)
	hooks := d.hooks()
	if hooks != nil && hooks.Value.Kind() != '{' {
		return append(found, fatal(`make it an object of events: "hooks": { "stop": [] }`, `"hooks" is not an object`).at(d, hooks))
	}
	found = append(found, d.duplicates(`"hooks"`, hooks)...)
	for _, m := range members(hooks) {
		if m.Value.Value.Kind() != '[' {
			found = append(found, fatal(`make it a list of entries: [ { "command": "..." } ]`, "%q in hooks is not a list", nameOf(m)).at(d, &m.Value))
		}
		for _, v := range elements(&m.Value) {
			found = append(found, d.entryShape(v)...)
		}
	}
	return found
}

func (d *doc) entryShape(v *hujson.Value) []Finding {
	if v.Value.Kind() != '{' {
		return []Finding{fatal(`make it an entry: { "command": "..." }`, "the entry is not an object").at(d, v)}
	}
	return d.duplicates("the entry", v)
}

func (d *doc) duplicates(what string, v *hujson.Value) []Finding {
	var found []Finding
	seen := map[string]int{}
	for _, m := range members(v) {
		if seen[nameOf(m)]++; seen[nameOf(m)] == 2 {
			found = append(found, fatal("keep one of them: the last one hides the others", "%s has %q more than once", what, nameOf(m)).at(d, &m.Name))
		}
	}
	return found
}

// missing finds the members without which Cursor drops the whole file. An installation adds them.
func missing(d *doc) []Finding {
	var found []Finding
	if find(d.root, "version") == nil {
		found = append(found, fatal(versionRemedy, `"version" is missing`))
	}
	if d.hooks() == nil {
		found = append(found, fatal(`write "hooks": {}, or run the installer`, `"hooks" is missing`))
	}
	return found
}

const versionRemedy = `write "version": 1`

// nestedComments finds a comment that holds the sign of another kind: what is left of the file then depends on which kind Cursor
// strips first, and that is not known.
func nestedComments(d *doc) []Finding {
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
