package carried

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// editorsName is of the file that says which editors use the copy: the version of our extension, by an editor's folder of
// extensions.
const editorsName = "editors.json"

// register adds an editor, and returns the newest version that an editor has: state that a newer program wrote is not for an
// older one.
func register(root, extensions, version string) (newest string, err error) {
	all := read(root)
	all[extensions] = version
	newest = slices.MaxFunc(slices.Collect(maps.Values(all)), compare)
	return newest, write(root, all)
}

// Leave takes back what Keep did for an extension that its editor is uninstalling. It reports whether no editor has it any
// more: then the folder can go. The old version after an update changes nothing.
func Leave(ctx context.Context, extension, root string) (last bool, err error) {
	extensions := filepath.Dir(extension)
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) || remains(extensions, filepath.Base(extension)) {
		return false, nil
	}
	release, err := ownfile.Lock(ctx, filepath.Join(root, lockName))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	all := read(root)
	delete(all, extensions)
	return len(all) == 0, write(root, all)
}

// read returns the editors that have our extension still. A file that cannot be understood names none: each editor adds itself again.
func read(root string) map[string]string {
	all := map[string]string{}
	raw, _, err := ownfile.Read(filepath.Join(root, editorsName), 0)
	if err != nil || json.Unmarshal(raw, &all) != nil {
		return map[string]string{}
	}
	maps.DeleteFunc(all, func(folder, _ string) bool { return !remains(folder, "") })
	return all
}

func write(root string, all map[string]string) error {
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return ownfile.Replace(filepath.Join(root, editorsName), root, raw, false)
}

// name is our extension's, of which an editor unpacks each version into a folder.
const name = "cursor-ralph.cursor-ralph"

// remains reports whether an editor's folder of extensions still has ours, besides a given version. The editor lists in .obsolete
// what it will delete.
func remains(extensions, besides string) bool {
	obsolete := map[string]bool{}
	if raw, err := os.ReadFile(filepath.Join(extensions, ".obsolete")); err == nil && json.Unmarshal(raw, &obsolete) != nil {
		obsolete = nil
	}
	entries, _ := os.ReadDir(extensions) // a missing folder has nothing
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		ours := e.Name() == name || strings.HasPrefix(e.Name(), name+"-")
		return ours && e.Name() != besides && !obsolete[e.Name()]
	})
}

// compare compares versions such as 1.10.0.
func compare(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

func numbers(version string) (all []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // what is no number is the oldest
		all = append(all, n)
	}
	return all
}
