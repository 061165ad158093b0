// Package doctor checks the installation, the files and this machine. It changes nothing.
package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/typing"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// Flags adds the flags of doctor.
func Flags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.String("project", "", "check the installation in this `FOLDER` too (default: this workspace)")
	f.Bool("type-test", false, "type a harmless line, without Return, into the window that you bring to the front")
	typing.Flags(f)
}

// finding is one result of a check.
type finding struct {
	Check  string `json:"check"`
	Level  string `json:"level"` // ok, note or wrong
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
	Place  *spot  `json:"place,omitempty"`
}

// spot is the place of a finding in a hooks.json.
type spot struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Entry  string `json:"entry,omitempty"` // such as sessionStart[1]
}

func fine(text string) finding { return finding{Level: "ok", Text: text} }

func remark(text, remedy string) finding { return finding{Level: "note", Text: text, Remedy: remedy} }

func wrong(text, remedy string) finding { return finding{Level: "wrong", Text: text, Remedy: remedy} }

// check is a name and a function that returns findings.
type check struct {
	name string
	run  func(ctx context.Context, e *cli.Env) []finding
}

func checks() []check {
	return []check{
		{"hook program", checkHookProgram},
		{"cursor-ralph", checkProgram},
		{"hooks.json", checkHooks},
		{"Cursor's log", checkCursorLog},
		{"plugin", checkPlugin},
		{"stop hooks", checkRivals},
		{"plan guard", checkPlanGuard},
		{"slash commands", checkCommands},
		{"folders", checkFolders},
		{"pending loops", checkPending},
		{"state files", checkStates},
		{"loop mode", checkLoopMode},
		{"settings", checkConfig},
		{"same machine", checkMachine},
		{"session limit", checkSessionLimit},
		{"typing", checkTyping},
	}
}

// Run runs all checks, and fails if something is wrong.
func Run(ctx context.Context, e *cli.Env, _ []string) error {
	if project := e.Text("project"); project != "" {
		if _, err := install.CursorFolder(e, project); err != nil {
			return err
		}
	}
	if e.IsSet("type-test") {
		return typeTest(ctx, e)
	}
	findings := []finding{}
	bad := 0
	for _, c := range checks() {
		for _, f := range c.run(ctx, e) {
			f.Check = c.name
			findings = append(findings, f)
			if f.Level == "wrong" {
				bad++
			}
		}
	}
	if err := showFindings(e, findings); err != nil {
		return err
	}
	if bad > 0 {
		return hint.New(fmt.Sprintf("doctor found %d problem(s)", bad), "")
	}
	return nil
}

func showFindings(e *cli.Env, findings []finding) error {
	if e.IsSet("json") {
		return e.JSON(findings)
	}
	for _, f := range findings {
		if err := e.Say("%-5s  %-14s  %s", f.Level, f.Check, f.Text); err != nil {
			return err
		}
		if f.Remedy != "" {
			if err := e.Say("%22s  remedy: %s", "", f.Remedy); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHookProgram runs the hook on an event that it ignores.
func checkHookProgram(ctx context.Context, _ *cli.Env) []finding {
	path, err := install.HookPath()
	if err != nil {
		return []finding{wrong(err.Error(), "build it with `make build`")}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := proc.Tell(ctx, []byte(`{"hook_event_name":"workspaceOpen"}`), path)
	if err != nil || string(bytes.TrimSpace(out)) != "{}" {
		return []finding{wrong(fmt.Sprintf("%s does not answer {}: %q %v", path, out, err), "build or install it again")}
	}
	return []finding{fine(path + " answers")}
}

// checkProgram looks for cursor-ralph in a login shell, as the agent will.
func checkProgram(ctx context.Context, e *cli.Env) []finding {
	shell := e.Getenv("SHELL")
	if runtime.GOOS == "windows" || shell == "" {
		return nil
	}
	path := install.InShell(ctx, e, "cursor-ralph")
	text := "a login shell does not find cursor-ralph"
	if path != "" {
		text = "a login shell finds another cursor-ralph, " + path
	}
	switch self, err := os.Executable(); {
	case install.Itself(path) || err == nil && install.IsShimOf(e, path, self):
		return []finding{fine("a login shell finds " + path)}
	case len(install.OurPlugins(e)) > 0:
		return []finding{wrong(text+", and the plugin calls it by that name", "put its folder first on the PATH in the profile of "+shell)}
	case namedPlainly(e):
		return []finding{wrong(text+", and the slash commands call it by that name", "cursor-ralph install, which then writes the whole path")}
	}
	return []finding{remark(text+"; install writes its whole path into the slash commands", "put its folder first on the PATH in the profile of "+shell+", then cursor-ralph install")}
}

// namedPlainly reports whether an installed slash command calls us by name.
func namedPlainly(e *cli.Env) bool {
	files, err := commands.SlashCommands("cursor-ralph", runtime.GOOS)
	folders := install.HookFiles(e)
	return err == nil && slices.ContainsFunc(files, func(f commands.File) bool { return f.Same(firstInstalled(folders, f.Path)) })
}

func checkCommands(ctx context.Context, e *cli.Env) []finding {
	files, err := commands.SlashCommands(install.Program(ctx, e), runtime.GOOS)
	if err != nil {
		return []finding{wrong(err.Error(), "")}
	}
	var missing, old []string
	folders := install.HookFiles(e)
	for _, f := range files {
		switch installed := firstInstalled(folders, f.Path); {
		case installed == nil:
			missing = append(missing, f.Path)
		case !f.Same(installed):
			old = append(old, f.Path)
		}
	}
	switch {
	case len(missing) == len(files) && len(install.OurPlugins(e)) > 0:
		return []finding{fine("those of the plugin")}
	case len(missing) > 0:
		return []finding{wrong("not installed: "+strings.Join(missing, ", "), "cursor-ralph install")}
	case len(old) > 0:
		return []finding{remark("not this version's: "+strings.Join(old, ", "), "cursor-ralph install")}
	}
	return []finding{fine(fmt.Sprintf("%d installed", len(files)))}
}

func firstInstalled(hookFiles []string, name string) []byte {
	for _, file := range hookFiles {
		if data, err := cli.ReadSmall(filepath.Join(filepath.Dir(file), "commands", name)); err == nil {
			return data
		}
	}
	return nil
}

func checkFolders(_ context.Context, e *cli.Env) []finding {
	var found []finding
	for _, dir := range []string{e.Places.Pending(), e.Places.Archive} {
		switch err := ownfile.CheckFolder(dir); {
		case errors.Is(err, fs.ErrNotExist):
			found = append(found, fine(dir+" does not exist yet: the first loop creates it"))
		case err != nil:
			found = append(found, wrong(err.Error(), "give the folder to this user, or move everything with CURSOR_RALPH_DIR and CURSOR_RALPH_STATE_DIR"))
		default:
			found = append(found, fine(dir))
		}
	}
	if _, err := ownfile.Check(e.Places.Log()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		found = append(found, wrong(err.Error(), "remove it: without it the hook works, but keeps no log"))
	}
	return found
}

func checkPending(_ context.Context, e *cli.Env) []finding {
	waiting, err := e.Loops.Pending()
	if err != nil {
		return []finding{wrong(err.Error(), "make the folder readable")}
	}
	var found []finding
	for _, l := range waiting {
		switch {
		case l.Err != nil:
			found = append(found, wrong(l.File.Path+": "+l.Err.Error(), "correct or remove it"))
		case l.File.Stale():
			found = append(found, remark(fmt.Sprintf("%s is %s old and is not claimed any more", l.File.Path, l.File.Age.Round(time.Hour)), "cursor-ralph cancel "+l.ID))
		}
	}
	return found
}

// checkStates reports unreadable live files and those that were moved aside.
func checkStates(_ context.Context, e *cli.Env) []finding {
	live, problems := e.Loops.LiveWithHistory()
	found := []finding{fine(fmt.Sprintf("%d live loop(s)", len(live)))}
	for _, p := range problems {
		found = append(found, wrong(p.Error(), "correct the file, or remove it"))
	}
	for _, path := range aside(e) {
		found = append(found, remark("was not a loop's file and was moved aside: "+path, "check what it contains, then remove it"))
	}
	return found
}

// aside returns the files that we moved aside, without those of other users.
func aside(e *cli.Env) (paths []string) {
	live, _ := e.Places.LivePattern()
	entries, _ := os.ReadDir(e.Places.Base) // checkFolders and checkStates report what is wrong with it
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, live) || strings.HasPrefix(name, filepath.Base(e.Places.Legacy())) {
			paths = append(paths, filepath.Join(e.Places.Base, name))
		}
	}
	names, _ := ownfile.Names(e.Places.Pending()) // as above; another user may have put a link there
	for _, name := range names {
		paths = append(paths, filepath.Join(e.Places.Pending(), name))
	}
	slices.Sort(paths)
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := ownfile.Check(path)
		return err != nil || !strings.Contains(filepath.Base(path), ".json.corrupt-")
	})
}

// checkMachine reports setups in which the hook and the agent's shell may not share files.
func checkMachine(_ context.Context, e *cli.Env) []finding {
	const remedy = "install cursor-ralph where Cursor runs its hooks, and start loops with /ralph-loop; if a loop does not go on by itself, type its continue line"
	var found []finding
	for _, a := range []struct{ name, what string }{
		{"WSL_DISTRO_NAME", "this is WSL: a Cursor on Windows runs its hooks on the Windows side, where /tmp is another folder"},
		{"REMOTE_CONTAINERS", "this is a dev container: it does not share /tmp with the machine outside"},
		{"SSH_CONNECTION", "this is a remote machine: hooks may run on the machine of the editor, whose /tmp is another"},
	} {
		if e.Getenv(a.name) != "" {
			found = append(found, remark(a.what, remedy))
		}
	}
	if e.Getenv("CURSOR_RALPH_DIR") != "" {
		found = append(found, remark("CURSOR_RALPH_DIR moves the loops to "+e.Places.Base, "set it for Cursor too, since its hooks use the same variable; or unset it"))
	}
	if len(found) == 0 {
		found = append(found, fine("the hook and the agent's shell share "+e.Places.Base))
	}
	return found
}
