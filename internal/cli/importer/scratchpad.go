package importer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// scratchpad is a loop of Cursor's own ralph-loop plugin, as it lies in
// .cursor/ralph/scratchpad.md: its agent writes the file, its stop hook counts
// in it, and removes it when the loop ends. The forms are those of
// https://github.com/cursor/plugins/tree/main/ralph-loop, in
// skills/ralph-loop/SKILL.md and hooks/stop-hook.sh.
type scratchpad struct {
	iteration int    // the one that is under way; the first is 1
	max       int    // 0 for no limit
	promise   string // empty for none
	task      string
}

const (
	scratchpadName = ".cursor/ralph/scratchpad.md"
	maxFront       = 64 << 10 // bytes; the plugin writes about a hundred
	fence          = "---"
)

func parseScratchpad(data []byte) (scratchpad, error) {
	if !utf8.Valid(data) {
		return scratchpad{}, errors.New("it is not valid UTF-8 text")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	front, body, err := parted(text)
	if err != nil {
		return scratchpad{}, err
	}
	fields, err := scalars(front)
	if err != nil {
		return scratchpad{}, err
	}
	return fields.scratchpad(body)
}

// parted returns the text between the first two lines of ---, and the rest. Further
// such lines belong to the task.
func parted(text string) (front, body string, err error) {
	text = strings.TrimLeft(text, " \t\n")
	begin, at := -1, 0
	for line := range strings.Lines(text) {
		at += len(line)
		fenced := strings.TrimRight(line, " \t\n") == fence
		switch {
		case begin < 0 && !fenced:
			return "", "", errors.New("it does not begin with a line of ---")
		case begin < 0:
			begin = at
		case fenced && at-begin > maxFront:
			return "", "", fmt.Errorf("its front matter is larger than %d bytes", maxFront)
		case fenced:
			return text[begin : at-len(line)], text[at:], nil
		}
	}
	return "", "", errors.New("its front matter has no closing line of ---")
}

// frontMatter has the fields by name; null is empty.
type frontMatter map[string]string

// scalars reads the plugin's fields only. The tree is not expanded, so aliases cost
// nothing.
func scalars(front string) (frontMatter, error) {
	var doc yaml.Node
	if err := yaml.Load([]byte(front), &doc); err != nil {
		return nil, fmt.Errorf("its front matter is not YAML: %w", err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("its front matter is not a list of names and values")
	}
	fields, pairs := frontMatter{}, doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		if err := fields.add(pairs[i], pairs[i+1]); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func (f frontMatter) add(name, value *yaml.Node) error {
	switch name.Value {
	case "iteration", "max_iterations", "completion_promise":
	default:
		return nil
	}
	if _, twice := f[name.Value]; twice {
		return fmt.Errorf("%s is in it twice", name.Value)
	}
	if value.Kind != yaml.ScalarNode {
		return fmt.Errorf("%s is not plain text", name.Value)
	}
	f[name.Value] = value.Value
	if value.Tag == "!!null" || value.Value == "null" { // the plugin takes "null" in quotes as no promise too
		f[name.Value] = ""
	}
	return nil
}

func (f frontMatter) scratchpad(body string) (s scratchpad, err error) {
	if _, ok := f["iteration"]; !ok {
		return s, errors.New("iteration is missing in its front matter")
	}
	if s.iteration, err = f.number("iteration"); err != nil {
		return s, err
	}
	if s.max, err = f.number("max_iterations"); err != nil {
		return s, err
	}
	s.promise = f["completion_promise"]
	s.task = strings.TrimRight(strings.TrimLeft(body, "\n"), " \t\n")
	if strings.TrimSpace(s.task) == "" {
		return s, errors.New("there is no task after its front matter")
	}
	return s, nil
}

func (f frontMatter) number(name string) (int, error) {
	text := f[name]
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n > loop.MaxMaxIterations {
		return 0, fmt.Errorf("%s is %.40q, not a whole number from 0 to %d", name, text, loop.MaxMaxIterations)
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

// checkedPromise applies the rules of --completion-promise.
func checkedPromise(text string) (string, error) {
	r := loop.NewRequest()
	for _, o := range loop.Options() {
		if o.Name != "completion-promise" {
			continue
		}
		if err := o.Set(&r, text); err != nil {
			return "", fmt.Errorf("completion_promise: %w", errors.Unwrap(err))
		}
	}
	return r.State.CompletionPromise, nil
}
