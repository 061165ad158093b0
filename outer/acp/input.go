package acp

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

const maxPaths = 1000 // of one call; more count as outside

func (c *toolCall) paths() []string {
	return slices.DeleteFunc(inputPaths(c.namedPaths(), "", c.RawInput), isEmpty)
}

func isEmpty(s string) bool { return s == "" }

func (c *toolCall) namedPaths() (found []string) {
	for _, l := range c.Locations {
		found = append(found, l.Path)
	}
	for _, b := range c.blocks() {
		if b.Type == "diff" {
			found = append(found, b.Path)
		}
	}
	return found
}

// inputPaths adds the paths in a call's input: values of fields that say so, and
// keys that look like paths.
func inputPaths(found []string, field string, value any) []string {
	switch v := value.(type) {
	case string:
		if namesPath(field) {
			found = append(found, v)
		}
	case []any:
		for _, e := range v {
			found = inputPaths(found, field, e)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if strings.ContainsAny(key, `/\`) {
				found = append(found, key)
			}
			found = inputPaths(found, key, v[key])
		}
	}
	return found
}

func namesPath(field string) bool {
	field = strings.ToLower(field)
	return containsAny(field, "path", "file", "uri", "dir", "folder", "target", "dest", "cwd") &&
		!containsAny(field, "text", "content") // such as fileText
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) })
}

// reach collects everything that a call may read or write. Tools name their fields
// freely, so every string in the input counts as a path, unless its field is known
// to contain something else. A word that is not a path looks like one inside the
// workspace, which is harmless.
type reach struct {
	places  []string
	unclear bool // we do not understand some of the input
}

func (c *toolCall) reach() reach {
	r := reach{places: c.namedPaths()}
	r.walk("", c.RawInput)
	r.places = slices.DeleteFunc(r.places, isEmpty)
	if len(r.places) > maxPaths {
		r.places, r.unclear = r.places[:maxPaths], true
	}
	return r
}

func (r *reach) walk(field string, value any) {
	switch v := value.(type) {
	case string:
		r.addText(field, v)
	case []any:
		for _, e := range v {
			r.walk(field, e)
		}
	case map[string]any:
		for key, e := range v {
			if !isIdentifier(key) {
				r.places = append(r.places, key)
			}
			r.walk(key, e)
		}
	}
}

func (r *reach) addText(field, text string) {
	switch {
	case isText(field):
	case isPatch(field):
		r.places = append(r.places, patchedFiles(text)...)
	case strings.ContainsAny(text, "\r\n"):
		r.unclear = true
	default:
		r.places = append(r.places, text)
	}
}

func isIdentifier(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func isText(field string) bool {
	switch plainName(field) {
	case "text", "content", "contents", "filetext", "filecontent", "newtext", "oldtext", "newcontent", "oldcontent",
		"newstring", "oldstring", "newstr", "oldstr", "newsource", "codeedit", "inserttext",
		"description", "explanation", "reason", "instruction", "instructions", "prompt", "thought":
		return true
	}
	return false
}

func isPatch(field string) bool {
	switch plainName(field) {
	case "patch", "patchtext", "diff", "unifieddiff", "filediff":
		return true
	}
	return false
}

func plainName(field string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(field))
}

// patchedFiles lists the files in a patch's headers. A content line that looks like
// a header counts too, which errs on the safe side.
func patchedFiles(patch string) (files []string) {
	for line := range strings.Lines(patch) {
		for _, header := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:", "--- ", "+++ ",
			"rename from ", "rename to ", "copy from ", "copy to ", "Index: "} {
			name, ok := strings.CutPrefix(line, header)
			name, _, _ = strings.Cut(name, "\t")
			if name = strings.Trim(name, " \r\n\""); ok && name != "" && name != "/dev/null" {
				files = append(files, name)
			}
		}
	}
	return files
}

// otherInput returns the part of a call's input that a question to the user does not
// show otherwise: no paths, no command that we understand, nothing that a diff shows.
func (c *toolCall) otherInput(understood, diff bool) (lines []string) {
	input, isObject := c.RawInput.(map[string]any)
	if !isObject && c.RawInput != nil {
		return []string{compact(c.RawInput)}
	}
	for _, field := range slices.Sorted(maps.Keys(input)) {
		_, isString := input[field].(string)
		switch {
		case input[field] == nil, isString && namesPath(field):
		case understood && (slices.Contains(commandFields, field) || slices.Contains(dirFields, field) || field == envField):
		case diff && (isText(field) || isPatch(field)):
		default:
			lines = append(lines, compact(field)+": "+compact(input[field]))
		}
	}
	return lines
}

func compact(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // it was decoded from JSON
	return strings.TrimSuffix(b.String(), "\n")
}
