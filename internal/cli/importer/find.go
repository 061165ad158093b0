package importer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// chosen returns the file to import, empty if there is nothing to do, which it has printed then.
func chosen(e *cli.Env, args []string) (string, error) {
	if len(args) == 0 {
		return onlyOther(e)
	}
	path, err := filepath.Abs(args[0])
	if err != nil {
		return "", err
	}
	if id := liveID(e, path); id != "" {
		if _, err := e.Store.Read(id); err != nil {
			return "", hint.New(path+": "+err.Error(), "it has the name of a loop here: correct or remove it")
		}
		return "", e.Say("%s is a loop already: cursor-ralph status %s", path, id)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if aside := importedAs(path); aside != "" {
		return "", e.Say("%s was imported before and is now %s", path, aside)
	}
	return "", hint.New(path+" does not exist", "name the other tool's file, or none to look for it")
}

func onlyOther(e *cli.Env) (string, error) {
	found := foreignLoops(e, e.Places.Base)
	if path, _ := Scratchpad(e); path != "" {
		found = append([]string{path}, found...)
	}
	switch len(found) {
	case 0:
		return "", nothing(e)
	case 1:
		return found[0], nil
	}
	return "", hint.New("there are loops of other tools", "name one of these: cursor-ralph import FILE\n  "+strings.Join(found, "\n  "))
}

// nothing prints that there is nothing to import. If our files were moved from /tmp, files there may be in use and have to be
// named.
func nothing(e *cli.Env) error {
	text := fmt.Sprintf("Nothing to import: no %s here or above, and no loop's file in %s that is not a loop here already.", scratchpadName, e.Places.Base)
	if runtime.GOOS != "windows" && !platform.SameFolder(runtime.GOOS, e.Places.Base, "/tmp") {
		for _, path := range foreignLoops(e, "/tmp") {
			text += "\nThis one is imported when you name it: " + path
		}
	}
	return e.Say("%s", text)
}

// Scratchpad returns the file of a loop of Cursor's plugin and its workspace, from here upwards: the plugin keeps it in the
// folder that Cursor has open.
func Scratchpad(e *cli.Env) (path, workspace string) {
	dir, err := e.Here()
	for ; err == nil; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, filepath.FromSlash(scratchpadName))
		if _, err := os.Lstat(path); err == nil {
			return path, dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", ""
}

const foreignPrefix, foreignSuffix = "cursor-ralph-loop-", ".json"

// foreignLoops returns this user's files of older tools in a shared folder, without our live loops. The tools are
// https://github.com/HardySimpson/cursor-ralph and https://github.com/hexsprite/cursor-ralph; they use our state file's format.
func foreignLoops(e *cli.Env, folder string) (paths []string) {
	entries, _ := os.ReadDir(folder) // a folder that cannot be read has nothing to import
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if _, ok := foreignID(path); !ok {
			continue
		}
		if _, err := ownfile.Check(path); err == nil && liveID(e, path) == "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// foreignID returns the id in a file's name, which may be invalid.
func foreignID(path string) (id string, ok bool) {
	return between(path, foreignPrefix, foreignSuffix)
}

func between(path, prefix, suffix string) (id string, ok bool) {
	name, begins := strings.CutPrefix(filepath.Base(path), prefix)
	id, ends := strings.CutSuffix(name, suffix)
	return id, begins && ends
}

// liveID returns the id of our live loop in a file, empty if there is none.
func liveID(e *cli.Env, path string) string {
	prefix, suffix := e.Places.LivePattern()
	id, ok := between(path, prefix, suffix)
	if !ok || loop.CheckID(id) != nil {
		return ""
	}
	there, err := os.Lstat(path)
	live, liveErr := os.Lstat(e.Places.Live(id))
	if err != nil || liveErr != nil || !os.SameFile(there, live) {
		return ""
	}
	return id
}

func importedAs(path string) string {
	entries, _ := os.ReadDir(filepath.Dir(path)) // as above
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+importedSuffix) {
			return filepath.Join(filepath.Dir(path), entry.Name())
		}
	}
	return ""
}

const importedSuffix = ".imported-"
