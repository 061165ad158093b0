package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
)

// HostFolder returns the folder of a host, the user's or a project's.
func HostFolder(e *cli.Env, h host.Host, project string) (string, error) {
	if own := e.Getenv(h.Files.Variable); project == "" && h.Files.Variable != "" && filepath.IsAbs(own) {
		return own, nil
	}
	cursor, err := CursorFolder(e, project)
	if err != nil {
		return "", err
	}
	name := h.Files.Home
	if project != "" && h.Files.Project != "" {
		name = h.Files.Project
	}
	return filepath.Join(filepath.Dir(cursor), name), nil
}

// InHost reports whether our hook is in the user's settings of a host.
func InHost(e *cli.Env, h host.Host) bool {
	folder, err := HostFolder(e, h, "")
	if err != nil {
		return false
	}
	raw, err := cli.ReadSmall(filepath.Join(folder, h.Files.Settings))
	return err == nil && commands.HasHost(raw, h)
}

// InAnyHost reports whether our hook is in the user's settings of any host but Cursor.
func InAnyHost(e *cli.Env) bool {
	return slices.ContainsFunc(host.All(), func(h host.Host) bool { return InHost(e, h) })
}

// hosts are those that --host names; all are those that wants, and none says that there are none.
func hosts(e *cli.Env, wants func(host.Host) bool, none string) (list []host.Host, err error) {
	names, err := e.Flags.GetStringSlice("host")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		h, ok := host.Named(name)
		switch {
		case name == "all":
			list = append(list, slices.DeleteFunc(host.All(), func(h host.Host) bool { return !wants(h) })...)
			if len(list) == 0 {
				return nil, hint.New(none, "name one, such as --host claude")
			}
		case !ok:
			return nil, hint.Misuse(fmt.Sprintf("--host %q is not known", name), "claude, codex, gemini, qwen, copilot or all")
		default:
			list = append(list, h)
		}
	}
	return list, nil
}

// isFound reports whether a host has been used here, or can be run.
func isFound(e *cli.Env) func(host.Host) bool {
	return func(h host.Host) bool {
		folder, err := HostFolder(e, h, "")
		if err == nil {
			_, err = os.Stat(folder)
		}
		return err == nil || find(h.Name) != ""
	}
}

// HostOptions finds the programs for a host, whose agent calls cursor-ralph by the path that the hook gives it.
func HostOptions(e *cli.Env, h host.Host, project string) (o commands.Options, err error) {
	o = commands.Options{Project: project != "", OS: runtime.GOOS}
	if o.Folder, err = HostFolder(e, h, project); err != nil {
		return o, err
	}
	if o.Project {
		o.Hook, o.Program = "cursor-ralph-hook", "cursor-ralph"
		return o, nil
	}
	if o.Hook, err = HookPath(); err != nil {
		return o, err
	}
	if err := CheckProgram(o.Hook); err != nil {
		return o, err
	}
	o.Hook = lasting(o.Hook)
	o.Program = string(handoff.Beside(o.Hook))
	return o, errors.Join(CheckProgram(o.Hook), CheckProgram(o.Program))
}

func installHosts(_ context.Context, e *cli.Env, args []string) error {
	if len(args) > 0 {
		return hint.Misuse(fmt.Sprintf("install: unexpected argument %q", args[0]), "a file is for --extension alone")
	}
	list, err := hosts(e, isFound(e), "none of these programs is found here")
	if err != nil {
		return err
	}
	for _, h := range list {
		o, err := HostOptions(e, h, e.Text("project"))
		if err != nil {
			return err
		}
		change, err := commands.PlanHost(o, h)
		if err != nil {
			return fmt.Errorf("%s: %w", h.Title, err)
		}
		if what := allowed(h, o); what != "" {
			change.Notes = append(change.Notes, what)
		}
		if o.Project && h.Files.Expands {
			change.Notes = append(change.Notes, fmt.Sprintf("in %s a project gets the hooks alone, for its commands could say anything; install it for yourself, too", h.Title))
		}
		done := fmt.Sprintf("installed into %s (%s)", h.Title, o.Folder)
		if h.Files.Once != "" {
			done += "; once: " + h.Files.Once
		}
		done += fmt.Sprintf("; then send %s", h.Line("/ralph-loop \"<task>\""))
		if err := carryOut(e, change, done, "nothing to change: "+done); err != nil {
			return err
		}
	}
	return nil
}

// allowed says what the agent may do from now on, and how long it may go on.
func allowed(h host.Host, o commands.Options) string {
	what := ""
	if h.Files.Allow != nil || h.Files.Rules != "" {
		what = fmt.Sprintf("%s may run %s %s without a question, to record its progress, and no other command of it", h.Title, o.Program, strings.Join(host.Allowed(), ", "))
	}
	if h.Files.Cap != "" {
		what += fmt.Sprintf("; %s=%s lets a loop go on for more than eight turns", h.Files.Cap, host.RaisedCap)
	}
	if h.Cap > 0 {
		what = fmt.Sprintf("%s ends a loop after %d turns, and nothing raises that: you send a line then", h.Title, h.Cap)
	}
	return what
}

func uninstallHosts(e *cli.Env) error {
	project := e.Text("project")
	list, err := hosts(e, func(h host.Host) bool { return project != "" || InHost(e, h) }, "cursor-ralph is installed in none of these programs")
	if err != nil {
		return err
	}
	for _, h := range list {
		folder, err := HostFolder(e, h, project)
		if err != nil {
			return err
		}
		change, err := commands.PlanHostRemoval(commands.Options{Folder: folder, Project: project != "", Hook: "cursor-ralph-hook", OS: runtime.GOOS}, h)
		if err != nil {
			return fmt.Errorf("%s: %w", h.Title, err)
		}
		if err := carryOut(e, change, "removed from "+h.Title+" ("+folder+")", "nothing to remove: cursor-ralph is not installed in "+strings.TrimSuffix(folder, "/")); err != nil {
			return err
		}
	}
	return showUnended(e)
}
