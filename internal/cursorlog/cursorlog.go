// Package cursorlog reads what Cursor's log of hooks says about each hooks.json. The format is reported, not documented, so
// unknown lines are skipped. It writes nothing.
package cursorlog

import (
	"regexp"
	"strings"
	"time"
)

// Verdict is what Cursor says of one hooks.json after it read it.
type Verdict struct {
	At      time.Time // zero if the line has no time
	Source  string    // user, project, enterprise, ...
	Path    string    // of the file, if the log has named it
	Problem string    // why the file is dropped; empty if it is not
	Missing bool      // the file does not exist or is not used
	Steps   []string  // the events that have hooks
}

// The lines of the service that reads the files. A project without a file has the line "Failed to parse project hooks
// configuration" too, so we ignore that line.
const (
	pathLine    = `(?i)^(\w+) config path: (.+)`
	droppedLine = `^(?:ERROR: )?Invalid (\w+) config: (.+)`
	loadedLine  = `^Loaded \d+ (\w+) hook\(s\) for steps: ?(.*)`
	missingLine = `^No (\w+) hooks configuration found`
)

// Plugins is the source of the hooks of plugins and of Claude-style settings, which one setting of Cursor turns off. It was
// reported of 3.18 to 3.24.
const (
	Plugins    = "plugins"
	pluginsOff = "thirdPartyExtensibilityEnabled off"
)

// Parse reads a log, or the end of one, and returns the verdicts in its order. It never fails: it skips what it does not know.
func Parse(text []byte) (all []Verdict) {
	paths := map[string]string{} // of the files, by their source
	path, dropped, loaded, missing := regexp.MustCompile(pathLine), regexp.MustCompile(droppedLine), regexp.MustCompile(loadedLine), regexp.MustCompile(missingLine)
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "?")) {
		at, words := stamp(strings.TrimRight(line, "\r\n"))
		if m := path.FindStringSubmatch(words); m != nil {
			paths[strings.ToLower(m[1])] = m[2]
			continue
		}
		v := Verdict{At: at}
		if m := dropped.FindStringSubmatch(words); m != nil {
			v.Source, v.Problem = m[1], m[2]
		} else if m := loaded.FindStringSubmatch(words); m != nil {
			v.Source, v.Steps = m[1], strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' })
		} else if m := missing.FindStringSubmatch(words); m != nil {
			v.Source, v.Missing = m[1], true
		} else if strings.Contains(words, pluginsOff) {
			v.Source, v.Problem = Plugins, words
		} else {
			continue
		}
		v.Path = paths[v.Source]
		if !v.repeats(all) {
			all = append(all, v)
		}
	}
	return all
}

// repeats reports whether a verdict only follows from the last one: behind a file that is dropped stands that none was found.
func (v Verdict) repeats(all []Verdict) bool {
	if !v.Missing || len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last.Source == v.Source && last.Problem != "" && v.At.Sub(last.At) < time.Second
}

// stamp splits the time from a line; zero if it has no time.
func stamp(line string) (time.Time, string) {
	text, rest, found := strings.Cut(strings.TrimPrefix(line, "["), "]")
	if !found || !strings.HasPrefix(line, "[") {
		return time.Time{}, strings.TrimSpace(line)
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, line
	}
	return at, strings.TrimSpace(rest)
}
