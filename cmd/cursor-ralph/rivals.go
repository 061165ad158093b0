package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/cursor-ralph/cursor-ralph/commands"
)

// checkRivals tells of stop hooks that are not ours, of plugins too, and of a
// loop that Cursor's own plugin has here.
func checkRivals(_ context.Context, e *env) []finding {
	pad, _ := e.scratchpad()
	files := e.allHooks()
	found := findings(commands.Rivals(files, pad))
	if pad != "" {
		found = append(found, remark("a loop of Cursor's ralph-loop plugin: "+pad, "cursor-ralph import takes it over"))
	}
	if len(found) == 0 {
		found = append(found, fine(fmt.Sprintf("no others in %d file(s)", len(files))))
	}
	return found
}

func findings(list []commands.Finding) []finding {
	var found []finding
	for _, f := range list {
		level := remark
		if f.Fatal {
			level = wrong
		}
		found = append(found, level(f.Problem, f.Remedy))
	}
	return found
}

// allHooks are the files of hooks that Cursor may use, in the order in which it
// puts the answers: seen for the user's after the project's.
func (e *env) allHooks() []commands.HooksFile {
	user, err := e.cursorFolder("")
	if err != nil {
		return nil
	}
	files := plugins(filepath.Join(user, "plugins"))
	own := e.hookFiles()
	if len(own) > 1 {
		files = append(files, hooksAt("project", own[1])...)
	}
	files = append(files, hooksAt("user", own[0])...)
	return append(files, hooksAt("machine", machineHooks(runtime.GOOS))...)
}

// hooksAt gives a file if there is one; what keeps it from being read is told
// where the file is checked.
func hooksAt(place, path string) []commands.HooksFile {
	raw, err := readSmall(path)
	if err != nil {
		return nil
	}
	return []commands.HooksFile{{Place: place, Path: path, Raw: raw}}
}

// readSmall is small for a path.
func readSmall(path string) ([]byte, error) {
	return small(os.DirFS(filepath.Dir(path)), filepath.Base(path))
}

// small reads a regular file that is no larger than such files are.
func small(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxOther {
		return nil, fs.ErrInvalid // to read it might take for ever
	}
	return fs.ReadFile(folder, name)
}

// plugins gives the hooks of Cursor's plugins, each once: the cache keeps older
// versions too. That a plugin's folder is there does not tell that it is
// enabled. For local, and for what a plugin's manifest says, see
// https://github.com/cursor/plugins (create-plugin, schemas); the cache is
// not documented, others have seen cache/<marketplace>/<plugin>/<commit>.
func plugins(folder string) (files []commands.HooksFile) {
	seen := map[string]bool{}
	for _, pattern := range []string{"cache/*/*/*", "local/*"} {
		manifests, _ := fs.Glob(os.DirFS(folder), pattern+"/.cursor-plugin/plugin.json") // the pattern is well formed
		for _, manifest := range manifests {
			file, ok := pluginHooks(folder, manifest)
			if key := file.Plugin + "\x00" + string(file.Raw); ok && !seen[key] {
				seen[key] = true
				files = append(files, file)
			}
		}
	}
	return files
}

// pluginHooks reads the hooks that a manifest names: a file, an object, or
// the usual file where it names none.
func pluginHooks(folder, manifest string) (commands.HooksFile, bool) {
	root := path.Dir(path.Dir(manifest))
	data, err := small(os.DirFS(folder), manifest)
	var m struct {
		Name  string
		Hooks json.RawMessage
	}
	if err != nil || json.Unmarshal(data, &m) != nil {
		return commands.HooksFile{}, false
	}
	file := commands.HooksFile{Place: "plugin", Plugin: m.Name, Path: filepath.Join(folder, filepath.FromSlash(manifest))}
	if bytes.HasPrefix(m.Hooks, []byte("{")) {
		file.Raw = wholeFile(m.Hooks)
		return file, true
	}
	name := "hooks/hooks.json"
	if len(m.Hooks) > 0 && json.Unmarshal(m.Hooks, &name) != nil || !filepath.IsLocal(filepath.FromSlash(name)) {
		return commands.HooksFile{}, false
	}
	name = path.Join(root, name)
	file.Path = filepath.Join(folder, filepath.FromSlash(name))
	file.Raw, err = small(os.DirFS(folder), name)
	return file, err == nil
}

// wholeFile makes of an object in a manifest, which may be a hooks.json or
// what is under "hooks" there, a hooks.json.
func wholeFile(object json.RawMessage) []byte {
	var whole struct{ Hooks json.RawMessage }
	if json.Unmarshal(object, &whole) == nil && len(whole.Hooks) > 0 {
		return object
	}
	return fmt.Appendf(nil, `{"version": 1, "hooks": %s}`, object)
}
