// Package config is what a user wants by default: a file in the user's own
// folder, and variables of the environment that beat it. Flags beat both, and
// are no business of this package; nor is what a setting does.
package config

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// BuiltIn is the origin of a value that nobody has set.
const BuiltIn = "built-in"

// Value is a setting as it stands now.
type Value struct {
	Setting
	Text string
	From string // FILE:LINE, environment NAME or BuiltIn
}

// Config has a value for every setting.
type Config struct{ Values []Value }

// Source is where settings are looked for.
type Source struct {
	Path   string // of the file, which need not be there; empty for none
	Getenv func(string) string
	Checks map[string]func(string) error // by Setting.Key: what this package cannot know
}

// Error is a setting, or a file of them, that cannot be used.
type Error struct {
	Place string // FILE:LINE:COLUMN, FILE or environment NAME
	What  string
	hint  string
}

// Error tells the place and what is wrong there.
func (e *Error) Error() string { return e.Place + ": " + e.What }

// Hint says what to do.
func (e *Error) Hint() string { return e.hint }

// Load reads the file and the environment. After an error every value is the
// built-in one: a user who wrote a setting and gets another one has to be told.
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

// valued finds the value that counts. One in the file has to be right even if
// the environment beats it.
func (s Setting) valued(inFile []entry, from Source) (Value, error) {
	v := Value{s, s.Default, BuiltIn}
	for _, e := range inFile {
		if e.key != s.Key() {
			continue
		}
		text, err := s.read(e.value)
		if err = cmp.Or(err, s.checked(text, from)); err != nil {
			return v, &Error{e.place(), s.Name + ": " + err.Error(), "correct the line; `cursor-ralph config` shows every setting"}
		}
		v.Text, v.From = text, e.line()
	}
	set := from.Getenv(s.Variable)
	if set == "" {
		return v, nil
	}
	text, err := s.readVariable(set)
	if err = cmp.Or(err, s.checked(text, from)); err != nil {
		return v, &Error{"environment " + s.Variable, err.Error(), "correct or unset it; `cursor-ralph config` shows every setting"}
	}
	v.Text, v.From = text, "environment "+s.Variable
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

// Get gives the value of a setting by its Key. One that does not exist has none.
func (c Config) Get(key string) Value {
	i := slices.IndexFunc(c.Values, func(v Value) bool { return v.Key() == key })
	if i < 0 {
		return Value{}
	}
	return c.Values[i]
}

// ByVariable gives what the variable of a setting would hold if the user had set
// it instead; empty for a built-in value.
func (c Config) ByVariable(name string) string {
	for _, v := range c.Values {
		if v.Variable == name && v.From != BuiltIn {
			return v.Text
		}
	}
	return ""
}

// Loop gives the defaults of a loop's options that the user has set.
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
