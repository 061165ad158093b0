package importer

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// scratchpad is a loop of Cursor's own ralph-loop plugin, as it lies in .cursor/ralph/scratchpad.md: its agent writes the file,
// its stop hook counts in it, and removes it when the loop ends. The forms are those of
// https://github.com/cursor/plugins/tree/main/ralph-loop, in skills/ralph-loop/SKILL.md and hooks/stop-hook.sh.
type scratchpad struct {
	iteration int    // the one that is under way; the first is 1
	max       int    // 0 for no limit
	promise   string // empty for none
	task      string
}

const scratchpadName = ".cursor/ralph/scratchpad.md"

// parts are the text between the first two lines of ---, and the rest. Further such lines belong to the task.
var parts = regexp.MustCompile(`(?s)^\s*---[ \t]*\n(.*?\n|)---[ \t]*(?:\n(.*))?$`)

// parseScratchpad reads the plugin's fields only. Aliases in other fields are not expanded, so they cost nothing.
func parseScratchpad(data []byte) (s scratchpad, err error) {
	if !utf8.Valid(data) {
		return s, errors.New("it is not valid UTF-8 text")
	}
	m := parts.FindStringSubmatch(strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n"))
	if m == nil {
		return s, errors.New("it does not begin with front matter between two lines of ---")
	}
	var front struct { // texts: YAML would take 010 for 8, and refuse "10" in quotes
		Iteration *string `yaml:"iteration"`
		Max       string  `yaml:"max_iterations"`
		Promise   string  `yaml:"completion_promise"`
	}
	err = yaml.Load([]byte(m[1]), &front)
	s.task = strings.TrimRight(strings.TrimLeft(m[2], "\n"), " \t\n")
	switch {
	case err != nil:
		return s, fmt.Errorf("its front matter: %s", text.Limit(err.Error(), 300))
	case front.Iteration == nil:
		return s, errors.New("iteration is missing in its front matter")
	case strings.TrimSpace(s.task) == "":
		return s, errors.New("there is no task after its front matter")
	}
	if s.iteration, err = number("iteration", *front.Iteration); err != nil {
		return s, err
	}
	if s.max, err = number("max_iterations", cmp.Or(front.Max, "0")); err != nil {
		return s, err
	}
	if front.Promise != "null" { // the plugin takes "null" in quotes as no promise too
		s.promise = front.Promise
	}
	return s, nil
}

func number(name, digits string) (int, error) {
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n > loop.MaxMaxIterations {
		return 0, fmt.Errorf("%s is %.40q, not a whole number from 0 to %d", name, digits, loop.MaxMaxIterations)
	}
	return int(n), nil
}

// state converts the loop. The plugin's iteration 3 is our third: two are done.
func (s scratchpad) state(asked loop.Request) (l loop.State, notes []string, err error) {
	l = loop.New()
	l.Prompt, l.Iterations, l.MaxIterations = s.task, max(s.iteration-1, 0), s.max
	if s.max == 0 && !asked.Given("max-iterations") {
		l.MaxIterations = min(l.Iterations+loop.DefaultMaxIterations, loop.MaxMaxIterations)
		notes = append(notes, fmt.Sprintf("It had no limit. Here every loop has one: it ends after %d iterations.", l.MaxIterations))
	}
	switch {
	case asked.Given("completion-promise"):
	case s.promise == "":
		notes = append(notes, "It had no promise, so the usual one counts: "+l.CompletionPromise)
	default:
		l.CompletionPromise, err = checkedPromise(s.promise)
	}
	return l, notes, err
}

func checkedPromise(promise string) (string, error) {
	r := loop.NewRequest()
	for _, o := range loop.Options() {
		if o.Name != "completion-promise" {
			continue
		}
		if err := o.Set(&r, promise); err != nil {
			return "", fmt.Errorf("completion_promise: %w", errors.Unwrap(err))
		}
	}
	return r.State.CompletionPromise, nil
}
