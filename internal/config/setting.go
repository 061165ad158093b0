package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Setting is something that a user can give a default.
type Setting struct {
	Section string // the table of the file
	Name    string // the key in it
	Default string // in words, where nobody sets it
	Usage   string
	example string // shown if there is no Default
	form    form
	check   func(string) error
	top     string // its name outside of tables, if it has one: notify-details
	secret  bool   // it may hold passwords, so that Shown and errors leave them out
}

// Key is the setting's name in the file, with its table: loop.max-iterations.
func (s Setting) Key() string { return s.Section + "." + s.Name }

// form is how a value is written in the file.
type form int

const (
	words  form = iota
	number      // a whole number without quotes
	switched
	either // a word in quotes, or a whole number without
	list   // words in an array, or joined by commas
	lines  // texts in an array, or one in quotes; joined by line breaks
)

// Settings lists all of them.
func Settings() (all []Setting) {
	for _, o := range loop.Options() {
		if o.Name != "replace" { // by default, no loop may end another
			all = append(all, ofLoop(o))
		}
	}
	return append(all,
		plain("run", "agent", "", "the agent of cursor-ralph run", "claude", words, withoutControls),
		plain("run", "model", "", "the model that it uses, as the agent names it", "fast", words, withoutControls),
		plain("run", "permissions", "ask", "what it may do without asking: ask, edits, all or none", "", words, oneOf("ask", "edits", "all", "none")),
		plain("run", "fresh", "false", "a new session for each iteration", "", switched, nil),
		channels(),
		details(),
		plain("typing", "submit-key", "", "the key that sends a message in the chat: return, ctrl+enter or, on macOS, cmd+enter (default: return)", "ctrl+enter", words, withoutControls),
		plain("hook", "session-limit", "auto", "follow-ups in a row after which a line begins the next session: N, none, or auto for what this Cursor allows", "", either, limit),
		plain("hook", "stall-after", "30m", "a running loop without any event for so long has stalled, and you get a notice", "", words, between(time.Second, 365*24*time.Hour)),
	)
}

func plain(section, name, value, usage, example string, form form, check func(string) error) Setting {
	return Setting{Section: section, Name: name, Default: value, Usage: usage, example: example, form: form, check: check}
}

// channels may be written above the tables: notify = ["desktop"].
func channels() Setting {
	s := plain("notify", "channels", "desktop", "where notices go: desktop, command:CMD, and URLs of services such as ntfy://…", "", lines, nil)
	s.top, s.secret = "notify", true
	return s
}

func details() Setting {
	s := plain("notify", "details", "false", "notices also give the reason and how to go on", "", switched, nil)
	s.top = "notify-details"
	return s
}

func ofLoop(o loop.Option) Setting {
	usage, byDefault, _ := strings.Cut(strings.TrimSuffix(o.Usage, ")"), " (default ")
	s := Setting{Section: "loop", Name: o.Name, Usage: strings.ReplaceAll(usage, "`", ""), Default: byDefault}
	if byDefault == "none" {
		s.Default, s.example = "", examples[o.Name]
	}
	s.check = func(text string) error {
		r := loop.NewRequest()
		return o.Set(&r, text)
	}
	switch o.Arg {
	case "":
		s.form, s.Default = switched, "false"
	case "N", "M":
		s.form = number
	}
	return s
}

// read converts a value of the file to text.
func (s Setting) read(value any) (string, error) {
	switch v := value.(type) {
	case string:
		if s.form == words || s.form == either || s.form == lines {
			return v, nil
		}
	case int64:
		if s.form == number || s.form == either {
			return strconv.FormatInt(v, 10), nil
		}
	case bool:
		if s.form == switched {
			return strconv.FormatBool(v), nil
		}
	case []any:
		if s.form == lines {
			return joined(v)
		}
	}
	return "", errors.New([]string{`give text in quotes`, "give a whole number, without quotes", "give true or false, without quotes", "give a word in quotes, or a whole number without", `give a list such as ["a", "b"]`}[s.form])
}

func joined(values []any) (string, error) {
	var texts []string
	for _, v := range values {
		text, ok := v.(string)
		if !ok || strings.Contains(text, "\n") {
			return "", errors.New(`give a list of texts such as ["a", "b"]`)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n"), nil
}

// Lines returns the texts of a list of texts, without empty ones.
func Lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func withoutControls(value string) error {
	if text.HasControl(value) {
		return fmt.Errorf("%q has control characters", value)
	}
	return nil
}

func limit(text string) error {
	if n, err := strconv.Atoi(text); text == "auto" || text == "none" || err == nil && n >= 1 {
		return nil
	}
	return fmt.Errorf("%q is neither auto, none nor a whole number of at least 1", text)
}

func between(least, most time.Duration) func(string) error {
	return func(words string) error {
		if d, err := time.ParseDuration(words); err != nil || d < least || d > most {
			return fmt.Errorf("%q is not a duration from %s to %s", words, text.Exactly(least), text.Exactly(most))
		}
		return nil
	}
}

func oneOf(allowed ...string) func(string) error {
	return func(text string) error {
		if slices.Contains(allowed, text) {
			return nil
		}
		return fmt.Errorf("%q is not one of %s", text, strings.Join(allowed, ", "))
	}
}

// examples are shown for the loop options without a default.
var examples = map[string]string{
	"max-duration": "2h", "verify": "make test", "tasks": "TODO.md",
	"review": "codex", "max-tokens": "2m", "on-end": "./notify-me.sh",
}

// Sample is a file that sets nothing: every setting is in it as a comment.
func Sample() string {
	var b strings.Builder
	b.WriteString("# What cursor-ralph does by default. Take away the # before a line to change it.\n# Flags beat this file: `cursor-ralph config` shows what it sets.\n")
	section := ""
	for _, s := range Settings() {
		if s.Section != section {
			section = s.Section
			fmt.Fprintf(&b, "\n[%s]\n", section)
		}
		fmt.Fprintf(&b, "# %s\n# %s = %s\n", s.Usage, s.Name, s.sample())
	}
	return b.String()
}

func (s Setting) sample() string {
	value := cmp.Or(s.Default, s.example)
	switch s.form {
	case list, lines:
		return fmt.Sprintf("[%q]", value)
	case words, either:
		return fmt.Sprintf("%q", value)
	}
	return value
}

// EditorSetting is a setting of the editor extension. The editor keeps it; cursor-ralph shows it and does not read it otherwise.
type EditorSetting struct{ Name, Default, Usage string }

// EditorSettings lists those of extension/package.json.
func EditorSettings() []EditorSetting {
	return []EditorSetting{
		{"cursorRalph.program", "", "the `cursor-ralph` that the extension runs; empty: the one that it brings"},
		{"cursorRalph.notices", "all", "notices in the editor: `all`, `attention` or `none`; `notify` is about those of the desktop"},
		{"cursorRalph.statusBar", "true", "the loop in the status bar"},
		{"cursorRalph.delivery", "true", "loops are continued through the extension"},
		{"cursorRalph.registerPlugin", "true", "the extension registers its hooks, unless `hooks.json` has ours"},
	}
}
