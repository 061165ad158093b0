package main

import (
	"cmp"
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
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func loopModeFlags(f *pflag.FlagSet) {
	cli.Duration(f, "for", state.MaxMode, state.MaxMode, "on: switch itself off after the time `D`, at most 24h")
	f.String("workspace", "", "the `FOLDER` that Cursor has open (default: this workspace)")
	f.Bool("json", false, "status: print JSON")
	for _, o := range loop.Options() {
		if o.Name != "replace" {
			cli.AddOption(f, o, "on: "+o.Usage)
			f.Lookup(o.Name).Hidden = true // help start has them
		}
	}
	cli.AddWithout(f)
}

// loopMode turns loop mode on or off in a workspace, or shows it.
func loopMode(ctx context.Context, e *env, args []string) error {
	switch args[0] {
	case "on":
		return e.loopModeOn(ctx)
	case "off":
		return e.loopModeOff()
	}
	return e.loopModeStatus()
}

func (e *env) loopModeOn(ctx context.Context) error {
	mode, err := e.askedMode(ctx)
	if err != nil {
		return err
	}
	if err := e.setMode(mode); err != nil {
		return err
	}
	err = e.Say("%s\nAn ordinary message to the agent there starts a loop; one that begins with / does not, nor one in Ask mode.\nTo switch it off: cursor-ralph loop-mode off", render.DescribeMode(mode))
	return errors.Join(err, e.warnNoHook(mode.Workspace))
}

// askedMode returns loop mode as the options describe it.
func (e *env) askedMode(ctx context.Context) (m state.Mode, err error) {
	if e.IsSet("json") {
		return m, hint.Misuse("loop-mode on prints no JSON", "`cursor-ralph loop-mode status --json` does")
	}
	r, err := e.Request()
	if err != nil {
		return m, err
	}
	if err := r.Check(); err != nil {
		return m, hint.Misuse(err.Error(), "nothing was switched on")
	}
	duration, err := e.Flags.GetDuration("for")
	if err != nil || duration == 0 {
		return m, hint.Misuse("loop-mode: --for 0 leaves no time", "`cursor-ralph help loop-mode` shows the options")
	}
	m = state.Mode{Since: e.Now(), Until: e.Now().Add(duration), Loop: r.State}
	if m.Workspace, err = e.modeFolder(); err != nil {
		return m, err
	}
	m.Loop.Workspace = m.Workspace
	if err := cmp.Or(e.usable(ctx, r, m.Loop), cli.Sourced(r, tasks.Check(ctx, m.Loop), "tasks")); err != nil {
		return m, err
	}
	if p := install.Program(ctx, e.Env); p != "cursor-ralph" {
		m.Loop.Program = commands.Invocation(p, runtime.GOOS)
	}
	return m, nil
}

// modeFolder returns the workspace that the command is about.
func (e *env) modeFolder() (string, error) {
	named := e.Text("workspace")
	if named == "" {
		return e.Workspace()
	}
	folder, err := filepath.Abs(named)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return "", hint.Misuse(folder+": is not a folder", "name the folder that Cursor has open")
	} else if err != nil && e.Flags.Arg(0) == "on" { // what is gone can still be switched off
		return "", hint.Misuse(err.Error(), "name the folder that Cursor has open")
	}
	return folder, nil
}

// setMode also stores the mode under the real path of a workspace behind symbolic
// links: the hook looks for the name that the editor uses.
func (e *env) setMode(mode state.Mode) error {
	err := e.Store.SetMode(mode)
	real, linkErr := filepath.EvalSymlinks(mode.Workspace)
	if err != nil || linkErr != nil || cli.SameFolder(real, mode.Workspace) {
		return err
	}
	mode.Workspace = real
	return e.Store.SetMode(mode)
}

// warnNoHook warns if no hook sees the messages of a workspace.
func (e *env) warnNoHook(folder string) error {
	if e.isHooked(folder, func(i commands.Installation) bool { return i.At("beforeSubmitPrompt") }) {
		return nil
	}
	return e.Say("But our hook is not told of messages here: no hooks.json has it at beforeSubmitPrompt. See cursor-ralph doctor.")
}

func (e *env) loopModeOff() error {
	if err := e.onlyFlags("workspace"); err != nil {
		return err
	}
	folder, err := e.modeFolder()
	if err != nil {
		return err
	}
	on, _ := e.Store.Modes()
	here := modesOf(folder, on)
	for _, m := range append(here, state.Mode{Workspace: folder}) {
		if err := e.Store.EndMode(m.Workspace); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(here) == 0 {
		return e.Say("Loop mode was not on in %s.%s", folder, elsewhere(on))
	}
	return e.Say("Loop mode is off in %s. Loops that it started go on; cursor-ralph cancel ends one.", folder)
}

// onlyFlags refuses options of another subcommand.
func (e *env) onlyFlags(names ...string) (err error) {
	e.Flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) {
			err = hint.Misuse(fmt.Sprintf("loop-mode %s takes no --%s", e.Flags.Arg(0), f.Name), "`cursor-ralph help loop-mode` shows its options")
		}
	})
	return err
}

// modesOf returns the modes of a folder, under any of its names.
func modesOf(folder string, modes []state.Mode) (here []state.Mode) {
	for _, m := range modes {
		if cli.SameFolder(folder, m.Workspace) || cli.SameFile(folder, m.Workspace) {
			here = append(here, m)
		}
	}
	return here
}

func elsewhere(on []state.Mode) string {
	var words strings.Builder
	for _, m := range on {
		words.WriteString("\n" + render.DescribeMode(m))
	}
	return words.String()
}

// modeStatus is what loop-mode status --json prints.
type modeStatus struct {
	Workspace string    `json:"workspace"`
	On        bool      `json:"on"`
	Since     time.Time `json:"since,omitzero"`
	Until     time.Time `json:"until,omitzero"`
	Options   string    `json:"options,omitempty"`
}

func (e *env) loopModeStatus() error {
	if err := e.onlyFlags("workspace", "json"); err != nil {
		return err
	}
	folder, err := e.modeFolder()
	if err != nil {
		return err
	}
	if _, err := e.Store.Mode(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return hint.New(err.Error(), "so it counts as off; `cursor-ralph loop-mode off` removes the file")
	}
	on, _ := e.Store.Modes()
	here := modesOf(folder, on)
	switch {
	case e.IsSet("json") && len(here) > 0:
		return e.JSON(modeStatus{here[0].Workspace, true, here[0].Since, here[0].Until, render.OptionsOf(here[0].Loop)})
	case e.IsSet("json"):
		return e.JSON(modeStatus{Workspace: folder})
	case len(here) > 0:
		return e.Say("%s\nTo switch it off: cursor-ralph loop-mode off", render.DescribeMode(here[0]))
	}
	return e.Say("Loop mode is off in %s.%s", folder, elsewhere(on))
}
