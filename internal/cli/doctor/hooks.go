package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/importer"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
)

// checkHooks inspects the hooks.json files of the user, the project and the machine, and those of plugins.
func checkHooks(_ context.Context, e *cli.Env) []finding {
	var found []finding
	var withOurs []string
	for _, path := range append(install.HookFiles(e), install.MachineHooks(runtime.GOOS)) {
		raw, problems := readHooks(e, path)
		found = append(found, problems...)
		if raw == nil {
			continue
		}
		if commands.Installed(raw).Any() {
			withOurs = append(withOurs, path)
		}
		found = append(found, inspect(path, raw)...)
	}
	found = append(found, othersHooks(e)...)
	switch len(withOurs) {
	case 0:
		if len(install.OurPlugins(e)) == 0 {
			found = append(found, wrong("our hook is in no hooks.json", "cursor-ralph install"))
		}
	case 1:
		found = append(found, fine("our hook is in "+withOurs[0]))
	default:
		found = append(found, wrong("our hook is installed twice, in "+strings.Join(withOurs, " and "),
			"keep one: cursor-ralph uninstall, or cursor-ralph uninstall --project FOLDER"))
	}
	return found
}

// readHooks returns nil for a file that is missing or unreadable.
func readHooks(e *cli.Env, path string) ([]byte, []finding) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular(): // to read it might take for ever
		return nil, []finding{wrong(path+" is not a regular file", "remove it")}
	}
	raw, err := cli.ReadSmall(path)
	if errors.Is(err, cli.ErrNotSmall) {
		return nil, []finding{wrong(path+" is larger than any hooks.json", "check what it contains")}
	}
	if err != nil {
		return nil, []finding{wrong(err.Error(), "make the file readable")}
	}
	return raw, linkedProject(e, path)
}

// linkedProject reports a project's hooks.json that Cursor refuses because it is a symbolic link [rep].
func linkedProject(e *cli.Env, path string) []finding {
	user, _ := install.CursorFolder(e, "") // empty without a home
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || filepath.Dir(path) == user || path == install.MachineHooks(runtime.GOOS) {
		return nil
	}
	return []finding{wrong(path+" is a symbolic link, which Cursor refuses in a project", "replace it by the file itself")}
}

// othersHooks inspects other plugins' files: their problems do not affect our hook.
func othersHooks(e *cli.Env) []finding {
	var found []finding
	for _, file := range install.PluginHooks(e) {
		if file.Plugin == commands.PluginName {
			continue // checkPlugin looks at it
		}
		for _, f := range inspect(file.Path, file.Raw) {
			if f.Level == "wrong" {
				f.Level = "note"
				found = append(found, f)
			}
		}
	}
	return found
}

// inspect adds the file and the place to each finding.
func inspect(path string, raw []byte) []finding {
	list := commands.Inspect(raw, runtime.GOOS, os.Stat)
	found := findings(list)
	for i, f := range list {
		found[i].Text = path + ": " + found[i].Text
		if f.Place.Line > 0 {
			found[i].Place = &spot{path, f.Place.Line, f.Place.Column, f.Place.Entry}
		}
	}
	return found
}

// checkPlugin checks what our plugin needs: programs on the PATH, and no second installation.
func checkPlugin(ctx context.Context, e *cli.Env) []finding {
	ours := install.OurPlugins(e)
	if len(ours) == 0 {
		return nil
	}
	found := pluginProgram(ctx, e)
	for _, file := range ours {
		found = append(found, inspect(file.Path, file.Raw)...)
		found = append(found, fine("our hook is in the plugin "+file.Path+", if that is enabled"))
	}
	for _, path := range install.HookFiles(e) {
		if install.InstalledAt(path).Any() {
			found = append(found, wrong("our hook is installed twice, in the plugin and in "+path,
				"keep one: disable the plugin in Cursor, or cursor-ralph uninstall"))
		}
	}
	return found
}

// pluginProgram looks for the hook in a login shell, as Cursor will.
func pluginProgram(ctx context.Context, e *cli.Env) []finding {
	const name = "cursor-ralph-hook"
	shell := e.Getenv("SHELL")
	if runtime.GOOS == "windows" {
		shell = "PowerShell"
	}
	found := install.InShell(ctx, e, name)
	beside, err := install.HookPath()
	switch {
	case found == "":
		return []finding{wrong("the plugin runs "+name+", which "+shell+" does not find", "put its folder on the PATH in the profile of "+shell)}
	case err == nil && !cli.SameFile(found, beside) && !install.IsShimOf(e, found, beside):
		return []finding{remark("the plugin runs "+found+", but beside this cursor-ralph is "+beside, "remove the one that is older, or change the order of the PATH")}
	}
	return nil
}

// checkRivals reports other stop hooks, and a loop of Cursor's own plugin.
func checkRivals(_ context.Context, e *cli.Env) []finding {
	pad, _ := importer.Scratchpad(e)
	files := install.AllHooks(e)
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
		found = append(found, level(f.Text(), f.Remedy))
	}
	return found
}

// checkPlanGuard reports whether the plan guard is installed, and the loops that lack it.
func checkPlanGuard(_ context.Context, e *cli.Env) []finding {
	var found []finding
	if slices.ContainsFunc(append(install.HookFiles(e), install.MachineHooks(runtime.GOOS)), install.HasPlanGuard) {
		found = append(found, fine("installed: the agent of a loop with --plan reads, searches and writes its plan, and nothing else"))
	}
	current, _ := e.Loops.Usable() // checkStates and checkPending report what cannot be read
	for _, l := range current {
		if l.State.Guarded() && !install.PlanGuardIn(e, l.State.Workspace) {
			found = append(found, remark("the loop of "+l.ID+" only plans, and nothing denies its agent a change: the plan guard is not installed", install.InstallGuard))
		}
	}
	if len(found) == 0 {
		found = append(found, fine("not installed, and no loop needs it"))
	}
	return found
}
