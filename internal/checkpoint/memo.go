package checkpoint

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// memo is what a checkpoint's commit says beside its tree, so that a restore knows which
// files were there and are not in it.
type memo struct {
	leftOut []string          // files, and with a slash at the end the folders of other repositories
	exclude string            // the repository's info/exclude, which is in no tree
	rules   map[string]string // the ignored .gitignore files
}

const (
	leftOutLine = "left out: "
	excludeLine = "info/exclude: "
	rulesLine   = "ignored rules: "
)

func (r *repo) memo(now snapshot) memo {
	m := memo{leftOut: now.nested, rules: now.rules}
	for _, f := range now.left {
		m.leftOut = append(m.leftOut, f.name)
	}
	for line := range strings.Lines(r.exclude) {
		if !strings.HasPrefix(line, "#") { // what git init writes is all comment
			m.exclude += line
		}
	}
	return m
}

// message returns the message of the commit.
func (m memo) message(title string) string {
	var b strings.Builder
	b.WriteString(title + "\n\n")
	for _, name := range m.leftOut {
		b.WriteString(leftOutLine + strconv.QuoteToASCII(name) + "\n")
	}
	if m.exclude != "" {
		b.WriteString(excludeLine + strconv.QuoteToASCII(m.exclude) + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(m.rules)) {
		b.WriteString(rulesLine + strconv.QuoteToASCII(name) + " " + strconv.QuoteToASCII(m.rules[name]) + "\n")
	}
	return b.String()
}

// parseMemo reads a commit as git cat-file prints it.
func parseMemo(commit string) (m memo) {
	m.rules = map[string]string{}
	_, message, _ := strings.Cut(commit, "\n\n")
	for line := range strings.Lines(message) {
		line = strings.TrimSuffix(line, "\n")
		if quoted, ok := strings.CutPrefix(line, leftOutLine); ok {
			if name, err := strconv.Unquote(quoted); err == nil {
				m.leftOut = append(m.leftOut, name)
			}
		}
		if quoted, ok := strings.CutPrefix(line, excludeLine); ok {
			m.exclude, _ = strconv.Unquote(quoted) // or nothing
		}
		if quoted, ok := strings.CutPrefix(line, rulesLine); ok {
			prefix, _ := strconv.QuotedPrefix(quoted) // a bad line has no name
			name, _ := strconv.Unquote(prefix)
			m.rules[name], _ = strconv.Unquote(strings.TrimPrefix(quoted[len(prefix):], " "))
		}
	}
	return m
}

// hasLeftOut reports whether a file was there, but not in the checkpoint.
func (m memo) hasLeftOut(path string) bool {
	for _, name := range m.leftOut {
		if path == name || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name) {
			return true
		}
	}
	return false
}
