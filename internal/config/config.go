// Package config reads the user's settings: one file in the user's own folder. Flags beat it and are not read here. What a
// setting does is not known here either.
package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// BuiltIn is the origin of a value that nobody has set.
const BuiltIn = "built-in"

// Value is a setting as it stands now.
type Value struct {
	Setting
	Text string
	From string // FILE:LINE or BuiltIn
}

// Shown is the text for people: without what may be a password.
func (v Value) Shown() string {
	if !v.secret {
		return v.Text
	}
	list := Lines(v.Text)
	for i, text := range list {
		list[i] = WithoutSecret(text)
	}
	return strings.Join(list, ", ")
}

// WithoutSecret returns the beginning of a text that says of what kind it is: slack://….
// Which part of the rest is a password, only the service knows.
func WithoutSecret(text string) string {
	const most = 32
	scheme, _, isURL := strings.Cut(text, "://")
	switch {
	case text == "desktop":
		return text
	case strings.HasPrefix(text, "command:"):
		return "command:…"
	case isURL && len(scheme) <= most && !strings.ContainsFunc(scheme, notInScheme):
		return scheme + "://…"
	}
	return "…"
}

func notInScheme(r rune) bool { return (r < 'a' || r > 'z') && r != '+' }

// Config has a value for every setting.
type Config struct{ Values []Value }

// Source is where Load finds settings.
type Source struct {
	Path   string                        // of the file, which need not be there; empty for none
	Checks map[string]func(string) error // by Setting.Key: what this package cannot know
}

// unusable returns the error for a setting, or a file of them, at a place: FILE:LINE:COLUMN or FILE.
func unusable(place, why, todo string) error { return hint.Misuse(place+": "+why, todo) }

// Load reads the file. With an error it returns the built-in values, and the caller has to show the error.
func Load(from Source) (Config, error) {
	inFile, err := readFile(from.Path)
	if err != nil {
		return builtIn(), err
	}
	var c Config
	for _, s := range Settings() {
		v, err := s.valued(inFile, from)
		if err != nil {
			return builtIn(), err
		}
		c.Values = append(c.Values, v)
	}
	return c, nil
}

func builtIn() (c Config) {
	for _, s := range Settings() {
		c.Values = append(c.Values, Value{s, s.Default, BuiltIn})
	}
	return c
}

// valued returns the setting's value.
func (s Setting) valued(inFile []entry, from Source) (Value, error) {
	v := Value{s, s.Default, BuiltIn}
	for _, e := range inFile {
		if e.key != s.Key() {
			continue
		}
		text, err := s.read(e.value)
		if err = cmp.Or(err, s.checked(text, from)); err != nil {
			return v, unusable(e.place(), s.Name+": "+err.Error(), "correct the line, and check it with `cursor-ralph config`")
		}
		v.Text, v.From = text, e.line()
	}
	return v, nil
}

func (s Setting) checked(text string, from Source) error {
	if check := from.Checks[s.Key()]; check != nil {
		return check(text)
	}
	if s.check == nil {
		return nil
	}
	return s.check(text)
}

// Get returns the value of a setting by its Key, zero if there is no such setting.
func (c Config) Get(key string) Value {
	i := slices.IndexFunc(c.Values, func(v Value) bool { return v.Key() == key })
	if i < 0 {
		return Value{}
	}
	return c.Values[i]
}

// Loop returns the loop options that the user has set.
func (c Config) Loop() (defaults []loop.Default) {
	for _, v := range c.Values {
		if v.Section == "loop" && v.From != BuiltIn {
			defaults = append(defaults, loop.Default{Name: v.Name, Value: v.Text, From: v.From})
		}
	}
	return defaults
}

// entry is a line of the file that sets something.
type entry struct {
	key         string // with its section: loop.plan
	value       any
	path        string
	row, column int
}

func (e entry) line() string  { return fmt.Sprintf("%s:%d", e.path, e.row) }
func (e entry) place() string { return fmt.Sprintf("%s:%d:%d", e.path, e.row, e.column) }
