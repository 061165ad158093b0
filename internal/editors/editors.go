// Package editors remembers what editors with our extension can do: which of Cursor's private commands worked, by the editor's
// version, and which hooks are registered. The extension holds no state: it reports here, and doctor shows it.
package editors

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Outcome is what became of a command when it was called last.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"
	Missing Outcome = "missing"
	Failed  Outcome = "failed"
	Timeout Outcome = "timeout"
)

// Hooks is how an editor has our hooks.
type Hooks string

// Ways of having hooks.
const (
	ByPlugin Hooks = "plugin"     // the extension registered its plugin folder
	ByFile   Hooks = "hooks.json" // cursor-ralph install did it
	Off      Hooks = "off"        // the user wants no registration
	Nothing  Hooks = "nothing"
)

// Editor is one version of an editor.
type Editor struct {
	Name      string             `json:"name"`
	Version   string             `json:"version"`
	Extension string             `json:"extension"` // its version
	Hooks     Hooks              `json:"hooks"`
	Plugin    string             `json:"plugin,omitempty"` // the registered folder
	Commands  map[string]Outcome `json:"commands,omitempty"`
	Settings  map[string]any     `json:"settings,omitempty"` // of the extension, that are not the built-in ones
	At        time.Time          `json:"at"`
}

// What a report may contain.
const (
	most    = 20  // editors that are remembered
	entries = 100 // commands or settings
	longest = 300 // bytes of a text; the rest is cut off
	pathMax = 4096
)

// name is of a file in the folder of records: no record's name begins with a dot.
const name = ".editors.json"

// Read returns what is remembered, the newest first. A file that cannot be understood counts as none.
func Read(records string) ([]Editor, error) {
	data, _, err := ownfile.Read(filepath.Join(records, name), 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found []Editor
	if err == nil && json.Unmarshal(data, &found) != nil {
		found = nil
	}
	found = slices.DeleteFunc(found, func(e Editor) bool { return e.check() != nil })
	slices.SortStableFunc(found, func(a, b Editor) int { return b.At.Compare(a.At) })
	return found, err
}

// Newest returns the newest version of each editor.
func Newest(all []Editor) (newest []Editor) {
	for _, e := range all {
		if !slices.ContainsFunc(newest, func(o Editor) bool { return o.Name == e.Name }) {
			newest = append(newest, e)
		}
	}
	return newest
}

// Parse reads a report of the extension. product reads the product.json of an editor in a folder.
func Parse(data []byte, now time.Time, product func(folder string) ([]byte, error)) (Editor, error) {
	var report struct {
		Editor
		App string `json:"app"`
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return report.Editor, err
	}
	e := report.Editor
	e.At = now
	if filepath.IsAbs(report.App) {
		raw, _ := product(report.App) // without one the version stays
		e.Version = ownVersion(raw, e.Version)
	}
	e.shorten()
	return e, e.check()
}

// ownVersion returns the version of an editor: an extension learns only that of the VS Code which the editor is based on, and
// product.json has both.
func ownVersion(product []byte, version string) string {
	var both struct{ Version, VSCodeVersion string }
	if json.Unmarshal(product, &both) != nil || both.VSCodeVersion == "" || both.Version == "" {
		return version
	}
	return both.Version
}

// shorten cuts every text but the path: what is left of that would name another folder.
func (e *Editor) shorten() {
	for _, t := range []*string{&e.Name, &e.Version, &e.Extension} {
		*t = text.Prefix(*t, longest)
	}
	e.Commands, e.Settings = shortened(e.Commands), shortened(e.Settings)
	for name, value := range e.Settings {
		if words := fmt.Sprint(value); len(words) > longest {
			e.Settings[name] = text.Prefix(words, longest)
		}
	}
}

// shortened cuts the names of entries.
func shortened[V any](entries map[string]V) map[string]V {
	short := maps.Clone(entries)
	for name, value := range entries {
		delete(short, name)
		short[text.Prefix(name, longest)] = value
	}
	return short
}

// Remember adds a report to what is remembered of this version. Of two at once one may be lost, and is reported again.
func Remember(records string, e Editor) error {
	all, err := Read(records)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(all, func(o Editor) bool { return o.Name == e.Name && o.Version == e.Version }); i >= 0 {
		e.Commands = merged(all[i].Commands, e.Commands)
		all = slices.Delete(all, i, i+1)
	}
	all = slices.Insert(all, 0, e)
	data, err := json.MarshalIndent(all[:min(len(all), most)], "", "  ")
	if err != nil {
		return err
	}
	return cmp.Or(ownfile.Folder(records), ownfile.Replace(filepath.Join(records, name), filepath.Join(records, ".new"), append(data, '\n'), false))
}

func merged(old, fresh map[string]Outcome) map[string]Outcome {
	all := map[string]Outcome{}
	for _, commands := range []map[string]Outcome{old, fresh} {
		for name, outcome := range commands {
			if _, known := all[name]; known || len(all) < entries {
				all[name] = outcome
			}
		}
	}
	return all
}

func (e Editor) check() error {
	texts := []string{e.Name, e.Version, e.Extension}
	for name, outcome := range e.Commands {
		texts = append(texts, name)
		if !slices.Contains([]Outcome{OK, Missing, Failed, Timeout}, outcome) {
			return fmt.Errorf("%q is no outcome", outcome)
		}
	}
	for name, value := range e.Settings {
		texts = append(texts, name, fmt.Sprint(value))
	}
	switch {
	case e.Name == "" || e.Version == "":
		return errors.New("the editor has no name or no version")
	case !slices.Contains([]Hooks{ByPlugin, ByFile, Off, Nothing}, e.Hooks):
		return fmt.Errorf("%q is no way of having hooks", e.Hooks)
	case e.Plugin != "" && !filepath.IsAbs(e.Plugin), len(e.Plugin) > pathMax, text.HasControl(e.Plugin):
		return errors.New("the plugin folder is not an absolute path")
	case len(e.Commands) > entries || len(e.Settings) > entries:
		return errors.New("too many entries")
	case slices.ContainsFunc(texts, func(t string) bool { return len(t) > longest || text.HasControl(t) }):
		return errors.New("a text is too long, or has control characters")
	}
	return nil
}
