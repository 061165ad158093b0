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

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// sizeLimit is far more than a file with every setting needs.
const sizeLimit = 64 << 10

// readFile returns what a file sets. A missing file sets nothing.
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
	return entries(path, data)
}

// contents follows symbolic links, because dotfiles often are links.
func contents(path string) ([]byte, error) {
	const readable = "make it readable, or remove it"
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, unusable(path, err.Error(), readable)
	case !info.Mode().IsRegular():
		return nil, unusable(path, "it is not a file", "remove it, or put a file there")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unusable(path, err.Error(), readable)
	}
	defer f.Close()
	if err := checkWriters(path, f); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, sizeLimit+1))
	switch {
	case err != nil:
		return nil, unusable(path, err.Error(), readable)
	case len(data) > sizeLimit:
		return nil, unusable(path, fmt.Sprintf("it is larger than %d KiB", sizeLimit>>10), "put a file of settings there")
	}
	return bytes.TrimLeft(data, "\ufeff"), nil
}

// checkWriters refuses a file that another user may have written: whoever can write it can have commands run, by loop.verify.
// Root is trusted, and so is a group that has nobody else in it.
func checkWriters(path string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return unusable(path, err.Error(), "")
	}
	uid, known := ownfile.Owner(info)
	switch {
	case known && uid != 0 && !ownfile.IsOurs(info):
		return unusable(path, fmt.Sprintf("it belongs to user %d", uid), "make your own file")
	case ownfile.OthersWrite(info):
		return unusable(path, "other users can write it", "check what is in it, then chmod go-w")
	}
	return nil
}

// entries returns what a file sets, and refuses unknown settings. Strict decoding into empty tables reports every key in them
// with its position.
func entries(path string, data []byte) (found []entry, err error) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		return nil, unusable(placeOf(path, err), strings.TrimPrefix(err.Error(), "toml: "), "correct the file; its format is https://toml.io")
	}
	err = toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(tables(tree))
	var keys *toml.StrictMissingError
	var other *toml.DecodeError
	switch {
	case errors.As(err, &keys):
	case errors.As(err, &other):
		return nil, unusable(placeOf(path, err), strings.Join(other.Key(), ".")+" is not a table", hintFor(nil))
	default:
		return nil, err
	}
	for _, k := range keys.Errors {
		e, err := entryAt(path, k, tree)
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	return found, nil
}

// tables returns what the tables of a file are decoded into. A setting may have the name
// of a table: notify = ["desktop"].
func tables(tree map[string]any) any {
	switch tree["notify"].(type) {
	case string, []any:
		return &struct{ Loop, Run, Records, Typing, Hook struct{} }{}
	}
	return &struct{ Loop, Run, Notify, Records, Typing, Hook struct{} }{}
}

func placeOf(path string, err error) string {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return path
	}
	row, column := at.Position()
	return fmt.Sprintf("%s:%d:%d", path, row, column)
}

// entryAt returns the setting of a key. Inside an inline table the key lacks the table's name, but is not at the top of the tree.
func entryAt(path string, k toml.DecodeError, tree map[string]any) (entry, error) {
	key := k.Key()
	_, atTop := tree[key[0]]
	i := slices.IndexFunc(Settings(), func(s Setting) bool {
		return s.Key() == strings.Join(key, ".") || len(key) == 1 && atTop && s.top == key[0] || !atTop && len(key) == 1 && s.Name == key[0] && s.valueIn(tree) != nil
	})
	if i < 0 {
		return entry{}, unusable(placeOf(path, &k), "there is no setting "+shownKey(key), hintFor(key))
	}
	s := Settings()[i]
	row, column := k.Position()
	if atTop && len(key) == 1 {
		return entry{s.Key(), tree[s.top], path, row, column}, nil
	}
	return entry{s.Key(), s.valueIn(tree), path, row, column}, nil
}

func (s Setting) valueIn(tree map[string]any) any {
	table, _ := tree[s.Section].(map[string]any)
	return table[s.Name]
}

// shownKey is a key for people. One that is an address may be a channel of notices, with
// its password.
func shownKey(key []string) string {
	shown := slices.Clone(key)
	for i, part := range shown {
		if strings.Contains(part, "://") {
			shown[i] = WithoutSecret(part)
		}
	}
	return strings.Join(shown, ".")
}

// hintFor names the settings of a key's table, or all tables.
func hintFor(key []string) string {
	var names, tables []string
	for _, s := range Settings() {
		tables = append(tables, s.Section)
		if len(key) > 1 && s.Section == key[0] {
			names = append(names, s.Name)
		}
	}
	if names == nil {
		return "the tables are " + strings.Join(slices.Compact(tables), ", ")
	}
	return "[" + key[0] + "] has " + strings.Join(names, ", ")
}
