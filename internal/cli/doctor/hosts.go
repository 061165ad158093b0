package doctor

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
)

// checkHosts looks at the other programs that have our hook.
func checkHosts(_ context.Context, e *cli.Env, found *list) {
	var fine []string
	for _, h := range host.All() {
		if !install.InHost(e, h) {
			continue
		}
		if checkHost(e, h, found) {
			fine = append(fine, h.Title)
		}
	}
	if len(fine) > 0 {
		found.ok("installed into %s", strings.Join(fine, ", "))
	}
	found.orOK("in none")
}

// checkHost reports whether an installation is as it should be.
func checkHost(e *cli.Env, h host.Host, found *list) bool {
	again := "run `cursor-ralph install --host " + h.Name + "` again"
	o, err := install.HostOptions(e, h, "")
	var change commands.Change
	if err == nil {
		change, err = commands.PlanHost(o, h)
	}
	switch {
	case err != nil:
		found.problem("correct it, then "+again, "%s: %v", h.Title, err)
		return false
	case len(change.Files) > 0:
		found.problem(again, "%s: %s is not as this version writes it", h.Title, change.Files[0].Path)
		return false
	}
	project, err := e.Workspace()
	if folder, no := install.HostFolder(e, h, project); err == nil && no == nil && folder != o.Folder {
		if raw, err := cli.ReadSmall(filepath.Join(folder, h.Files.Settings)); err == nil && commands.HasHost(raw, h) {
			found.warning("keep one: cursor-ralph uninstall --host "+h.Name+" --project FOLDER", "%s has our hook twice, for you and in %s", h.Title, folder)
			return false
		}
	}
	if h.Files.Trust != "" && !isTrusted(o.Folder, h) {
		found.problem("start it in a terminal, and trust the hooks when it asks", "%s does not run our hooks, since you have not trusted them", h.Title)
		return false
	}
	return true
}

// isTrusted reports whether the host's own file has the trust of the user in our stop hook.
func isTrusted(folder string, h host.Host) bool {
	raw, err := cli.ReadSmall(filepath.Join(folder, h.Files.Trust))
	return err == nil && strings.Contains(string(raw), filepath.Join(folder, h.Files.Settings)+":stop:")
}
