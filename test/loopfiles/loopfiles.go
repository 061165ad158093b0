// Package loopfiles is for tests that write and read the files of loops themselves.
package loopfiles

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Places are the folders that a program finds with these settings.
func Places(t testing.TB, base, archive string) platform.Places {
	t.Helper()
	vars := map[string]string{"CURSOR_RALPH_DIR": base, "CURSOR_RALPH_STATE_DIR": archive}
	p, err := platform.Find(func(name string) string { return vars[name] })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Seven is a file with the seven public fields alone, as people and agents
// write it by hand.
func Seven(task string) string {
	return `{"prompt": "` + task + `", "max_iterations": 20, "completion_promise": "COMPLETE",
 "iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}` + "\n"
}

// With is a file with a task and other fields.
func With(task string, fields map[string]any) string {
	all := map[string]any{"prompt": task}
	maps.Copy(all, fields)
	data, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Ask writes the record of a conversation's loop, as starting it does: its commands and its
// workspace.
func Ask(t testing.TB, p platform.Places, conversation, id string, fields map[string]any) {
	t.Helper()
	all := map[string]any{"prompt": "as the user gave it", "id": id, "conversation_id": conversation}
	maps.Copy(all, fields)
	data, err := json.Marshal(all)
	for path, content := range map[string][]byte{p.Record(id): data, p.Chat(conversation): []byte(id + "\n")} {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Exists reports whether something is there, a broken link too.
func Exists(t testing.TB, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	return err == nil
}

// Tree returns everything below a folder but folders and locks, by path: the content of a
// file, if we may read it, where a link leads, else the kind.
func Tree(t testing.TB, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".lock" {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		found[filepath.ToSlash(name)], err = content(path, d.Type())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func content(path string, kind fs.FileMode) (string, error) {
	switch {
	case kind.IsRegular():
		data, err := os.ReadFile(path) // #nosec G304 -- of the test
		if errors.Is(err, fs.ErrPermission) {
			return kind.String(), nil
		}
		return string(data), err
	case kind == fs.ModeSymlink:
		return os.Readlink(path)
	}
	return kind.String(), nil
}
