package main

import (
	"bytes"
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
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

func doctorFlags(f *pflag.FlagSet) {
	jsonFlag(f)
	f.String("project", "", "check the installation in this `FOLDER` too (default: this workspace)")
	f.Bool("type-test", false, "type a harmless line, without Return, into the window that you bring to the front")
	typingFlags(f)
}

// finding is one result of a check.
type finding struct {
	Check  string `json:"check"`
	Level  string `json:"level"` // ok, note or wrong
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

func fine(text string) finding           { return finding{Level: "ok", Text: text} }
func remark(text, remedy string) finding { return finding{Level: "note", Text: text, Remedy: remedy} }
func wrong(text, remedy string) finding  { return finding{Level: "wrong", Text: text, Remedy: remedy} }

// check is a name and what finds out about it.
type check struct {
	name string
	run  func(ctx context.Context, e *env) []finding
}

func checks() []check {
	return []check{
		{"hook program", checkHookProgram},
		{"cursor-ralph", checkProgram},
		{"hooks.json", checkHooks},
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

// doctor checks everything that can be wrong, and fails if something is.
func doctor(ctx context.Context, e *env, _ []string) error {
	if project := e.text("project"); project != "" {
		if _, err := e.cursorFolder(project); err != nil {
			return err
		}
	}
	if e.isSet("type-test") {
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
	if err := e.showFindings(findings); err != nil {
		return err
	}
	if bad > 0 {
		return problem(fmt.Sprintf("%d thing(s) are wrong", bad), "")
	}
	return nil
}

func (e *env) showFindings(findings []finding) error {
	if e.isSet("json") {
		return e.json(findings)
	}
	for _, f := range findings {
		if err := e.say("%-5s  %-14s  %s", f.Level, f.Check, f.Text); err != nil {
			return err
		}
		if f.Remedy != "" {
			if err := e.say("%22s  remedy: %s", "", f.Remedy); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHookProgram runs the hook on an event that concerns nobody.
func checkHookProgram(ctx context.Context, _ *env) []finding {
	path, err := hookPath()
	if err != nil {
		return []finding{wrong(err.Error(), "build it with `make build`")}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path)
	cmd.Stdin = strings.NewReader(`{"hook_event_name":"workspaceOpen"}`)
	out, err := cmd.Output()
	if err != nil || string(bytes.TrimSpace(out)) != "{}" {
		return []finding{wrong(fmt.Sprintf("%s does not answer {}: %q %v", path, out, err), "build or install it again")}
	}
	return []finding{fine(path + " answers")}
}

// checkProgram looks for us as the agent will: in a login shell.
func checkProgram(ctx context.Context, e *env) []finding {
	shell := e.getenv("SHELL")
	if runtime.GOOS == "windows" || shell == "" {
		return nil
	}
	path := e.shellFinds(ctx)
	if itself(path) {
		return []finding{fine("a login shell finds " + path)}
	}
	text := "a login shell does not find cursor-ralph"
	if path != "" {
		text = "a login shell finds another cursor-ralph, " + path
	}
	if len(e.ourPlugins()) > 0 {
		return []finding{wrong(text+", and the plugin names it by that", "put its folder first on the PATH in the profile of "+shell)}
	}
	if e.namedPlainly() {
		return []finding{wrong(text+", and the slash commands name it by that", "cursor-ralph install, which then writes the whole path")}
	}
	return []finding{remark(text+"; install writes its whole path into the slash commands", "put its folder first on the PATH in the profile of "+shell+", then cursor-ralph install")}
}

// namedPlainly reports whether an installed slash command calls us by name.
func (e *env) namedPlainly() bool {
	files, err := commands.SlashCommands("cursor-ralph", runtime.GOOS)
	folders := e.hookFiles()
	return err == nil && slices.ContainsFunc(files, func(f commands.File) bool { return f.Same(firstInstalled(folders, f.Path)) })
}

// hookFiles are the hooks.json files that may have our hook in them.
func (e *env) hookFiles() []string {
	var files []string
	if user, err := e.cursorFolder(""); err == nil {
		files = append(files, filepath.Join(user, "hooks.json"))
	}
	project := e.text("project")
	if project == "" {
		project, _ = e.workspace()
	}
	if project != "" {
		file := filepath.Join(project, ".cursor", "hooks.json")
		if len(files) == 0 || file != files[0] {
			files = append(files, file)
		}
	}
	return files
}

func checkHooks(_ context.Context, e *env) []finding {
	var found []finding
	var withOurs []string
	for _, path := range append(e.hookFiles(), machineHooks(runtime.GOOS)) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !info.Mode().IsRegular() { // to read it might take for ever
			found = append(found, wrong(path+" is not a regular file", "remove it"))
			continue
		}
		raw, err := readSmall(path)
		if errors.Is(err, fs.ErrInvalid) {
			found = append(found, wrong(path+" is larger than any hooks.json", "look what is in it"))
			continue
		}
		if err != nil {
			found = append(found, wrong(err.Error(), "make the file readable"))
			continue
		}
		if bytes.Contains(raw, []byte("cursor-ralph-hook")) {
			withOurs = append(withOurs, path)
		}
		found = append(found, inspect(path, raw)...)
	}
	switch len(withOurs) {
	case 0:
		if len(e.ourPlugins()) == 0 {
			found = append(found, wrong("our hook is in no hooks.json", "cursor-ralph install"))
		}
	case 1:
		found = append(found, fine("our hook is in "+withOurs[0]))
	default:
		found = append(found, wrong("our hook is installed twice, in "+strings.Join(withOurs, " and "),
			"keep one: cursor-ralph uninstall, or cursor-ralph uninstall --project FOLDER"))
	}
	return found
}

// machineHooks is the hooks.json of the whole machine, whose answers come after
// all others. Source: Cursor's documentation.
func machineHooks(goos string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/Cursor/hooks.json"
	case "windows":
		return `C:\ProgramData\Cursor\hooks.json`
	}
	return "/etc/cursor/hooks.json"
}

func inspect(path string, raw []byte) []finding {
	found := findings(commands.Inspect(raw, runtime.GOOS, os.Stat))
	for i := range found {
		found[i].Text = path + ": " + found[i].Text
	}
	return found
}

func checkCommands(ctx context.Context, e *env) []finding {
	files, err := commands.SlashCommands(e.program(ctx), runtime.GOOS)
	if err != nil {
		return []finding{wrong(err.Error(), "")}
	}
	var missing, old []string
	folders := e.hookFiles()
	for _, f := range files {
		switch installed := firstInstalled(folders, f.Path); {
		case installed == nil:
			missing = append(missing, f.Path)
		case !f.Same(installed):
			old = append(old, f.Path)
		}
	}
	if len(missing) == len(files) && len(e.ourPlugins()) > 0 {
		return []finding{fine("those of the plugin")}
	}
	if len(missing) > 0 {
		return []finding{wrong("not installed: "+strings.Join(missing, ", "), "cursor-ralph install")}
	}
	if len(old) > 0 {
		return []finding{remark("other than this version's: "+strings.Join(old, ", "), "cursor-ralph install")}
	}
	return []finding{fine(fmt.Sprintf("%d installed", len(files)))}
}

func firstInstalled(hookFiles []string, name string) []byte {
	for _, file := range hookFiles {
		if data, err := readSmall(filepath.Join(filepath.Dir(file), "commands", name)); err == nil {
			return data
		}
	}
	return nil
}

func checkFolders(_ context.Context, e *env) []finding {
	var found []finding
	for _, dir := range []string{e.places.Pending(), e.places.Archive} {
		if err := ownfile.Folder(dir); err != nil {
			found = append(found, wrong(err.Error(), "give the folder to this user, or move everything with CURSOR_RALPH_DIR and CURSOR_RALPH_STATE_DIR"))
			continue
		}
		found = append(found, fine(dir))
	}
	if _, err := ownfile.Check(e.places.Log()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		found = append(found, wrong(err.Error(), "remove it: without it the hook works, but keeps no log"))
	}
	return found
}

func checkPending(_ context.Context, e *env) []finding {
	items, err := e.box.List()
	if err != nil {
		return []finding{wrong(err.Error(), "make the folder readable")}
	}
	var found []finding
	for _, i := range items {
		switch {
		case i.Err != nil:
			found = append(found, wrong(i.Path+": "+i.Err.Error(), "correct or remove it"))
		case i.Stale():
			found = append(found, remark(fmt.Sprintf("%s is %s old and is not claimed any more", i.Path, i.Age.Round(time.Hour)), "cursor-ralph cancel "+i.Name))
		}
	}
	return found
}

// checkStates tells of live files that cannot be read and of those that were
// moved aside.
func checkStates(_ context.Context, e *env) []finding {
	live, problems := e.store.List()
	found := []finding{fine(fmt.Sprintf("%d live loop(s)", len(live)))}
	for _, p := range problems {
		found = append(found, wrong(p.Error(), "correct the file, or remove it"))
	}
	for _, path := range e.aside() {
		found = append(found, remark("was not a loop's file and was moved aside: "+path, "look what is in it, then remove it"))
	}
	return found
}

// aside gives what we have moved aside. Nobody is told to look at what another
// user has given such a name.
func (e *env) aside() (paths []string) {
	live, _ := e.places.LivePattern()
	legacy := filepath.Base(e.places.Legacy())
	shared, _ := os.ReadDir(e.places.Base) // List has told what is wrong with it
	for _, entry := range shared {
		if name := entry.Name(); strings.HasPrefix(name, live) || strings.HasPrefix(name, legacy) {
			paths = append(paths, filepath.Join(e.places.Base, name))
		}
	}
	names, _ := ownfile.Names(e.places.Pending()) // as above
	slices.Sort(names)
	for _, name := range names {
		paths = append(paths, filepath.Join(e.places.Pending(), name))
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := ownfile.Check(path)
		return err != nil || !strings.Contains(path, ".json.corrupt-")
	})
}

// checkMachine tells of arrangements in which the hook and the agent's shell
// may not see the same files.
func checkMachine(_ context.Context, e *env) []finding {
	const remedy = "install cursor-ralph where Cursor runs its hooks, and start loops with /ralph-loop; if a loop does not go on by itself, type its continue line"
	var found []finding
	for _, a := range []struct{ name, what string }{
		{"WSL_DISTRO_NAME", "this is WSL: a Cursor on Windows runs its hooks on the Windows side, where /tmp is another folder"},
		{"REMOTE_CONTAINERS", "this is a dev container: it does not share /tmp with the machine outside"},
		{"SSH_CONNECTION", "this is a remote machine: hooks may run on the machine of the editor, whose /tmp is another"},
	} {
		if e.getenv(a.name) != "" {
			found = append(found, remark(a.what, remedy))
		}
	}
	if len(found) == 0 {
		found = append(found, fine("nothing speaks against one /tmp for the hook and the agent's shell"))
	}
	return found
}
