package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// CursorFolder returns the .cursor folder of a project, or of the user.
func CursorFolder(e *cli.Env, project string) (string, error) {
	if project != "" {
		dir, err := filepath.Abs(project)
		if err != nil {
			return "", err
		}
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return "", err
		case err != nil:
			return "", hint.Misuse(err.Error(), "name the folder of the project, which must exist")
		case !info.IsDir():
			return "", hint.Misuse(dir+": is not a folder", "name the folder of the project")
		}
		return filepath.Join(dir, ".cursor"), nil
	}
	home := e.HomeFolder()
	if !filepath.IsAbs(home) {
		return "", hint.New("there is no home folder", "set HOME (on Windows: USERPROFILE), or use --project")
	}
	return filepath.Join(home, ".cursor"), nil
}

// HookFiles returns the hooks.json files that we install into: the user's, then the project's.
func HookFiles(e *cli.Env) []string {
	project := e.Text("project")
	if project == "" {
		project, _ = e.Workspace()
	}
	return hookFiles(e, project)
}

func hookFiles(e *cli.Env, project string) (files []string) {
	if user, err := CursorFolder(e, ""); err == nil {
		files = append(files, filepath.Join(user, "hooks.json"))
	}
	if file := filepath.Join(project, ".cursor", "hooks.json"); project != "" && !slices.ContainsFunc(files, func(f string) bool { return f == file || cli.SameFile(filepath.Dir(f), filepath.Dir(file)) }) {
		files = append(files, file)
	}
	return files
}

// MachineHooks returns the hooks.json of the whole machine, whose answers come last.
// Source: Cursor's documentation.
func MachineHooks(goos string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/Cursor/hooks.json"
	case "windows":
		return `C:\ProgramData\Cursor\hooks.json`
	}
	return "/etc/cursor/hooks.json"
}

// InstalledAt returns what a hooks.json has of our hook. doctor reports why one cannot be read.
func InstalledAt(path string) commands.Installation {
	raw, err := cli.ReadSmall(path)
	if err != nil {
		return commands.Installation{}
	}
	return commands.Installed(raw)
}

// InstalledIn returns the hooks.json that has our hook, of those that Cursor surely uses with some folders open; empty if none has.
// A plugin in Cursor's cache may be disabled.
func InstalledIn(e *cli.Env, folders []string) string {
	var files []string
	if user, err := CursorFolder(e, ""); err == nil {
		files = append(files, filepath.Join(user, "hooks.json"), filepath.Join(user, "plugins", "local", commands.PluginName, "hooks", "hooks.json"))
	}
	for _, folder := range folders {
		files = append(files, filepath.Join(folder, ".cursor", "hooks.json"))
	}
	files = append(files, MachineHooks(runtime.GOOS))
	if i := slices.IndexFunc(files, func(f string) bool { return InstalledAt(f).Any() }); i >= 0 {
		return files[i]
	}
	return ""
}
