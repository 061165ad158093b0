package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/editors"
)

// checkExtension reports what the editor extension has found out about each editor, and whether its hooks are there, once.
func checkExtension(_ context.Context, e *cli.Env, found *list) {
	all, err := editors.Read(e.Places.Archive)
	if err != nil {
		found.problem("remove the file: the extension reports again", "%v", err)
	}
	for _, editor := range editors.Newest(all) {
		found.ok("%s", aboutEditor(editor))
		if failed := outcomes(editor, false); failed != "" {
			found.info("", "in %s %s not everything works: %s", editor.Name, editor.Version, failed)
		}
	}
	for _, plugin := range install.Registered(e) {
		if !commands.Installed(plugin.Raw).Any() {
			found.problem("install the extension again", "%s does not name our hook", plugin.Path)
			continue
		}
		for _, path := range install.HookFiles(e) {
			if install.InstalledAt(path).Any() {
				found.warning("reload the editor's windows: the extension then leaves its hooks out", "our hook is registered by the extension and in %s", path)
			}
		}
	}
}

func aboutEditor(editor editors.Editor) string {
	words := fmt.Sprintf("extension %s ran in %s %s on %s; hooks: %s", editor.Extension, editor.Name, editor.Version, editor.At.Format(time.DateOnly), describeHooks(editor))
	if worked := outcomes(editor, true); worked != "" {
		words += "; worked: " + worked
	}
	return words
}

func describeHooks(editor editors.Editor) string {
	switch editor.Hooks {
	case editors.ByPlugin:
		if _, err := os.Stat(editor.Plugin); err != nil {
			return "they were registered, but their folder is gone"
		}
		return "registered, " + editor.Plugin
	case editors.ByFile:
		return "those of hooks.json"
	case editors.Off:
		return "not registered, cursorRalph.registerPlugin is off"
	}
	return "not registered"
}

// outcomes lists the commands that worked, or those that did not and why.
func outcomes(editor editors.Editor, worked bool) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(editor.Commands)) {
		switch outcome := editor.Commands[name]; {
		case outcome == editors.OK && worked:
			names = append(names, name)
		case outcome != editors.OK && !worked:
			names = append(names, name+" ("+string(outcome)+")")
		}
	}
	return strings.Join(names, ", ")
}
