// Package install puts the hook and the slash commands into Cursor, removes them, and finds them and our programs. What goes into
// the files is in package commands.
package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

func placeFlags(f *pflag.FlagSet) {
	f.String("project", "", "the `FOLDER` of one project instead of all (its .cursor folder)")
	f.Bool("dry-run", false, "show the change and do nothing")
	f.Bool("extension", false, "the editor extension instead, by Cursor's own command")
	f.StringSlice("host", nil, "another `PROGRAM` instead of Cursor: claude, codex, gemini, qwen, copilot, several with commas, or all that are found")
}

// Flags adds the flags of install.
func Flags(f *pflag.FlagSet) {
	placeFlags(f)
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

// installOptions finds the programs. A project's files name them alone: they are fit to be committed, and have no path of this
// user.
func installOptions(ctx context.Context, e *cli.Env) (o commands.Options, err error) {
	o = commands.Options{Project: e.Text("project") != "", OS: runtime.GOOS}
	if o.Folder, err = folder(e); err != nil {
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
	o.Hook, o.Program = lasting(o.Hook), Program(ctx, e)
	return o, CheckProgram(o.Hook)
}

// besideOthers notes our other installations.
func besideOthers(e *cli.Env, folder string) (notes []string) {
	for _, path := range append(HookFiles(e), MachineHooks(runtime.GOOS)) {
		if filepath.Dir(path) != folder && InstalledAt(path).Any() {
			notes = append(notes, "there is another installation: "+path+" has our hook too, so each event starts it twice; `cursor-ralph uninstall` removes one of them")
		}
	}
	return append(notes, besidePlugin(e)...)
}

// Install installs the hook and the slash commands.
func Install(ctx context.Context, e *cli.Env, args []string) error {
	switch {
	case e.IsSet("extension"):
		return installExtension(ctx, e, args)
	case e.Flags.Changed("host"):
		return installHosts(ctx, e, args)
	case len(args) > 0:
		return hint.Misuse(fmt.Sprintf("install: unexpected argument %q", args[0]), "a file is for --extension alone")
	}
	if self, err := os.Executable(); err == nil {
		if err := CheckProgram(self); err != nil {
			return err
		}
	}
	o, err := installOptions(ctx, e)
	if err != nil {
		return err
	}
	change, err := commands.Plan(o)
	if err != nil {
		return err
	}
	change.Notes = append(change.Notes, besideOthers(e, o.Folder)...)
	if o.Project && InShell(ctx, e, o.Hook) == "" {
		change.Notes = append(change.Notes, o.Hook+" is not on your login shell's PATH, where Cursor looks for it: put the programs there")
	}
	done := "installed into " + o.Folder + "; `cursor-ralph doctor` checks it, then type /ralph-loop \"<task>\" in Cursor"
	return carryOut(e, change, done, "nothing to change: "+done)
}

// Uninstall removes the hook and the slash commands.
func Uninstall(ctx context.Context, e *cli.Env, _ []string) error {
	if e.IsSet("extension") {
		return uninstallExtension(ctx, e)
	}
	if e.Flags.Changed("host") {
		return uninstallHosts(e)
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
	if err := showFiles(e, change.Files, dry); err != nil {
		return err
	}
	switch {
	case len(change.Files) == 0:
		return e.Say("%s", unchanged)
	case dry:
		return e.Say("nothing was changed (--dry-run)")
	}
	return e.Say("%s", done)
}

// showFiles names the files that change, where several in a folder do the folder alone.
func showFiles(e *cli.Env, files []commands.File, dry bool) error {
	for len(files) > 0 {
		verb, folder, n := verbOf(files[0]), filepath.Dir(files[0].Path), 1
		for n < len(files) && verbOf(files[n]) == verb && filepath.Dir(files[n].Path) == folder {
			n++
		}
		path := files[0].Path
		if n > 1 {
			path = fmt.Sprintf("%s (%d files)", folder, n)
		}
		if err := e.Say("%s %s", verb, path); err != nil {
			return err
		}
		if f := files[0]; dry && n == 1 && f.New != nil && filepath.Base(f.Path) == "hooks.json" {
			if _, err := fmt.Fprintln(e.Stdout, cli.Printable(string(f.New))); err != nil {
				return err
			}
		}
		files = files[n:]
	}
	return nil
}

func verbOf(f commands.File) string {
	switch {
	case f.Old == nil:
		return "create"
	case f.New == nil:
		return "remove"
	}
	return "change"
}
