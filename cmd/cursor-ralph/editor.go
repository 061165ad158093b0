package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/doctor"
	"github.com/cursor-ralph/cursor-ralph/internal/editors"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

func editorFlags(f *pflag.FlagSet) {
	f.String("plugin", "", "make this copy of the plugin `FOLDER` call the programs by their paths instead")
	f.String("hook", "cursor-ralph-hook", "the `PATH` of the hook in it")
	f.String("program", "cursor-ralph", "the `PATH` of cursor-ralph in its slash commands")
}

// editor remembers what the extension reports about its editor, and prints why its hooks do not run, if that is known.
func editor(_ context.Context, e *env, _ []string) error {
	if folder := e.Text("plugin"); folder != "" {
		return withPaths(folder, e.Text("hook"), e.Text("program"))
	}
	const largest = 64 << 10
	data, err := io.ReadAll(io.LimitReader(e.Stdin, largest))
	if err != nil {
		return err
	}
	report, err := editors.Parse(data, e.Now().UTC())
	if err != nil {
		return hint.Misuse("the report is not valid: "+err.Error(), "the extension writes it as JSON on standard input")
	}
	if err := editors.Remember(e.Places.Archive, report); err != nil {
		return err
	}
	why := ""
	if report.Hooks == editors.ByPlugin {
		why = doctor.PluginsOff(e.Env)
	}
	if why == "" {
		return nil
	}
	return e.Say("%s", why)
}

// withPaths rewrites a plugin folder: the shells of Cursor and of its agent may not find our programs by name.
func withPaths(folder, hook, program string) error {
	hooks := filepath.Join(folder, "hooks", "hooks.json")
	raw, err := os.ReadFile(hooks)
	if err != nil {
		return err
	}
	if raw, err = commands.PluginHooks(raw, hook, runtime.GOOS); err != nil {
		return err
	}
	files, err := commands.SlashCommands(program, runtime.GOOS)
	if err != nil {
		return err
	}
	for _, f := range append(files, commands.File{Path: filepath.Join("..", "hooks", "hooks.json"), New: raw}) {
		if err := os.WriteFile(filepath.Join(folder, "commands", f.Path), f.New, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// rendezvous prints the folder in which editor windows with our extension
// announce themselves, and creates it.
func rendezvous(_ context.Context, e *env, _ []string) error {
	folder := e.Places.Rendezvous()
	if err := ownfile.Folder(folder); err != nil {
		return err
	}
	return e.Say("%s", folder)
}
