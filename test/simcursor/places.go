package simcursor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a hooks.json that exists.
type File struct {
	Place  string // "plugin", "project" or "user"
	Path   string
	Loaded bool
	Reason string // why Cursor dropped it, which it does without a message
}

type place struct {
	name string
	path string
	cwd  string // where its hooks run
}

// places returns them in the order in which answers are merged: for follow-ups, the
// user's answer comes after the project's (seen).
func (c *Cursor) places() []place {
	user := filepath.Join(c.cfg.Home, ".cursor", "hooks.json")
	project := filepath.Join(c.cfg.Workspace, ".cursor", "hooks.json")
	return []place{
		{"project", project, c.cfg.Workspace},
		{"user", user, filepath.Dir(user)},
	}
}

// Files returns all hooks.json files, and which of them Cursor uses now.
func (c *Cursor) Files() []File {
	files, _ := c.load()
	return files
}

func (c *Cursor) load() ([]File, map[string][]entry) {
	var files []File
	hooks := map[string][]entry{}
	for _, p := range append(c.pluginPlaces(), c.places()...) {
		found, err := c.read(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		file := File{Place: p.name, Path: p.path, Loaded: err == nil}
		if err != nil {
			file.Reason = err.Error()
		}
		files = append(files, file)
		for event, entries := range found {
			hooks[event] = append(hooks[event], entries...)
		}
	}
	return files, hooks
}

func (c *Cursor) read(p place) (map[string][]entry, error) {
	if p.path == "" {
		return nil, fs.ErrNotExist
	}
	if err := p.brokenPlugin(); err != nil {
		return nil, err
	}
	info, err := os.Lstat(p.path)
	if err != nil {
		return nil, err
	}
	if p.name == "project" && info.Mode()&fs.ModeSymlink != 0 {
		return nil, errors.New("a project's hooks.json must not be a symbolic link")
	}
	data, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	hooks, err := parseHooks(data, c.cfg.Events)
	for _, entries := range hooks {
		for i := range entries {
			entries[i].place, entries[i].index = p, i
		}
	}
	return hooks, err
}
