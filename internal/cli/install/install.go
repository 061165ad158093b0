// Package install puts the hook and the slash commands into Cursor, removes them, and finds them and our programs. What goes into
// the files is in package commands.
package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
)

func placeFlags(f *pflag.FlagSet) {
	f.String("project", "", "the `FOLDER` of one project instead of all (its .cursor folder)")
	f.Bool("dry-run", false, "show the change and do nothing")
	f.Bool("extension", false, "the editor extension instead, by Cursor's own command")
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
	cli.Duration(f, "linger", 0, 0, "the hook stays for `D` after an answer that must not be lost, 0 for not at all (default: as installed, else 100ms, on Windows 250ms)")
	f.Bool("no-notify", false, "send no notices (default: as installed)")
	f.Bool("plan-guard", false, "deny the agent of a loop with --plan every tool that writes or runs something (default: as installed)")
	f.Bool("pre-compact", false, "have Cursor (3.12 or newer; an old one drops the file) report a summary, for loops with --repeat first (default: as installed)")
	cli.Duration(f, "verify-timeout", 0, 0, "make room for a loop's --verify-timeout of up to `D` (default: as installed, else 10m)")
	f.String("hook", "", "`PATH` of cursor-ralph-hook (default: beside cursor-ralph)")
}

// UninstallFlags adds the flags of uninstall.
func UninstallFlags(f *pflag.FlagSet) { placeFlags(f) }

// folder returns the .cursor folder that the options name. An empty --project is most often a variable of a script that is not
// set.
func folder(e *cli.Env) (string, error) {
	if e.Flags.Changed("project") && e.Text("project") == "" {
		return "", hint.Misuse("--project is empty", "name the folder of the project")
	}
	return CursorFolder(e, e.Text("project"))
}

func installOptions(ctx context.Context, e *cli.Env) (commands.Options, error) {
	o := commands.Options{
		Project: e.Text("project") != "", OS: runtime.GOOS, SessionLimit: e.Text("session-limit"),
		Minimal: e.IsSet("minimal"), KeepMinimal: !e.Flags.Changed("minimal"), AnyEvent: e.IsSet("any-event"),
		Linger: given(e, "linger", e.Flags.GetDuration), NoNotify: given(e, "no-notify", e.Flags.GetBool), PlanGuard: given(e, "plan-guard", e.Flags.GetBool),
		PreCompact: given(e, "pre-compact", e.Flags.GetBool),
	}
	var err error
	if o.Folder, err = folder(e); err != nil {
		return o, err
	}
	if e.Flags.Changed("session-limit") && o.SessionLimit == "" {
		return o, hint.Misuse("the session limit is empty", "give a whole number of at least 1, none or auto")
	}
	if room := given(e, "verify-timeout", e.Flags.GetDuration); room != nil {
		if o.VerifyTimeout = *room; *room <= 0 {
			return o, hint.Misuse("--verify-timeout is not above 0", "give a duration such as 30m")
		}
	}
	if o.Hook, err = hookToInstall(ctx, e); err != nil {
		return o, err
	}
	o.Program = Program(ctx, e)
	return o, typingOptions(e, &o)
}

func given[T any](e *cli.Env, flag string, get func(string) (T, error)) *T {
	if !e.Flags.Changed(flag) {
		return nil
	}
	value, _ := get(flag) // the type is that of its definition
	return &value
}

func hookToInstall(ctx context.Context, e *cli.Env) (string, error) {
	hook, err := e.Text("hook"), error(nil)
	if hook != "" {
		hook, err = filepath.Abs(hook)
	} else if hook, err = HookPath(); err == nil {
		hook = lasting(ctx, e, hook, hookAnswers) // Install warns about a path that does not last
	}
	if err == nil && !cli.IsFile(hook) {
		err = hint.Misuse(hook+" does not exist, or is not a file", "give the path of cursor-ralph-hook")
	}
	return hook, err
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
	o.TypeUnchecked = given(e, "type-unchecked", e.Flags.GetBool)
	return nil
}

// Install installs the hook and the slash commands.
func Install(ctx context.Context, e *cli.Env, args []string) error {
	switch {
	case e.IsSet("extension"):
		return installExtension(ctx, e, args)
	case len(args) > 0:
		return hint.Misuse(fmt.Sprintf("install: unexpected argument %q", args[0]), "a file is for --extension alone")
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
func Uninstall(ctx context.Context, e *cli.Env, _ []string) error {
	if e.IsSet("extension") {
		return uninstallExtension(ctx, e)
	}
	folder, err := folder(e)
	if err != nil {
		return err
	}
	change, err := commands.PlanRemoval(commands.Options{Folder: folder, Project: e.Text("project") != ""})
	if err != nil {
		return err
	}
	unchanged := "nothing to remove: cursor-ralph is not installed in " + folder
	for _, entry := range InstalledAt(filepath.Join(folder, "hooks.json")).Wrapped {
		change.Notes = append(change.Notes, "an entry of your own runs our hook, which stays: "+entry)
		unchanged = "nothing to remove but what you wrote yourself, in " + folder
	}
	return errors.Join(carryOut(e, change, "removed from "+folder+"; your loops and their records stay", unchanged), showUnended(e))
}

// showUnended lists the loops of chats that have not ended: without a hook nothing continues them.
func showUnended(e *cli.Env) error {
	current, err := e.Loops.Current()
	var rows []view.Row
	for _, l := range current {
		if v := e.View(l.State, l.IsInterrupted()); l.Err == nil && v.Kind == view.Chat {
			rows = append(rows, v.Row(e.Now(), e.HomeFolder()))
		}
	}
	if len(rows) == 0 {
		return err
	}
	return errors.Join(err, e.Say("\nThese loops have not ended, and go on only where our hook is still installed; `cursor-ralph cancel <id>` ends one, `cursor-ralph cancel --all` all of them, and the watcher with the last:\n%s",
		strings.TrimSuffix(e.Screen().Table(rows), "\n")))
}

// carryOut prints a change and, without --dry-run, makes it. unchanged is printed if there is nothing to do.
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
