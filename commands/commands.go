// Package commands is what we put into Cursor: the slash commands, our entries in hooks.json, and the checks of that file.
//
// It plans first and writes second: Plan and PlanRemoval read, decide and write nothing, so that a dry run shows exactly what
// Apply will do. It is not the hook, knows nothing of loops, and never prints: errors that a person can act on have a hint
// (package internal/hint).
//
// Apply replaces each file atomically; it takes no lock, and fails if a file has changed since the plan. Errors wrap those of
// package os. Facts about Cursor have their source beside them: documented, seen or reported, as in package hook.
package commands

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Options say what to install and where.
type Options struct {
	Folder  string // the .cursor folder, absolute
	Project bool   // Folder is a project's: symbolic links are refused, as Cursor refuses them there
	Hook    string // absolute path of cursor-ralph-hook; a project's is its bare name
	Program string // how the agent's shell calls cursor-ralph: a name or an absolute path; empty is cursor-ralph
	OS      string // a GOOS value, it decides the quoting
}

// PluginName is what Cursor calls our plugin, which is the folder plugin of the repository.
const PluginName = "cursor-ralph"

func (o Options) program() string { return cmp.Or(o.Program, "cursor-ralph") }

// hookPath is Hook without the double slashes that Cursor would take for a comment.
func (o Options) hookPath() string {
	if o.OS == "windows" {
		return strings.ReplaceAll(o.Hook, "/", `\`)
	}
	return path.Clean(o.Hook)
}

func (o Options) check() error {
	if err := o.checkFolder(); err != nil {
		return err
	}
	if !isAbsolute(o.hookPath(), o.OS) && !(o.Project && o.Hook == hookName) {
		return hint.New(fmt.Sprintf("hook %q is not an absolute path", o.Hook), "give the full path of cursor-ralph-hook")
	}
	for _, s := range []string{o.Hook, o.program()} {
		if !utf8.ValidString(s) || text.HasControl(s) {
			return hint.New(fmt.Sprintf("path %q cannot be written into a command", s), "move the program to a path without control characters")
		}
	}
	if !ours(o.command()) {
		return hint.New(fmt.Sprintf("hook %q is not named cursor-ralph-hook", o.Hook), "uninstall knows our entries by that name: do not rename the program")
	}
	return nil
}

func (o Options) checkFolder() error {
	if !filepath.IsAbs(o.Folder) {
		return hint.New(fmt.Sprintf("folder %q is not an absolute path", o.Folder), "give the full path of the .cursor folder")
	}
	return nil
}

func isAbsolute(path, goos string) bool {
	if goos != "windows" {
		return strings.HasPrefix(path, "/")
	}
	return strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1:3] == `:\`
}
