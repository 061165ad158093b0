// Package install puts the hook and the slash commands into Cursor, removes them,
// and finds them and our programs. What goes into the files is in package commands.
package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
)

func placeFlags(f *pflag.FlagSet) {
	f.String("project", "", "the `FOLDER` of one project instead of all (its .cursor folder)")
	f.Bool("dry-run", false, "show the change and do nothing")
}

// Flags adds the flags of install.
func Flags(f *pflag.FlagSet) {
	placeFlags(f)
	f.String("session-limit", "", "follow-ups in a row that Cursor allows: `N`, none, or auto to find out (default: as installed, else auto)")
	f.Bool("minimal", false, "the stop hook alone, for an old Cursor that drops a file with names it does not know")
	f.Bool("any-event", false, "accept a hooks.json with event names that this version does not know")
	f.String("injectors", "", "ways of typing the continue line, in order: a `LIST` such as xtest,robotgo, or none; '' for those of the desktop (default: as installed)")
	f.String("focus-keys", "", "`KEYS` that bring the focus into the chat input before the line is typed, such as ctrl+i; '' for none (default: as installed)")
	f.String("submit-key", "", "the `KEY` that sends a message in Cursor's chat: return, ctrl+enter or, on macOS, cmd+enter (default: as installed, else return)")
	f.Bool("type-unchecked", false, "allow ways of typing that cannot check which window has the focus")
	f.Duration("linger", 0, "the hook stays for `D` after an answer that must not be lost, 0 for not at all (default: as installed, else 100ms, on Windows 250ms)")
	f.Bool("no-notify", false, "show no desktop notifications (default: as installed)")
	f.Bool("plan-guard", false, "deny the agent of a loop with --plan every tool that writes or runs something (default: as installed)")
	f.Duration("verify-timeout", 0, "make room for a loop's --verify-timeout of up to `D` (default: as installed, else 10m)")
	f.String("hook", "", "`PATH` of cursor-ralph-hook (default: beside cursor-ralph)")
}

// emptyProject is most often a variable of a script that is not set.
func emptyProject() error { return hint.Misuse("--project is empty", "name the folder of the project") }

// UninstallFlags adds the flags of uninstall.
func UninstallFlags(f *pflag.FlagSet) { placeFlags(f) }

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

func installOptions(ctx context.Context, e *cli.Env) (commands.Options, error) {
	folder, err := CursorFolder(e, e.Text("project"))
	if err != nil {
		return commands.Options{}, err
	}
	if e.Flags.Changed("session-limit") && e.Text("session-limit") == "" {
		return commands.Options{}, hint.Misuse("the session limit is empty", "give a whole number of at least 1, none or auto")
	}
	if e.Flags.Changed("project") && e.Text("project") == "" {
		return commands.Options{}, emptyProject()
	}
	hook := e.Text("hook")
	if hook == "" {
		if hook, err = HookPath(); err != nil {
			return commands.Options{}, err
		}
		hook, _ = lasting(ctx, e, hook, hookAnswers) // install tells
	}
	if hook, err = filepath.Abs(hook); err != nil {
		return commands.Options{}, err
	}
	if !cli.IsFile(hook) {
		return commands.Options{}, hint.Misuse(hook+" does not exist, or is no file", "give the path of cursor-ralph-hook")
	}
	o := commands.Options{
		Folder: folder, Project: e.Text("project") != "", Hook: hook, Program: Program(ctx, e), OS: runtime.GOOS,
		SessionLimit: e.Text("session-limit"), Minimal: e.IsSet("minimal"), KeepMinimal: !e.Flags.Changed("minimal"), AnyEvent: e.IsSet("any-event"),
	}
	if o.VerifyTimeout, err = e.Flags.GetDuration("verify-timeout"); err != nil || o.VerifyTimeout <= 0 && e.Flags.Changed("verify-timeout") {
		return o, errors.Join(err, hint.Misuse("--verify-timeout is no time", "give a duration such as 30m"))
	}
	if e.Flags.Changed("linger") {
		linger, err := e.Flags.GetDuration("linger")
		if err != nil {
			return o, err
		}
		o.Linger = &linger
	}
	if e.Flags.Changed("no-notify") {
		quiet := e.IsSet("no-notify")
		o.NoNotify = &quiet
	}
	if e.Flags.Changed("plan-guard") {
		guard := e.IsSet("plan-guard")
		o.PlanGuard = &guard
	}
	return o, typingOptions(e, &o)
}

// typingOptions fills in the typing options, which only package keystroke can check.
func typingOptions(e *cli.Env, o *commands.Options) error {
	if e.Flags.Changed("injectors") {
		list, err := cli.InjectorList(e.Text("injectors"))
		if err != nil {
			return err
		}
		o.Injectors = &list
	}
	if e.Flags.Changed("focus-keys") {
		chord, err := keystroke.ParseChord(strings.TrimSpace(e.Text("focus-keys")))
		if err != nil {
			return hint.Misuse("--focus-keys: "+err.Error(), "give the keys that bring the focus into Cursor's chat input, such as ctrl+i")
		}
		keys := chord.String()
		o.FocusKeys = &keys
	}
	if e.Flags.Changed("submit-key") {
		key, err := cli.SubmitKey(e.Text("submit-key"))
		if err != nil {
			return err
		}
		name := key.SubmitKey()
		o.SubmitKey = &name
	}
	if e.Flags.Changed("type-unchecked") {
		unchecked := e.IsSet("type-unchecked")
		o.TypeUnchecked = &unchecked
	}
	return nil
}

// HookPath returns the hook beside this program, otherwise on the PATH.
func HookPath() (string, error) {
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
		return "", hint.New(name+" is neither beside cursor-ralph nor on the PATH", "build it with `make build`, or name it with --hook")
	}
	return path, nil
}

// Program returns how the agent's shell calls us: by name if that leads to this file,
// otherwise by a path.
func Program(ctx context.Context, e *cli.Env) string {
	found := ShellFinds(ctx, e)
	path := nameOrPath(found)
	switch {
	case !filepath.IsAbs(path):
		return path
	case IsShimOf(e, found, path) && programAnswers(ctx, e, found):
		return "cursor-ralph"
	}
	path, _ = lasting(ctx, e, path, programAnswers) // install tells, of the hook beside it
	return path
}

func nameOrPath(found string) string {
	self, err := os.Executable()
	if err != nil || Itself(found) {
		return "cursor-ralph"
	}
	return self
}

// ShellFinds is the cursor-ralph that a login shell runs.
func ShellFinds(ctx context.Context, e *cli.Env) string { return InShell(ctx, e, "cursor-ralph") }

// InShell returns the program of that name that a login shell runs, empty if it finds
// none. Without such a shell, our own PATH counts.
func InShell(ctx context.Context, e *cli.Env, name string) string {
	shell := e.Getenv("SHELL")
	if runtime.GOOS == "windows" || shell == "" {
		return find(name)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	path, err := lastLine(ctx, inLoginShell(shell, "command -v "+name))
	if err != nil {
		return ""
	}
	return path
}

// Itself reports whether path is this program.
func Itself(path string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	return filepath.IsAbs(path) && cli.SameFile(self, path)
}

// Called returns how the agent's shell calls us, quoted; empty if the name is enough.
// It starts no shell, because every start calls it.
func Called() string {
	path, _ := exec.LookPath("cursor-ralph") // empty when it is not there
	p := nameOrPath(path)
	if p == "cursor-ralph" {
		return ""
	}
	return commands.Invocation(lastingLink(p, os.Getenv), runtime.GOOS)
}

// Install installs the hook and the slash commands.
func Install(ctx context.Context, e *cli.Env, args []string) error {
	if len(args) > 0 {
		return hint.Misuse("install takes no arguments", "`cursor-ralph install --project FOLDER` installs into a project")
	}
	o, err := installOptions(ctx, e)
	if err != nil {
		return err
	}
	change, err := commands.Plan(o)
	if err != nil {
		return err
	}
	change.Notes = append(change.Notes, besidePlugin(e)...)
	if commands.Versioned(o.Hook) {
		change.Notes = append(change.Notes, notLasting(o.Hook))
	}
	done := "installed into " + o.Folder + "; `cursor-ralph doctor` checks it, then type /ralph-loop \"<task>\" in Cursor"
	return carryOut(e, change, done, "nothing to change: "+done)
}

// Uninstall removes the hook and the slash commands.
func Uninstall(_ context.Context, e *cli.Env, args []string) error {
	if len(args) > 0 {
		return hint.Misuse("uninstall takes no arguments", "`cursor-ralph uninstall --project FOLDER` takes it out of a project")
	}
	if e.Flags.Changed("project") && e.Text("project") == "" {
		return emptyProject()
	}
	folder, err := CursorFolder(e, e.Text("project"))
	if err != nil {
		return err
	}
	change, err := commands.PlanRemoval(commands.Options{Folder: folder, Project: e.Text("project") != ""})
	if err != nil {
		return err
	}
	return carryOut(e, change, "removed from "+folder+"; your loops and their records stay",
		"nothing to remove: cursor-ralph is not installed in "+folder)
}

// carryOut prints a change and, without --dry-run, makes it. unchanged is printed
// if there is nothing to do.
func carryOut(e *cli.Env, change commands.Change, done, unchanged string) error {
	for _, note := range change.Notes {
		if err := e.Say("note: %s", note); err != nil {
			return err
		}
	}
	dry := e.IsSet("dry-run")
	if !dry { // before the output: its reader may exit first
		if err := change.Apply(); err != nil {
			return err
		}
	}
	for _, f := range change.Files {
		if err := showFile(e, f, dry && filepath.Base(f.Path) == "hooks.json"); err != nil {
			return err
		}
	}
	switch {
	case len(change.Files) == 0:
		return e.Say("%s", unchanged)
	case dry:
		return e.Say("nothing was changed (--dry-run)")
	}
	return e.Say("%s", done)
}

func showFile(e *cli.Env, f commands.File, whole bool) error {
	verb := "change"
	switch {
	case f.Old == nil:
		verb = "create"
	case f.New == nil:
		verb = "remove"
	}
	if err := e.Say("%s %s", verb, f.Path); err != nil || !whole || f.New == nil {
		return err
	}
	_, err := fmt.Fprintln(e.Stdout, cli.Printable(string(f.New)))
	return err
}
