package main

import (
	"context"
	"encoding/json"
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
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func loopModeFlags(f *pflag.FlagSet) {
	f.Duration("for", state.MaxMode, "on: switch itself off after the time `D`, at most 24h")
	f.String("workspace", "", "the `FOLDER` that Cursor has open (default: this workspace)")
	f.Bool("json", false, "status: print JSON")
	for _, o := range loop.Options() {
		if o.Name != "replace" {
			addOption(f, o, "on: "+o.Usage)
		}
	}
}

// loopMode switches loop mode on or off in a workspace, or tells.
func loopMode(ctx context.Context, e *env, args []string) error {
	if len(args) != 1 {
		return misuse("loop-mode takes one word", "on, off or status")
	}
	switch args[0] {
	case "on":
		return e.loopModeOn(ctx)
	case "off":
		return e.loopModeOff()
	case "status":
		return e.loopModeStatus()
	}
	return misuse(fmt.Sprintf("loop-mode takes no word such as %q", args[0]), "on, off or status")
}

func (e *env) loopModeOn(ctx context.Context) error {
	mode, err := e.askedMode(ctx)
	if err != nil {
		return err
	}
	if err := e.setMode(mode); err != nil {
		return permission(err)
	}
	e.hintPlanGuard(mode.Loop)
	err = e.say("%s\nAn ordinary message to the agent there starts a loop; one that begins with / does not, nor one in Ask mode.\nTo switch it off: cursor-ralph loop-mode off", modeWords(mode))
	return errors.Join(err, e.warnUnheard(mode.Workspace))
}

// askedMode is loop mode as the options ask for it.
func (e *env) askedMode(ctx context.Context) (m state.Mode, err error) {
	if e.isSet("json") {
		return m, misuse("loop-mode on prints no JSON", "`cursor-ralph loop-mode status --json` does")
	}
	r, err := e.request()
	if err != nil {
		return m, err
	}
	if err := r.Check(); err != nil {
		return m, misuse(err.Error(), "nothing was switched on")
	}
	if err := e.checkVerify(r.State); err != nil {
		return m, err
	}
	duration, err := e.flags.GetDuration("for")
	if err != nil || duration <= 0 || duration > state.MaxMode {
		return m, misuse(fmt.Sprintf("--for %s: give some time, and 24h at most", duration), "nothing was switched on; it can be switched on again at any time")
	}
	m = state.Mode{Since: e.now(), Until: e.now().Add(duration), Loop: r.State}
	if m.Workspace, err = e.modeFolder(); err != nil {
		return m, err
	}
	m.Loop.Workspace = m.Workspace
	m.Loop.PromptTemplate = templateFile(m.Loop.PromptTemplate, m.Workspace)
	if err := checkTemplate(ctx, m.Loop); err != nil {
		return m, err
	}
	if p := e.program(ctx); p != "cursor-ralph" {
		m.Loop.Program = commands.Invocation(p, runtime.GOOS)
	}
	return m, nil
}

// modeFolder is the workspace that is meant.
func (e *env) modeFolder() (string, error) {
	named := e.text("workspace")
	if named == "" {
		return e.workspace()
	}
	folder, err := filepath.Abs(named)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return "", misuse(folder+": is not a folder", "name the folder that Cursor has open")
	} else if err != nil && e.flags.Arg(0) == "on" { // what is gone can still be switched off
		return "", misuse(err.Error(), "name the folder that Cursor has open")
	}
	return folder, nil
}

// setMode serves an editor that came by another way than this shell, through
// symbolic links, too: the hook looks for the name that the editor tells.
func (e *env) setMode(mode state.Mode) error {
	err := e.store.SetMode(mode)
	real, linkErr := filepath.EvalSymlinks(mode.Workspace)
	if err != nil || linkErr != nil || platform.SameFolder(runtime.GOOS, real, mode.Workspace) {
		return err
	}
	mode.Workspace = real
	return e.store.SetMode(mode)
}

// modeWords tells where loop mode is on, until when and with which rules.
func modeWords(m state.Mode) string {
	words := fmt.Sprintf("Loop mode is on in %s until %s", m.Workspace, m.Until.Local().Format("2006-01-02 15:04"))
	if options := optionsOf(m.Loop); options != "" {
		words += ", with " + options
	}
	return words + "."
}

// optionsOf are those that make a loop other than one without any.
func optionsOf(l loop.State) string {
	given, byDefault := fieldsOf(l), fieldsOf(loop.New())
	var list []string
	for _, o := range loop.Options() {
		field := strings.ReplaceAll(o.Name, "-", "_")
		value := fmt.Sprint(given[field])
		switch {
		case value == fmt.Sprint(byDefault[field]):
		case o.Arg == "":
			list = append(list, "--"+o.Name)
		case strings.ContainsAny(value, " \t\n\"'"):
			list = append(list, fmt.Sprintf("--%s %q", o.Name, value))
		default:
			list = append(list, "--"+o.Name+" "+value)
		}
	}
	return strings.Join(list, " ")
}

// fieldsOf gives the fields of a state file, whose names are those of the
// options.
func fieldsOf(l loop.State) map[string]any {
	data, err := l.Encode()
	fields := map[string]any{}
	if err == nil {
		_ = json.Unmarshal(data, &fields) // it was encoded just now
	}
	return fields
}

// warnUnheard tells of an installation in which loop mode does nothing.
func (e *env) warnUnheard(folder string) error {
	for _, path := range append(e.hookFiles(), filepath.Join(folder, ".cursor", "hooks.json")) {
		raw, err := readSmall(path)
		text := string(raw)
		if err == nil && strings.Contains(text, "cursor-ralph-hook") && strings.Contains(text, "beforeSubmitPrompt") {
			return nil
		}
	}
	return e.say("But our hook is not told of messages here: no hooks.json has it at beforeSubmitPrompt. See cursor-ralph doctor.")
}

func (e *env) loopModeOff() error {
	if err := e.onlyFlags("workspace"); err != nil {
		return err
	}
	folder, err := e.modeFolder()
	if err != nil {
		return err
	}
	on, _ := e.store.Modes()
	here := modesOf(folder, on)
	if err := e.store.EndMode(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return permission(err)
	}
	for _, m := range here {
		if err := e.store.EndMode(m.Workspace); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return permission(err)
		}
	}
	if len(here) == 0 {
		return e.say("Loop mode was not on in %s.%s", folder, elsewhere(on))
	}
	return e.say("Loop mode is off in %s. Loops that it started go on; cursor-ralph cancel ends one.", folder)
}

// onlyFlags refuses options that say something about another word.
func (e *env) onlyFlags(names ...string) (err error) {
	e.flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) {
			err = misuse(fmt.Sprintf("loop-mode %s takes no --%s", e.flags.Arg(0), f.Name), "`cursor-ralph help loop-mode` shows what it takes")
		}
	})
	return err
}

// modesOf are those of a folder, also under other names of it.
func modesOf(folder string, modes []state.Mode) (here []state.Mode) {
	for _, m := range modes {
		a, errA := os.Stat(folder)
		b, errB := os.Stat(m.Workspace)
		if platform.SameFolder(runtime.GOOS, folder, m.Workspace) || errA == nil && errB == nil && os.SameFile(a, b) {
			here = append(here, m)
		}
	}
	return here
}

func elsewhere(on []state.Mode) string {
	var words strings.Builder
	for _, m := range on {
		words.WriteString("\n" + modeWords(m))
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
	if _, err := e.store.Mode(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return problem(err.Error(), "so it counts as off; `cursor-ralph loop-mode off` removes the file")
	}
	on, _ := e.store.Modes()
	here := modesOf(folder, on)
	switch {
	case e.isSet("json") && len(here) > 0:
		return e.json(modeStatus{here[0].Workspace, true, here[0].Since, here[0].Until, optionsOf(here[0].Loop)})
	case e.isSet("json"):
		return e.json(modeStatus{Workspace: folder})
	case len(here) > 0:
		return e.say("%s\nTo switch it off: cursor-ralph loop-mode off", modeWords(here[0]))
	}
	return e.say("Loop mode is off in %s.%s", folder, elsewhere(on))
}

// checkLoopMode tells where loop mode is on: who forgot it wonders about loops.
func checkLoopMode(_ context.Context, e *env) (found []finding) {
	on, problems := e.store.Modes()
	for _, m := range on {
		found = append(found, remark(modeWords(m), "if it should not: cursor-ralph loop-mode off --workspace "+commands.Quote(m.Workspace, runtime.GOOS)))
	}
	for _, p := range problems {
		found = append(found, wrong("it counts as off, because its file cannot be read: "+p.Error(), "remove the file, and switch it on again"))
	}
	if len(found) == 0 {
		found = append(found, fine("off in every workspace"))
	}
	return found
}
