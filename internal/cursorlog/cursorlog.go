// Package cursorlog reads Cursor's log of hooks: what it says about each hooks.json, and each hook run with its answer. The
// format is reported, not documented, so unknown lines are skipped. It writes nothing.
package cursorlog

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Log is what a log, or several, say. Both lists are in the order of the log.
type Log struct {
	Verdicts []Verdict
	Runs     []Run
}

// Verdict is what Cursor says of one hooks.json after it read it.
type Verdict struct {
	At      time.Time // zero if the line has no time
	Source  string    // user, project, enterprise, ...
	Path    string    // of the file, if the log has named it
	Problem string    // why the file is dropped; empty if it is not
	Missing bool      // the file does not exist or is not used
	Steps   []string  // the events that have hooks
}

// Run is one hook that Cursor ran.
type Run struct {
	At           time.Time // when the event asked for its hooks; zero if that is not in the log
	Event        string
	Command      string
	Took         time.Duration
	Exit         string // the exit code, or what stands for it
	Conversation string
	Answer       string // standard output as Cursor recorded it; empty for none
}

// HasFollowup reports whether the recorded answer has a follow-up.
func (r Run) HasFollowup() bool {
	var answer struct {
		Followup string `json:"followup_message"`
	}
	i := strings.LastIndex(r.Answer, "\n{") + 1 // Cursor lets log lines stand before the answer
	return (json.Unmarshal([]byte(r.Answer), &answer) == nil || json.Unmarshal([]byte(r.Answer[i:]), &answer) == nil) && answer.Followup != ""
}

// Parse reads a log, or the end of one. It never fails: it skips what it does not know.
func Parse(text []byte) Log {
	p := parser{asked: map[string]time.Time{}, paths: map[string]string{}}
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "?")) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	p.endText()
	return p.log
}

type parser struct {
	log   Log
	asked map[string]time.Time // when each event asked for its hooks, the last time
	paths map[string]string    // of the files, by their source

	run     *Run // that is being read
	title   string
	section string
	input   strings.Builder
	output  strings.Builder
}

// commandLine is the first line of a run, below its title.
var commandLine = regexp.MustCompile(`^Command: (.*) \((\d{1,9})ms\) exit code: (\S+)$`)

func (p *parser) line(line string) {
	at, rest := stamp(line)
	command := commandLine.FindStringSubmatch(line)
	switch {
	case command != nil:
		p.startRun(command)
	case !at.IsZero():
		p.endRun()
		p.service(at, rest)
	case strings.HasPrefix(line, "══"):
		p.endRun()
	case p.run == nil:
		p.title = strings.TrimSpace(line)
		p.service(at, line)
	case line == "INPUT:" && p.section == "", line == "OUTPUT:" && p.section == "INPUT:", line == "STDERR:" && p.section == "OUTPUT:":
		p.section = line
	case p.section == "INPUT:":
		p.input.WriteString(line + "\n")
	case p.section == "OUTPUT:":
		p.output.WriteString(line + "\n")
	}
}

// stamp splits the time from a line; zero if it has no time.
func stamp(line string) (time.Time, string) {
	text, rest, found := strings.Cut(strings.TrimPrefix(line, "["), "]")
	if !found || !strings.HasPrefix(line, "[") {
		return time.Time{}, line
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, line
	}
	return at, strings.TrimSpace(rest)
}

// startRun begins a run, whose title is the event.
func (p *parser) startRun(command []string) {
	title := p.title
	p.endRun()
	millis, _ := strconv.Atoi(command[2]) // digits
	p.run = &Run{Event: title, Command: command[1], Took: time.Duration(millis) * time.Millisecond, Exit: command[3]}
}

func (p *parser) endRun() {
	if p.run == nil {
		return
	}
	var input struct {
		Conversation string `json:"conversation_id"`
		Event        string `json:"hook_event_name"`
	}
	if json.Unmarshal([]byte(p.input.String()), &input) == nil {
		p.run.Conversation = input.Conversation
		if input.Event != "" {
			p.run.Event = input.Event
		}
	}
	p.run.At = p.asked[p.run.Event]
	if p.run.Answer = strings.TrimSpace(p.output.String()); p.run.Answer == "(empty)" {
		p.run.Answer = ""
	}
	if p.section == "OUTPUT:" || p.section == "STDERR:" { // else the answer is not there
		p.log.Runs = append(p.log.Runs, *p.run)
	}
	p.run, p.section, p.title = nil, "", ""
	p.input.Reset()
	p.output.Reset()
}

// endText is for a run that the text ends in: its answer may be cut off.
func (p *parser) endText() {
	answer := strings.TrimSpace(p.output.String())
	if p.section == "OUTPUT:" && answer != "(empty)" && !json.Valid([]byte(answer)) {
		p.section = ""
	}
	p.endRun()
}

// patterns are the lines of the service that reads the files. A project without a file has the line "Failed to parse project
// hooks configuration" too, so we ignore that line.
var patterns = []struct {
	*regexp.Regexp
	add func(p *parser, at time.Time, m []string)
}{
	{regexp.MustCompile(`^Hook step requested: (\w+)`), func(p *parser, at time.Time, m []string) { p.asked[m[1]] = at }},
	{regexp.MustCompile(`(?i)^(\w+) config path: (.+)`), func(p *parser, _ time.Time, m []string) { p.paths[strings.ToLower(m[1])] = m[2] }},
	{regexp.MustCompile(`^(?:ERROR: )?Invalid (\w+) config: (.+)`), func(p *parser, at time.Time, m []string) {
		p.verdict(Verdict{At: at, Source: m[1], Problem: m[2]})
	}},
	{regexp.MustCompile(`^Loaded \d+ (\w+) hook\(s\) for steps: ?(.*)`), func(p *parser, at time.Time, m []string) {
		p.verdict(Verdict{At: at, Source: m[1], Steps: strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' })})
	}},
	{regexp.MustCompile(`^No (\w+) hooks configuration found`), func(p *parser, at time.Time, m []string) {
		p.verdict(Verdict{At: at, Source: m[1], Missing: true})
	}},
}

func (p *parser) service(at time.Time, text string) {
	for _, pattern := range patterns {
		if m := pattern.FindStringSubmatch(text); m != nil {
			pattern.add(p, at, m)
			return
		}
	}
}

// verdict adds one. Behind a file that is dropped stands that none was found, which says less.
func (p *parser) verdict(v Verdict) {
	v.Path = p.paths[v.Source]
	if n := len(p.log.Verdicts); v.Missing && n > 0 {
		if last := p.log.Verdicts[n-1]; last.Source == v.Source && last.Problem != "" && v.At.Sub(last.At) < time.Second {
			return
		}
	}
	p.log.Verdicts = append(p.log.Verdicts, v)
}
