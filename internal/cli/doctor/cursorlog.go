package doctor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cursorlog"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// checkCursorLog reports what Cursor's own log says about our files. Its format is reported, not documented, so
// unknown lines are ignored.
func checkCursorLog(_ context.Context, e *cli.Env, found *list) {
	folder := platform.CursorLogs(runtime.GOOS, e.Getenv)
	if folder == "" {
		return
	}
	all, paths := cursorlog.Read(folder)
	if len(paths) == 0 {
		found.ok("no log of hooks below %s", folder)
		return
	}
	verdicts(e, all, found)
	if why := pluginsOff(e, all); why != "" {
		found.problem("cursor-ralph install", "%s", why)
	}
	found.orOK("nothing about our files in %s", paths[0])
}

func verdicts(e *cli.Env, all []cursorlog.Verdict, found *list) {
	sources := []string{"user", "project"}
	for i, file := range install.HookFiles(e) {
		for _, v := range slices.Backward(all) {
			if v.Source == sources[i] && (v.Path == "" || cli.SameFile(v.Path, file)) {
				verdict(v, file, found)
				break
			}
		}
	}
}

// PluginsOff says that Cursor, by its log, runs no hooks of plugins, where ours are in one alone; else it is empty.
func PluginsOff(e *cli.Env) string {
	folder := platform.CursorLogs(runtime.GOOS, e.Getenv)
	if folder == "" {
		return ""
	}
	all, _ := cursorlog.Read(folder)
	return pluginsOff(e, all)
}

func pluginsOff(e *cli.Env, all []cursorlog.Verdict) string {
	at := slices.IndexFunc(all, func(v cursorlog.Verdict) bool { return v.Source == cursorlog.Plugins })
	inPlugin := len(install.OurPlugins(e)) > 0 || len(install.Registered(e)) > 0
	inFile := slices.ContainsFunc(install.HookFiles(e), func(path string) bool { return install.InstalledAt(path).Any() })
	if at < 0 || !inPlugin || inFile {
		return ""
	}
	return fmt.Sprintf("Cursor runs no hooks of plugins%s: its setting \"Include third-party Plugins, Skills, and other configs\" is off; turn it on, or install the hooks in hooks.json", shortTime(all[at].At))
}

// verdict reports one verdict. If the log does not name the file, a project's may be about another project.
func verdict(v cursorlog.Verdict, file string, found *list) {
	const reload = "reload Cursor's window"
	here := install.InstalledAt(file)
	when := shortTime(v.At)
	switch info, err := os.Stat(file); {
	case err != nil, !here.Any() && v.Problem == "":
	case !v.At.IsZero() && info.ModTime().After(v.At.Add(time.Second)):
		found.info("if hooks do not run, "+reload, "Cursor last read a %s hooks.json%s, before %s was changed", v.Source, when, file)
	case v.Problem != "" && v.Source == "project" && v.Path == "":
		found.warning("if that was "+file+", correct it and "+reload, "Cursor dropped a project's hooks.json%s: %s", when, v.Problem)
	case v.Problem != "":
		found.problem("correct that entry (the check hooks.json shows the line), then "+reload, "Cursor dropped %s%s: %s", file, when, v.Problem)
	case v.Missing:
		found.warning(reload+"; a project's needs a trusted workspace", "Cursor found no %s hooks.json%s, but there is %s", v.Source, when, file)
	case !slices.Contains(v.Steps, hook.EventStop) && here.At(hook.EventStop):
		found.problem(reload+"; if that does not help, "+reinstall, "Cursor loaded %s%s without a stop hook", file, when)
	default:
		found.ok("Cursor loaded %s%s", file, when)
	}
}

func shortTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " on " + at.Local().Format("2006-01-02 at 15:04:05")
}
