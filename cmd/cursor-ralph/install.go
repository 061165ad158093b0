package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
)

func placeFlags(f *pflag.FlagSet) {
	f.String("project", "", "the `FOLDER` of one project instead of all (its .cursor folder)")
	f.Bool("dry-run", false, "show the change and do nothing")
}

func installFlags(f *pflag.FlagSet) {
	placeFlags(f)
	f.String("session-limit", "5", "follow-ups in a row that Cursor allows: `N` or none")
	f.Bool("minimal", false, "the stop hook alone, for an old Cursor that drops a file with names it does not know")
	f.Bool("any-event", false, "accept a hooks.json with event names that this version does not know")
	f.String("hook", "", "`PATH` of cursor-ralph-hook (default: beside cursor-ralph)")
}

func uninstallFlags(f *pflag.FlagSet) { placeFlags(f) }

// cursorFolder is the .cursor folder that is meant.
func (e *env) cursorFolder(project string) (string, error) {
	if project != "" {
		dir, err := filepath.Abs(project)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", misuse(dir+" is not a folder", "name the folder of the project")
		}
		return filepath.Join(dir, ".cursor"), nil
	}
	home := e.getenv("HOME")
	if runtime.GOOS == "windows" {
		home = e.getenv("USERPROFILE")
	}
	if !filepath.IsAbs(home) {
		return "", problem("there is no home folder", "set HOME, or use --project")
	}
	return filepath.Join(home, ".cursor"), nil
}

func (e *env) text(flag string) string {
	v, _ := e.flags.GetString(flag) // a flag that the command does not have is empty
	return v
}

func (e *env) installOptions() (commands.Options, error) {
	folder, err := e.cursorFolder(e.text("project"))
	if err != nil {
		return commands.Options{}, err
	}
	hook := e.text("hook")
	if hook == "" {
		if hook, err = hookPath(); err != nil {
			return commands.Options{}, err
		}
	}
	if hook, err = filepath.Abs(hook); err != nil {
		return commands.Options{}, err
	}
	return commands.Options{
		Folder: folder, Project: e.text("project") != "", Hook: hook, Program: program(), OS: runtime.GOOS,
		SessionLimit: e.text("session-limit"), Minimal: e.isSet("minimal"), AnyEvent: e.isSet("any-event"),
	}, nil
}

// hookPath finds the hook beside this program, else on the PATH.
func hookPath() (string, error) {
	name := "cursor-ralph-hook"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", problem(name+" is neither beside cursor-ralph nor on the PATH", "build it with `make build`, or name it with --hook")
	}
	return path, nil
}

// program is how the agent's shell calls us: by name where the PATH leads to
// this very file, else by the whole path.
func program() string {
	self, err := os.Executable()
	if err != nil {
		return "cursor-ralph"
	}
	onPath, err := exec.LookPath("cursor-ralph")
	if err != nil {
		return self
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(onPath)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return "cursor-ralph"
	}
	return self
}

// called is program as the agent's shell needs it written, empty where the name
// is enough.
func called() string {
	p := program()
	if p == "cursor-ralph" {
		return ""
	}
	return commands.Invocation(p, runtime.GOOS)
}

func install(_ context.Context, e *env, args []string) error {
	if len(args) > 0 {
		return misuse("install takes no arguments", "`cursor-ralph install --project FOLDER` installs into a project")
	}
	o, err := e.installOptions()
	if err != nil {
		return err
	}
	change, err := commands.Plan(o)
	if err != nil {
		return err
	}
	return e.carryOut(change, "installed into "+o.Folder+"; `cursor-ralph doctor` checks it, then type /ralph-loop \"<task>\" in Cursor")
}

func uninstall(_ context.Context, e *env, args []string) error {
	if len(args) > 0 {
		return misuse("uninstall takes no arguments", "`cursor-ralph uninstall --project FOLDER` takes it out of a project")
	}
	folder, err := e.cursorFolder(e.text("project"))
	if err != nil {
		return err
	}
	change, err := commands.PlanRemoval(commands.Options{Folder: folder, Project: e.text("project") != ""})
	if err != nil {
		return err
	}
	return e.carryOut(change, "taken out of "+folder+"; loops and their records are left")
}

// carryOut shows a change and, unless it is only to be shown, makes it.
func (e *env) carryOut(change commands.Change, done string) error {
	for _, note := range change.Notes {
		if err := e.say("note: %s", note); err != nil {
			return err
		}
	}
	dry := e.isSet("dry-run")
	for _, f := range change.Files {
		if err := e.showFile(f, dry); err != nil {
			return err
		}
	}
	switch {
	case dry:
		return e.say("nothing was changed (--dry-run)")
	case len(change.Files) == 0:
		return e.say("nothing to change: %s", done)
	}
	if err := change.Apply(); err != nil {
		return err
	}
	return e.say("%s", done)
}

func (e *env) showFile(f commands.File, whole bool) error {
	verb := "change"
	switch {
	case f.Old == nil:
		verb = "create"
	case f.New == nil:
		verb = "remove"
	}
	if err := e.say("%s %s", verb, f.Path); err != nil || !whole || f.New == nil {
		return err
	}
	_, err := fmt.Fprintln(e.stdout, printable(string(f.New)))
	return err
}
