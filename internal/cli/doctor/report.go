package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

type level string

const (
	ok      level = "ok"
	info    level = "info"    // worth knowing
	warning level = "warning" // something may not work
	problem level = "problem" // loops do not work until it is fixed
)

type finding struct {
	Name  string `json:"name"` // of the check
	Level level  `json:"level"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
	Place *spot  `json:"place,omitempty"`
}

type spot struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Entry  string `json:"entry,omitempty"` // such as sessionStart[1]
}

type list []finding

func (l *list) add(level level, fix, format string, args ...any) {
	*l = append(*l, finding{Level: level, Text: fmt.Sprintf(format, args...), Fix: fix})
}

func (l *list) ok(format string, args ...any)           { l.add(ok, "", format, args...) }
func (l *list) info(fix, format string, args ...any)    { l.add(info, fix, format, args...) }
func (l *list) warning(fix, format string, args ...any) { l.add(warning, fix, format, args...) }
func (l *list) problem(fix, format string, args ...any) { l.add(problem, fix, format, args...) }

func (l *list) orOK(format string, args ...any) {
	if len(*l) == 0 {
		l.ok(format, args...)
	}
}

// named returns the findings of a check, each once.
func (l list) named(name string) (once list) {
	for _, f := range l {
		f.Name = name
		if !slices.ContainsFunc(once, func(o finding) bool { return o.Text == f.Text }) {
			once = append(once, f)
		}
	}
	return once
}

type report struct {
	Schema   int    `json:"schema"`
	Verdict  string `json:"verdict"`
	Problems int    `json:"problems"`
	Warnings int    `json:"warnings"`
	Checks   list   `json:"checks"`
}

func reportOf(found list) report {
	r := report{Schema: 1, Checks: found, Problems: len(found.of(problem)), Warnings: len(found.of(warning))}
	r.Verdict = r.verdict()
	return r
}

func (l list) of(level level) list {
	return slices.DeleteFunc(slices.Clone(l), func(f finding) bool { return f.Level != level })
}

func (r report) verdict() string {
	switch {
	case r.Problems > 0:
		return text.Count(r.Problems, "problem") + ": " + r.Checks.of(problem).describe() + "; " + r.Checks.of(problem).fixes()
	case r.Warnings > 0:
		return "Ready, with " + text.Count(r.Warnings, "warning") + ": " + r.Checks.of(warning).describe()
	}
	return `Ready: type /ralph-loop "<task>" in Cursor's chat`
}

// What a verdict shows of its findings.
const (
	verdictTexts = 3
	verdictText  = 100 // characters
)

func (l list) describe() string {
	var words []string
	for _, f := range l[:min(len(l), verdictTexts)] {
		words = append(words, text.Limit(text.Line(f.Text), verdictText))
	}
	if more := len(l) - verdictTexts; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, "; ")
}

// fixes names the commands of the fixes if they are few.
func (l list) fixes() string {
	var commands []string
	for _, f := range l {
		command := text.First(f.Fix)
		switch {
		case slices.Contains(commands, command):
		case strings.HasPrefix(command, "cursor-ralph ") && !strings.ContainsAny(command, ",;:") && len(commands) < 2:
			commands = append(commands, command)
		case len(l) == 1 && f.Fix != "":
			return "fix: " + command
		default:
			return "each fix is below its problem"
		}
	}
	fix := "fix them by "
	if len(l) == 1 {
		fix = "fix it by "
	}
	return fix + "`" + strings.Join(commands, "` and `") + "`"
}

func (r report) show(e *cli.Env) error {
	if e.IsSet("json") {
		return e.JSON(r)
	}
	shown, rest, screen := r.Checks, "", e.Screen()
	if !e.IsSet("verbose") {
		shown = slices.DeleteFunc(slices.Clone(r.Checks), func(f finding) bool { return f.Level == ok || f.Level == info })
		words := "--verbose shows all"
		if fine := r.Checks.fine(); len(fine) > 0 {
			words = "fine: " + strings.Join(fine, ", ") + "; " + words
		}
		rest = strings.Join(screen.Wrap(words, screen.Width, most), "\n")
	}
	lines := []string{r.Verdict}
	for _, f := range shown {
		lines = append(lines, f.lines(screen))
	}
	if rest != "" {
		lines = append(lines, rest)
	}
	return e.Say("%s", strings.Join(lines, "\n"))
}

// fine are the checks that have found nothing wrong.
func (l list) fine() (names []string) {
	for _, f := range l {
		isWrong := slices.ContainsFunc(l, func(o finding) bool { return o.Name == f.Name && (o.Level == problem || o.Level == warning) })
		if !isWrong && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

const (
	textColumn = 25   // where a finding's text begins
	narrow     = 72   // the screen on which that leaves too little room
	most       = 8    // lines of a text
	longest    = 1000 // characters of a text in a pipe: a message may be of any length
)

// lines are a finding and its fix: beside its name, or on a narrow screen below it.
func (f finding) lines(s view.Screen) string {
	head, column := fmt.Sprintf("%-7s  %-14s  ", f.Level, f.Name), textColumn
	if s.Width > 0 && s.Width < narrow {
		head, column = fmt.Sprintf("%-7s  %s\n    ", f.Level, f.Name), 4
	}
	lines := s.Wrap(cli.Shortened(f.Text, longest), s.Width-column, most)
	if f.Fix != "" {
		lines = append(lines, s.Wrap("fix: "+cli.Shortened(f.Fix, longest), s.Width-column, most)...)
	}
	return head + strings.Join(lines, "\n"+strings.Repeat(" ", column))
}
