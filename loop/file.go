package loop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Version is the newest state file this code understands.
const Version = 1

// ErrNewer is returned for a state file of a newer version: it is left alone.
var ErrNewer = errors.New("written by a newer cursor-ralph")

// Parse reads a state or pending file. A field that is missing, null or out of
// range gets its default; unknown fields are kept. The error is ErrNewer for a
// file of a newer version; a file without a task is an error.
func Parse(data []byte) (State, error) {
	data = bytes.TrimLeft(data, "\ufeff")
	if err := checkValues(data); err != nil {
		return State{}, newerOr(data, err)
	}
	s, err := decoded(data)
	if err != nil {
		return State{}, newerOr(data, err)
	}
	return s.usable()
}

func (s *State) usable() (State, error) {
	if s.Version > Version {
		return State{}, ErrNewer
	}
	if strings.TrimSpace(s.Prompt) == "" {
		return State{}, errors.New("there is no task in it: the field prompt is empty")
	}
	return s.normal(), nil
}

// decoded reads a file in one go if it has no field that nobody knows, as almost
// every file; else once more, for those.
func decoded(data []byte) (State, error) {
	s := New()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(&s) == nil && len(bytes.TrimSpace(data[d.InputOffset():])) == 0 {
		s.Unknown = map[string]json.RawMessage{}
		return s, nil
	}
	s = New()
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s.Unknown); err != nil {
		return s, err
	}
	for name := range s.Unknown {
		if known(name) {
			delete(s.Unknown, name)
		}
	}
	return s, nil
}

// newerOr spares a newer version's file, whose fields may have other types.
func newerOr(data []byte, err error) error {
	var v struct{ Version int }
	if json.Unmarshal(data, &v) == nil && v.Version > Version {
		return ErrNewer
	}
	return err
}

// The most objects and values in a file: an object of two bytes becomes hundreds in
// memory. A loop with 50 iterations has some hundred objects.
const (
	maxObjects = 5_000
	maxValues  = 50_000
)

// checkValues refuses a file that has too many of them. Only one with that many braces and
// commas, in its text too, is looked at closely.
func checkValues(data []byte) error {
	if bytes.Count(data, []byte("{")) <= maxObjects && bytes.Count(data, []byte(",")) <= maxValues {
		return nil
	}
	objects, values, isText := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			isText = !isText
		case isText && c == '\\':
			i++
		case isText:
		case c == '{':
			objects++
		case c == ',':
			values++
		}
	}
	if objects > maxObjects || values > maxValues {
		return fmt.Errorf("it has %d objects and %d values, more than a loop has", objects, values+1)
	}
	return nil
}

func (s State) normal() State {
	s.Version = Version
	if s.MaxIterations < 1 {
		s.MaxIterations = defaultMaxIterations
	}
	s.MaxIterations = min(s.MaxIterations, MaxMaxIterations)
	s.MinIterations = max(s.MinIterations, 1)
	s.MinToolCalls = max(s.MinToolCalls, 0)
	s.Iterations = min(max(s.Iterations, 0), MaxMaxIterations)
	s.SessionIterations = min(max(s.SessionIterations, 0), MaxMaxIterations)
	s.Journal.Offset = max(s.Journal.Offset, 0)
	s.Journal.TailBytes = max(s.Journal.TailBytes, 0)
	s.StrugglePause = max(s.StrugglePause, 0)
	if s.CompletionPromise == "" {
		s.CompletionPromise = defaultPromise
	}
	if s.Status == "" {
		s.Status = Running
	}
	return s
}

// Encode writes the state as the indented JSON of a state file.
func (s State) Encode() ([]byte, error) {
	object, err := indented(s)
	if err != nil || len(s.Unknown) == 0 {
		return object, err
	}
	extra, err := indented(s.Unknown)
	if err != nil {
		return nil, err
	}
	object = bytes.TrimSuffix(object, []byte("\n}\n"))
	return append(append(object, ','), extra[1:]...), nil
}

// indented writes an object as people write it, without escapes for HTML.
func indented(object any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(object); err != nil {
		return nil, fmt.Errorf("encode state: %w", err)
	}
	return b.Bytes(), nil
}

// known reports whether a field is one of State's, in letters of any case as
// encoding/json reads them.
func known(name string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(reflect.TypeFor[State]()), func(f reflect.StructField) bool {
		field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return field != "" && strings.EqualFold(field, name)
	})
}

// ParseHead is Parse without the history, which is most of a file, and without
// unknown fields. The result is for display: never write it.
func ParseHead(data []byte) (State, error) {
	s := New()
	head, ok := head(data)
	if !ok || checkValues(head) != nil || json.Unmarshal(head, &s) != nil {
		s, err := Parse(data) // which knows what is wrong with it
		s.History = nil
		return s, err
	}
	return s.usable()
}

// head cuts off the history of a file as Encode writes it, where it is the last
// field. Text in JSON has no line breaks, so none can look like the beginning of
// the field; one further down leaves a head that does not parse.
func head(data []byte) (head []byte, ok bool) {
	before, history, found := bytes.Cut(data, []byte(",\n  \"history\": ["))
	if !found {
		return data, !bytes.Contains(data, []byte(`"history"`)) // else it is written in another way
	}
	if !bytes.HasSuffix(history, []byte("\n  ]\n}\n")) {
		return nil, false
	}
	return append(bytes.Clone(before), "\n}"...), true
}
