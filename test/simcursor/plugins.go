package simcursor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// plugin is a folder in ~/.cursor/plugins/local, or one that an extension has
// registered. Those of the marketplace are loaded in the same way.
type plugin struct {
	root            string
	hooks, commands string // paths in it
}

var pluginName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// pluginKeys returns the keys in Cursor's published schema.
func pluginKeys() []string {
	return []string{"name", "displayName", "description", "version", "minClientVersions", "author", "publisher", "homepage",
		"repository", "license", "logo", "keywords", "category", "tags", "commands", "agents", "skills", "rules", "hooks",
		"variables", "mcpServers"}
}

// pluginPlaces returns the places whose answers are merged first, invalid plugins
// included.
func (c *Cursor) pluginPlaces() []place {
	var places []place
	for _, p := range c.plugins() {
		places = append(places, place{"plugin", filepath.Join(p.root, p.hooks), p.root})
	}
	return places
}

// RegisterPlugin adds a plugin folder, as an extension does by
// vscode.cursor.plugins.registerPath. It fails where the plugin is not valid; a
// folder that is registered already stays so.
func (c *Cursor) RegisterPlugin(root string) error {
	if _, err := readPlugin(root); err != nil {
		return fmt.Errorf("simcursor: %w", err)
	}
	c.UnregisterPlugin(root)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.registered = append(c.registered, root)
	return nil
}

// UnregisterPlugin is the opposite of RegisterPlugin.
func (c *Cursor) UnregisterPlugin(root string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.registered = slices.DeleteFunc(c.registered, func(r string) bool { return r == root })
}

func (c *Cursor) plugins() []plugin {
	var list []plugin
	roots, _ := filepath.Glob(filepath.Join(c.cfg.Home, ".cursor", "plugins", "local", "*")) // the pattern is valid
	c.mu.Lock()
	roots = append(roots, c.registered...)
	c.mu.Unlock()
	for _, root := range roots {
		p, _ := readPlugin(root) // brokenPlugin returns the error
		list = append(list, p)
	}
	return list
}

func (p place) brokenPlugin() error {
	if p.name != "plugin" {
		return nil
	}
	_, err := readPlugin(p.cwd)
	return err
}

func (p place) env() []string {
	if p.name != "plugin" {
		return nil
	}
	return []string{"CURSOR_PLUGIN_ROOT=" + p.cwd}
}

// readPlugin is as strict as the schema about the fields that we simulate.
func readPlugin(root string) (plugin, error) {
	p := plugin{root: root, hooks: "hooks/hooks.json", commands: "commands"}
	if info, err := os.Lstat(root); err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return p, errors.Join(err, errors.New("a plugin must not be a symbolic link"))
	}
	data, err := os.ReadFile(filepath.Join(root, ".cursor-plugin", "plugin.json"))
	if err != nil {
		return p, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return p, fmt.Errorf("plugin.json: %w", err)
	}
	for key := range all {
		if !slices.Contains(pluginKeys(), key) {
			return p, fmt.Errorf("plugin.json has the unknown key %q", key)
		}
	}
	var name string
	if err := decode(all["name"], &name, "plugin.json: name is not a string"); err != nil || !pluginName.MatchString(name) {
		return p, errors.Join(err, fmt.Errorf("plugin.json: invalid name %q", name))
	}
	return p, errors.Join(inside(all["hooks"], &p.hooks), inside(all["commands"], &p.commands))
}

// inside reads a path, which must be inside the plugin. Inline hooks and lists of
// globs are not simulated.
func inside(raw json.RawMessage, path *string) error {
	if err := decode(raw, path, "plugin.json: only one path is simulated here"); err != nil {
		return err
	}
	if !filepath.IsLocal(filepath.FromSlash(*path)) {
		return fmt.Errorf("plugin.json: %q is outside the plugin", *path)
	}
	return nil
}

func (c *Cursor) pluginCommand(name string) ([]byte, error) {
	for _, p := range c.plugins() {
		if _, err := readPlugin(p.root); err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(p.root, p.commands, name+".md"))
		if !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
	}
	return nil, fs.ErrNotExist
}
