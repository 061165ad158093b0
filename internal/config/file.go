package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// sizeLimit is far more than a file with every setting in it has.
const sizeLimit = 64 << 10

// readFile gives what a file sets. One that is not there sets nothing.
func readFile(path string) ([]entry, error) {
	if path == "" {
		return nil, nil
	}
	data, err := contents(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return parse(path, data)
}

// contents follows links, as a dotfile often is one; what counts is the file that
// is found. Whoever can write it can have commands run, by loop.verify.
func contents(path string) ([]byte, error) {
	unusable := func(why, hint string) error { return &Error{path, why, hint} }
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, unusable(err.Error(), "make it readable, or remove it")
	case !info.Mode().IsRegular():
		return nil, unusable("it is no file", "remove it, or put a file there")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unusable(err.Error(), "make it readable, or remove it")
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, unusable(err.Error(), "")
	}
	if why, hint := notTheUsers(info); why != "" {
		return nil, unusable(why, hint)
	}
	data, err := io.ReadAll(io.LimitReader(f, sizeLimit+1))
	switch {
	case err != nil:
		return nil, unusable(err.Error(), "make it readable, or remove it")
	case len(data) > sizeLimit:
		return nil, unusable(fmt.Sprintf("it is larger than %d KiB", sizeLimit>>10), "this is not the file that was meant")
	}
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), nil
}

func parse(path string, data []byte) ([]entry, error) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		place := path
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, column := at.Position()
			place = fmt.Sprintf("%s:%d:%d", path, row, column)
		}
		return nil, &Error{place, strings.TrimPrefix(err.Error(), "toml: "), "correct the file; its form is that of https://toml.io"}
	}
	return entries(path, data, tree)
}

// entries finds where each value stands, and refuses what is no setting.
func entries(path string, data []byte, tree map[string]any) (found []entry, err error) {
	p := unstable.Parser{}
	p.Reset(data)
	var table []string
	for p.NextExpression() {
		x := p.Expression()
		keys, at := keysOf(&p, x)
		switch x.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keys
			if !isSection(keys) || x.Kind == unstable.ArrayTable {
				return nil, unknown(path, at, "there is no table ["+strings.Join(keys, ".")+"]", "the tables are "+strings.Join(sections(), ", "))
			}
		case unstable.KeyValue:
			more, err := keyed(&p, path, x, table, tree)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
	}
	return found, p.Error()
}

// keyed gives the settings of one expression: an inline table has several.
func keyed(p *unstable.Parser, path string, x *unstable.Node, table []string, tree map[string]any) (found []entry, err error) {
	keys, at := keysOf(p, x)
	keys = slices.Concat(table, keys)
	if isSection(keys) && x.Value().Kind == unstable.InlineTable {
		for children := x.Value().Children(); children.Next(); {
			more, err := keyed(p, path, children.Node(), keys, tree)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
		return found, nil
	}
	key := strings.Join(keys, ".")
	if !slices.ContainsFunc(Settings(), func(s Setting) bool { return s.Key() == key }) {
		return nil, unknown(path, at, "there is no setting "+key, settingsOf(keys[0]))
	}
	section, _ := tree[keys[0]].(map[string]any)
	return []entry{{key, section[keys[1]], path, at.Line, at.Column}}, nil
}

// settingsOf names what a table has, or the tables where there is none such.
func settingsOf(table string) string {
	var names []string
	for _, s := range Settings() {
		if s.Section == table {
			names = append(names, s.Name)
		}
	}
	if names == nil {
		return "the tables are " + strings.Join(sections(), ", ")
	}
	return "[" + table + "] has " + strings.Join(names, ", ")
}

func unknown(path string, at unstable.Position, what, hint string) error {
	return &Error{fmt.Sprintf("%s:%d:%d", path, at.Line, at.Column), what, hint}
}

// keysOf gives the parts of a name, and where the first one stands.
func keysOf(p *unstable.Parser, x *unstable.Node) (keys []string, at unstable.Position) {
	for parts := x.Key(); parts.Next(); {
		if len(keys) == 0 {
			at = p.Shape(parts.Node().Raw).Start
		}
		keys = append(keys, string(parts.Node().Data))
	}
	return keys, at
}

func isSection(keys []string) bool { return len(keys) == 1 && slices.Contains(sections(), keys[0]) }

func sections() (names []string) {
	for _, s := range Settings() {
		names = append(names, s.Section)
	}
	return slices.Compact(names)
}
