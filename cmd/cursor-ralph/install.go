package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
)

func placeFlags(f *pflag.FlagSet) {
	f.String("project", "", "the `FOLDER` of one project instead of all (its .cursor folder)")
	f.Bool("dry-run", false, "show the change and do nothing")
}

func installFlags(f *pflag.FlagSet) {
	placeFlags(f)
	f.String("session-limit", "", "follow-ups in a row that Cursor allows: `N`, none, or auto to find out (default: as installed, else auto)")
	f.Bool("minimal", false, "the stop hook alone, for an old Cursor that drops a file with names it does not know")
	f.Bool("any-event", false, "accept a hooks.json with event names that this version does not know")
	f.String("injectors", "", "ways of typing the continue line, in order: a `LIST` such as xtest,robotgo, or none; '' for those of the desktop (default: as installed)")
	f.String("focus-keys", "", "`KEYS` that bring the focus into the chat input before the line is typed, such as ctrl+i; '' for none (default: as installed)")
	f.Bool("type-unchecked", false, "allow ways of typing that cannot check which window has the focus")
	f.Bool("no-notify", false, "show no desktop notifications (default: as installed)")
	f.Bool("plan-guard", false, "deny the agent of a loop with --plan every tool that writes or runs something (default: as installed)")
	f.Duration("verify-timeout", 0, "make room for a loop's --verify-timeout of up to `D` (default: as installed, else 10m)")
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
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return "", permission(err)
		case err != nil:
			return "", misuse(err.Error(), "name the folder of the project")
		case !info.IsDir():
			return "", misuse(dir+": is not a folder", "name the folder of the project")
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

// permission gives an error of permission a hint.
func permission(err error) error {
	var hinted interface{ Hint() string }
	if !errors.Is(err, fs.ErrPermission) || errors.As(err, &hinted) {
		return err
	}
	return problem(err.Error(), "give this user the right to read and write there, or run this as the user who owns it")
}

func (e *env) text(flag string) string {
	v, _ := e.flags.GetString(flag) // a flag that the command does not have is empty
	return v
}

func (e *env) installOptions(ctx context.Context) (commands.Options, error) {
	folder, err := e.cursorFolder(e.text("project"))
	if err != nil {
		return commands.Options{}, err
	}
	if e.flags.Changed("session-limit") && e.text("session-limit") == "" {
		return commands.Options{}, misuse("the session limit is empty", "give a whole number of at least 1, none or auto")
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
	if !isFile(hook) {
		return commands.Options{}, misuse(hook+" does not exist, or is no file", "give the path of cursor-ralph-hook")
	}
	o := commands.Options{
		Folder: folder, Project: e.text("project") != "", Hook: hook, Program: e.program(ctx), OS: runtime.GOOS,
		SessionLimit: e.text("session-limit"), Minimal: e.isSet("minimal"), KeepMinimal: !e.flags.Changed("minimal"), AnyEvent: e.isSet("any-event"),
	}
	if o.VerifyTimeout, err = e.flags.GetDuration("verify-timeout"); err != nil || o.VerifyTimeout <= 0 && e.flags.Changed("verify-timeout") {
		return o, errors.Join(err, misuse("--verify-timeout is no time", "give a duration such as 30m"))
	}
	if e.flags.Changed("no-notify") {
		quiet := e.isSet("no-notify")
		o.NoNotify = &quiet
	}
	if e.flags.Changed("plan-guard") {
		guard := e.isSet("plan-guard")
		o.PlanGuard = &guard
	}
	return o, e.typingOptions(&o)
}

// typingOptions fills in what was asked for, and checks what only the package
// keystroke knows.
func (e *env) typingOptions(o *commands.Options) error {
	if e.flags.Changed("injectors") {
		list, err := injectorList(e.text("injectors"))
		if err != nil {
			return err
		}
		o.Injectors = &list
	}
	if e.flags.Changed("focus-keys") {
		chord, err := keystroke.ParseChord(strings.TrimSpace(e.text("focus-keys")))
		if err != nil {
			return misuse("--focus-keys: "+err.Error(), "give the keys that bring the focus into Cursor's chat input, such as ctrl+i")
		}
		keys := chord.String()
		o.FocusKeys = &keys
	}
	if e.flags.Changed("type-unchecked") {
		unchecked := e.isSet("type-unchecked")
		o.TypeUnchecked = &unchecked
	}
	return nil
}

// injectorList takes the white space out of a list of injectors. The empty one
// and none are lists too.
func injectorList(list string) (string, error) {
	if list = strings.TrimSpace(list); list == "" || list == "none" {
		return list, nil
	}
	names := strings.Split(list, ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if !slices.Contains(keystroke.Names(), names[i]) {
			return "", misuse(fmt.Sprintf("--injectors: there is no way of typing called %q", names[i]),
				"give one or more of "+strings.Join(keystroke.Names(), ", ")+", joined by commas; or none alone")
		}
	}
	return strings.Join(names, ","), nil
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

// program is how the agent's shell calls us: by name where that leads to this
// very file, else by the whole path.
func (e *env) program(ctx context.Context) string {
	return nameOrPath(e.shellFinds(ctx))
}

func nameOrPath(found string) string {
	self, err := os.Executable()
	if err != nil || itself(found) {
		return "cursor-ralph"
	}
	return self
}

// shellFinds is the cursor-ralph that a login shell runs.
func (e *env) shellFinds(ctx context.Context) string { return e.inShell(ctx, "cursor-ralph") }

// inShell is the program of that name that a login shell runs, empty where it
// finds none. Where there is no such shell our own PATH has to do.
func (e *env) inShell(ctx context.Context, name string) string {
	shell := e.getenv("SHELL")
	if runtime.GOOS == "windows" || shell == "" {
		path, _ := exec.LookPath(name) // empty when it is not there
		return path
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-lc", "command -v "+name)
	cmd.WaitDelay = time.Second // what a profile leaves running holds the output open
	out, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n") // a profile may print more before it
	return lines[len(lines)-1]
}

// itself reports whether path is this very program.
func itself(path string) bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	return filepath.IsAbs(path) && sameFile(self, path)
}

func sameFile(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// called is how the agent's shell calls us, as it has to be written; empty where
// the name is enough. Every start asks, so it asks no shell.
func called() string {
	path, _ := exec.LookPath("cursor-ralph") // empty when it is not there
	p := nameOrPath(path)
	if p == "cursor-ralph" {
		return ""
	}
	return commands.Invocation(p, runtime.GOOS)
}

func install(ctx context.Context, e *env, args []string) error {
	if len(args) > 0 {
		return misuse("install takes no arguments", "`cursor-ralph install --project FOLDER` installs into a project")
	}
	o, err := e.installOptions(ctx)
	if err != nil {
		return err
	}
	change, err := commands.Plan(o)
	if err != nil {
		return permission(err)
	}
	change.Notes = append(change.Notes, e.besidePlugin()...)
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
		return permission(err)
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
	if !dry { // before it is told: whoever reads may go away
		if err := change.Apply(); err != nil {
			return permission(err)
		}
	}
	for _, f := range change.Files {
		if err := e.showFile(f, dry && filepath.Base(f.Path) == "hooks.json"); err != nil {
			return err
		}
	}
	switch {
	case dry:
		return e.say("nothing was changed (--dry-run)")
	case len(change.Files) == 0:
		return e.say("nothing to change: %s", done)
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
