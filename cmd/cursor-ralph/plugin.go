package main

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/commands"
)

// ourPlugins are the copies of our plugin that Cursor has. It may have an older
// one, or one that is not enabled: that cannot be seen.
func (e *env) ourPlugins() []commands.HooksFile {
	user, err := e.cursorFolder("")
	if err != nil {
		return nil
	}
	var ours []commands.HooksFile
	for _, file := range plugins(filepath.Join(user, "plugins")) {
		if file.Plugin == commands.PluginName {
			ours = append(ours, file)
		}
	}
	return ours
}

// besidePlugin tells a user who installs what Cursor has as a plugin.
func (e *env) besidePlugin() []string {
	var notes []string
	for _, file := range e.ourPlugins() {
		notes = append(notes, "Cursor has our plugin too, "+file.Path+": if it is enabled each event starts the hook twice; remove one of them")
	}
	return notes
}

// checkPlugin looks at what the plugin needs: programs that are found by their
// names, and no other installation.
func checkPlugin(ctx context.Context, e *env) []finding {
	ours := e.ourPlugins()
	if len(ours) == 0 {
		return nil
	}
	found := e.pluginProgram(ctx)
	for _, file := range ours {
		found = append(found, inspect(file.Path, file.Raw)...)
		found = append(found, fine("our hook is in the plugin "+file.Path+", if that is enabled"))
	}
	for _, path := range e.hookFiles() {
		if raw, err := readSmall(path); err == nil && strings.Contains(string(raw), "cursor-ralph-hook") {
			found = append(found, wrong("our hook is installed twice, in the plugin and in "+path,
				"keep one: disable the plugin in Cursor, or cursor-ralph uninstall"))
		}
	}
	return found
}

// pluginProgram looks for the hook as Cursor will: in a login shell.
func (e *env) pluginProgram(ctx context.Context) []finding {
	const name = "cursor-ralph-hook"
	shell := e.getenv("SHELL")
	if runtime.GOOS == "windows" {
		shell = "PowerShell"
	}
	found := e.inShell(ctx, name)
	beside, err := hookPath()
	switch {
	case found == "":
		return []finding{wrong("the plugin runs "+name+", which "+shell+" does not find", "put its folder on the PATH in the profile of "+shell)}
	case err == nil && !sameFile(found, beside):
		return []finding{remark("the plugin runs "+found+", but beside this cursor-ralph is "+beside, "remove the one that is older, or change the order of the PATH")}
	}
	return nil
}
