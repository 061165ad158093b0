package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/editors"
)

// OurPlugins returns the copies of our plugin that Cursor has, which may be old or disabled.
func OurPlugins(e *cli.Env) []commands.HooksFile {
	return slices.DeleteFunc(pluginsHooks(e), func(f commands.HooksFile) bool { return f.Plugin != commands.PluginName })
}

// Registered returns the plugins that our editor extension has registered, in the version of each editor that was seen last.
func Registered(e *cli.Env) (files []commands.HooksFile) {
	all, _ := editors.Read(e.Places.Archive) // doctor reports a file that is not ours
	for _, editor := range editors.Newest(all) {
		if editor.Hooks != editors.ByPlugin {
			continue
		}
		path := filepath.Join(editor.Plugin, "hooks", "hooks.json")
		if raw, err := cli.ReadSmall(path); err == nil { // doctor reports why another cannot be read
			files = append(files, commands.HooksFile{Plugin: commands.PluginName, Path: path, Raw: raw})
		}
	}
	return files
}

func besidePlugin(e *cli.Env) []string {
	var notes []string
	for _, file := range OurPlugins(e) {
		notes = append(notes, "Cursor has our plugin too, "+file.Path+": if it is enabled each event starts the hook twice; remove one of them")
	}
	for _, file := range Registered(e) {
		notes = append(notes, "the editor extension has registered its hooks, "+file.Path+": reload the editor's windows, and it leaves them out")
	}
	return notes
}

// pluginsHooks returns the hooks of Cursor's plugins.
func pluginsHooks(e *cli.Env) []commands.HooksFile {
	user, err := CursorFolder(e, "")
	if err != nil {
		return nil
	}
	return plugins(filepath.Join(user, "plugins"))
}

// plugins returns the hooks of Cursor's plugins, each once: the cache keeps older versions. A plugin's folder may exist although
// it is not enabled. For local, and for the manifest, see https://github.com/cursor/plugins (create-plugin, schemas); the cache
// is undocumented: cache/<marketplace>/<plugin>/<commit> was reported.
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

// pluginHooks reads the hooks of a manifest: a file, an object, or by default hooks/hooks.json.
func pluginHooks(folder, manifest string) (commands.HooksFile, bool) {
	root := path.Dir(path.Dir(manifest))
	data, err := cli.Small(os.DirFS(folder), manifest)
	var m struct {
		Name  string
		Hooks json.RawMessage
	}
	if err != nil || json.Unmarshal(data, &m) != nil {
		return commands.HooksFile{}, false
	}
	file := commands.HooksFile{Plugin: m.Name, Path: filepath.Join(folder, filepath.FromSlash(manifest))}
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
	file.Raw, err = cli.Small(os.DirFS(folder), name)
	return file, err == nil
}

// wholeFile turns an object of a manifest, a hooks.json or only its hooks, into a hooks.json.
func wholeFile(object json.RawMessage) []byte {
	var whole struct{ Hooks json.RawMessage }
	if json.Unmarshal(object, &whole) == nil && len(whole.Hooks) > 0 {
		return object
	}
	return fmt.Appendf(nil, `{"version": 1, "hooks": %s}`, object)
}
