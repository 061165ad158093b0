package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
)

// checkHooks inspects the hooks.json files of the user, the project and the machine.
func checkHooks(_ context.Context, e *cli.Env, found *list) {
	var withOurs []string
	unreadable := false
	for _, path := range append(install.HookFiles(e), install.MachineHooks(runtime.GOOS)) {
		raw, err := readHooks(e, path, found)
		unreadable = unreadable || err
		if raw == nil {
			continue
		}
		here := commands.Installed(raw)
		if here.Any() {
			withOurs = append(withOurs, path)
		}
		unreadable = unreadable || here.Unparsable
		inspect(path, raw, found)
	}
	switch {
	case len(withOurs) == 1:
		found.ok("our hook is in %s", withOurs[0])
	case len(withOurs) > 1:
		found.problem("keep one: cursor-ralph uninstall, or cursor-ralph uninstall --project FOLDER", "our hook is installed twice, in %s", strings.Join(withOurs, " and "))
	case !unreadable && len(install.OurPlugins(e))+len(install.Registered(e)) == 0:
		found.problem(reinstall, "our hook is in no hooks.json")
	}
}

// readHooks returns nil for a file that is missing, and reports one that is unreadable.
func readHooks(e *cli.Env, path string, found *list) (raw []byte, unreadable bool) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err == nil && info.Mode().IsRegular() { // to read another might take for ever
		raw, err = cli.ReadSmall(path)
	}
	switch {
	case err == nil && !info.Mode().IsRegular():
		found.problem("remove it", "%s is not a regular file", path)
	case errors.Is(err, cli.ErrNotSmall):
		found.problem("check what it contains", "%s is larger than any hooks.json", path)
	case err != nil:
		found.problem("make the file readable", "%v", err)
	default:
		linkedProject(e, path, found)
		return raw, false
	}
	return nil, true
}

// linkedProject reports a project's hooks.json that Cursor refuses because it is a symbolic link [rep].
func linkedProject(e *cli.Env, path string, found *list) {
	user, _ := install.CursorFolder(e, "") // empty without a home
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && filepath.Dir(path) != user && path != install.MachineHooks(runtime.GOOS) {
		found.problem("replace it by the file itself", "%s is a symbolic link, which Cursor refuses in a project", path)
	}
}

func inspect(path string, raw []byte, found *list) {
	for _, f := range commands.Inspect(raw, runtime.GOOS, os.Stat) {
		n := len(*found)
		addFinding(f, path+": ", found)
		if f.Place.Line > 0 {
			(*found)[n].Place = &spot{path, f.Place.Line, f.Place.Column, f.Place.Entry}
		}
	}
}

func addFinding(f commands.Finding, prefix string, found *list) {
	level := warning
	if f.Fatal {
		level = problem
	}
	found.add(level, f.Remedy, "%s", prefix+f.Text())
}
