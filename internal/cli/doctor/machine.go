package doctor

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
	"github.com/cursor-ralph/cursor-ralph/outer/printmode"
)

// checkMachine reports setups in which the hook and the agent's shell may not share files.
func checkMachine(_ context.Context, e *cli.Env, found *list) {
	const byHand = "install cursor-ralph where Cursor runs its hooks, and start loops with /ralph-loop; if a loop does not go on by itself, type its continue line"
	for _, a := range []struct{ name, what string }{
		{"WSL_DISTRO_NAME", "this is WSL: a Cursor on Windows runs its hooks on the Windows side, where /tmp is another folder"},
		{"REMOTE_CONTAINERS", "this is a dev container: it does not share /tmp with the machine outside"},
		{"SSH_CONNECTION", "this is a remote machine: hooks may run on the machine of the editor, whose /tmp is another"},
	} {
		if e.Getenv(a.name) != "" {
			found.warning(byHand, "%s", a.what)
		}
	}
	if e.Getenv("CURSOR_RALPH_DIR") != "" {
		found.warning("set it for Cursor too, since its hooks use the same variable; or unset it", "CURSOR_RALPH_DIR moves the loops to %s", e.Places.Base)
	}
	found.orOK("the hook and the agent's shell share %s", e.Places.Base)
}

// checkNotifications reports whether a notice would appear, without one.
func checkNotifications(ctx context.Context, e *cli.Env, found *list) {
	for _, path := range install.HookFiles(e) {
		if install.InstalledAt(path).Quiet {
			found.info("cursor-ralph install --no-notify=false", "the hook shows none: %s has --no-notify", path)
		}
	}
	if err := notify.Off(e); err != nil {
		found.info(hint.Of(err), "a notice would not appear: %v", err)
		return
	}
	others, onDesktop := notify.Channels(e)
	if onDesktop {
		checkDesktopNotice(ctx, e, found)
	}
	for _, c := range others {
		if err := c.Unusable(); err != nil {
			found.warning("correct notify.channels; `cursor-ralph config --path` names the file", "a notice would not arrive: %v", err)
		} else {
			found.ok("notices go to %s; `cursor-ralph notify --test` sends one", c)
		}
	}
}

func checkDesktopNotice(ctx context.Context, e *cli.Env, found *list) {
	by, err := notify.Probe(ctx, e)
	switch {
	case err == nil:
		found.ok("a notice would be shown by %s; `cursor-ralph notify --test` shows one", by)
	case notify.HasDesktop(e):
		found.warning(hint.Of(err), "a notice would not appear: %v", err)
	default:
		found.info(hint.Of(err), "a notice would not appear: %v", err)
	}
}

// checkAgents reports which agents of `cursor-ralph run` are installed. It starts none: most of them write into the home folder.
func checkAgents(_ context.Context, e *cli.Env, found *list) {
	c, _ := e.Config() // checkConfig reports it
	chosen := c.Get("run.agent").Text
	var missing []string
	for _, a := range agents() {
		switch programs := a.installed(); {
		case len(programs) > 0:
			found.ok("%s: %s", a.name, strings.Join(programs, ", "))
		case a.name == chosen:
			found.warning(a.install, "%s, the agent of your settings, is not installed", a.name)
		default:
			missing = append(missing, a.name)
		}
	}
	if len(missing) > 0 {
		found.info("", "not installed: %s; only `cursor-ralph run` and --review need one", strings.Join(missing, ", "))
	}
}

type agent struct {
	name     string
	programs []string // any of them is enough
	install  string
}

func agents() (all []agent) {
	for _, p := range acp.Presets() {
		all = append(all, agent{p.Name, []string{p.Argv[0]}, p.Hint})
	}
	for _, p := range printmode.Presets() {
		i := slices.IndexFunc(all, func(a agent) bool { return a.name == p.Name })
		if i < 0 {
			all = append(all, agent{p.Name, []string{p.Name}, p.Hint})
		} else if !slices.Contains(all[i].programs, p.Name) {
			all[i].programs = append(all[i].programs, p.Name)
		}
	}
	return all
}

func (a agent) installed() (found []string) {
	for _, name := range a.programs {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if version := versionAt(path); version != "" {
			path += " (" + version + ")"
		}
		found = append(found, path)
	}
	return found
}

// versionFolder is a folder that holds one version, such as 2026.09.02-ab12cd3.
var versionFolder = regexp.MustCompile(`^v?\d+\.\d+[\w.+-]*$`)

// versionAt reads a program's version from the package.json or the folder that it lies in, empty if neither says it.
func versionAt(path string) string {
	const above = 4 // node_modules/@scope/name/dist/bin.js
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	for range above {
		if name := filepath.Base(path); versionFolder.MatchString(name) {
			return name
		}
		path = filepath.Dir(path)
		data, err := cli.ReadSmall(filepath.Join(path, "package.json"))
		var p struct{ Version string }
		if err == nil && json.Unmarshal(data, &p) == nil && p.Version != "" {
			return p.Version
		}
	}
	return ""
}
