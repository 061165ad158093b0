package doctor

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

const reinstall = "cursor-ralph install"

// checkHookProgram runs the hook on an event that it ignores.
func checkHookProgram(ctx context.Context, _ *cli.Env, found *list) {
	path, err := install.HookPath()
	if err != nil {
		found.problem("install cursor-ralph again: both programs belong into one folder", "%v", err)
		return
	}
	if err := install.CheckProgram(path); err != nil {
		found.problem(hint.Of(err), "%v", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := proc.Tell(ctx, []byte(`{"hook_event_name":"workspaceOpen"}`), path)
	if err != nil || string(bytes.TrimSpace(out)) != "{}" {
		found.problem("install cursor-ralph again", "%s does not answer {}: %q %v", path, out, err)
		return
	}
	found.ok("%s answers", path)
}

// checkProgram looks for cursor-ralph in a login shell, as the agent will.
func checkProgram(ctx context.Context, e *cli.Env, found *list) {
	shell := e.Getenv("SHELL")
	if runtime.GOOS == "windows" || shell == "" {
		return
	}
	path := install.InShell(ctx, e, "cursor-ralph")
	text := "a login shell does not find cursor-ralph"
	if path != "" {
		text = "a login shell finds another cursor-ralph, " + path
	}
	first := "put its folder first on the PATH in the profile of " + shell
	switch {
	case install.Itself(path):
		found.ok("a login shell finds %s", path)
	case len(install.OurPlugins(e)) > 0:
		found.problem(first, "%s, and the plugin calls it by that name", text)
	case len(install.Registered(e)) > 0:
		found.info(first, "%s; the extension's slash commands call it by its path", text)
	case inProject(e, plainNamed(e)):
		found.problem(first, "%s, and the project's slash commands call it by that name", text)
	case plainNamed(e) != "":
		found.problem(reinstall, "%s, and the slash commands call it by that name", text)
	default:
		found.info(first+", then "+reinstall, "%s; install writes its whole path into the slash commands", text)
	}
}

// plainNamed returns the hooks.json beside the slash commands that call cursor-ralph by its name alone; empty if none do.
func plainNamed(e *cli.Env) string {
	files, err := commands.SlashCommands("cursor-ralph", runtime.GOOS)
	if err != nil {
		return ""
	}
	folders := install.HookFiles(e)
	for _, f := range files {
		if data, file := firstInstalled(folders, f.Path); f.Same(data) {
			return file
		}
	}
	return ""
}

// inProject reports whether a hooks.json is a project's: install writes the bare name there.
func inProject(e *cli.Env, file string) bool {
	user, err := install.CursorFolder(e, "")
	return file != "" && err == nil && filepath.Dir(file) != user
}

func checkCommands(ctx context.Context, e *cli.Env, found *list) {
	files, err := commands.SlashCommands(install.Program(ctx, e), runtime.GOOS)
	plain, other := commands.SlashCommands("cursor-ralph", runtime.GOOS) // a project's
	if err = cmp.Or(err, other); err != nil {
		found.problem("", "%v", err)
		return
	}
	var missing, old []string
	folders := install.HookFiles(e)
	for _, f := range files {
		switch installed, file := firstInstalled(folders, f.Path); {
		case installed == nil:
			missing = append(missing, f.Path)
		case !f.Same(installed) && !(inProject(e, file) && sameAsAny(plain, installed)):
			old = append(old, f.Path)
		}
	}
	switch {
	case len(missing) == len(files) && len(install.OurPlugins(e)) > 0:
		found.ok("those of the plugin")
	case len(missing) == len(files) && len(install.Registered(e)) > 0:
		found.ok("those of the editor extension")
	case len(missing) == len(files):
		found.problem(reinstall, "no slash command is installed")
	case len(missing) > 0:
		found.problem(reinstall, "slash commands are not installed: %s", strings.Join(missing, ", "))
	case len(old) > 0:
		found.warning(reinstall, "slash commands are not this version's: %s", strings.Join(old, ", "))
	default:
		found.ok("%d installed", len(files))
	}
}

// firstInstalled returns a slash command as it is installed, and the hooks.json beside it.
func firstInstalled(hookFiles []string, name string) (data []byte, hookFile string) {
	for _, file := range hookFiles {
		if data, err := cli.ReadSmall(filepath.Join(filepath.Dir(file), "commands", name)); err == nil {
			return data, file
		}
	}
	return nil, ""
}

func sameAsAny(files []commands.File, data []byte) bool {
	return slices.ContainsFunc(files, func(f commands.File) bool { return f.Same(data) })
}

// checkPlugin checks what our plugin needs: programs on the PATH, and no second installation.
func checkPlugin(ctx context.Context, e *cli.Env, found *list) {
	ours := install.OurPlugins(e)
	if len(ours) == 0 {
		return
	}
	checkPluginProgram(ctx, e, found)
	for _, file := range ours {
		inspect(file.Path, file.Raw, found)
		found.ok("our hook is in the plugin %s, if that is enabled", file.Path)
	}
	for _, path := range install.HookFiles(e) {
		if install.InstalledAt(path).Any() {
			found.problem("keep one: disable the plugin in Cursor, or cursor-ralph uninstall", "our hook is installed twice, in the plugin and in %s", path)
		}
	}
}

// checkPluginProgram looks for the hook in a login shell, as Cursor will.
func checkPluginProgram(ctx context.Context, e *cli.Env, found *list) {
	const name = "cursor-ralph-hook"
	shell := e.Getenv("SHELL")
	if runtime.GOOS == "windows" {
		shell = "PowerShell"
	}
	path := install.InShell(ctx, e, name)
	beside, err := install.HookPath()
	switch {
	case path == "":
		found.problem("put its folder on the PATH in the profile of "+shell, "the plugin runs %s, which %s does not find", name, shell)
	case err == nil && !cli.SameFile(path, beside):
		found.warning("remove the one that is older, or change the order of the PATH", "the plugin runs %s, but beside this cursor-ralph is %s", path, beside)
	}
}
