package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/carried"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/doctor"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/editors"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

func editorFlags(f *pflag.FlagSet) {
	f.String("keep", "", "copy what the extension in `FOLDER` carries to where its update leaves it, and print where that is")
	f.StringArray("folder", nil, "with --keep: a `FOLDER` of the window, whose hooks.json may have our hook")
	f.String("leave", "", "the editor removes the extension in `FOLDER`: print the folder that can go, if no editor has it any more")
}

// editor remembers what the extension reports about its editor, and prints why its hooks do not run, if that is known.
func editor(ctx context.Context, e *env, _ []string) error {
	if extension := e.Text("keep"); extension != "" {
		return keep(ctx, e, extension)
	}
	if extension := e.Text("leave"); extension != "" {
		return leave(ctx, e, extension)
	}
	const largest = 64 << 10
	data, err := io.ReadAll(io.LimitReader(e.Stdin, largest))
	if err != nil {
		return err
	}
	report, err := editors.Parse(data, e.Now().UTC(), func(folder string) ([]byte, error) { return cli.ReadSmall(filepath.Join(folder, "product.json")) })
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

// kept is what the extension learns at its start.
type kept struct {
	carried.Copy
	Hooks string `json:"hooks,omitempty"` // the hooks.json that has our hook
}

func keep(ctx context.Context, e *env, extension string) error {
	folders, err := e.Flags.GetStringArray("folder")
	if err != nil {
		return err
	}
	place, err := carried.Keep(ctx, extension, copyFolder(e))
	if err != nil { // the hooks must run once nevertheless
		e.Warn("the programs stay in the extension's folder, and an update will remove them: %v", err)
		place = carried.Below(extension)
	}
	return e.JSON(kept{place, install.InstalledIn(e.Env, folders)})
}

func leave(ctx context.Context, e *env, extension string) error {
	root := copyFolder(e)
	last, err := carried.Leave(ctx, extension, root)
	if err != nil || !last {
		return err
	}
	return errors.Join(install.RemoveOf(e.Env, carried.Below(root).Hook()), e.Say("%s", root))
}

func copyFolder(e *env) string { return carried.Root(runtime.GOOS, e.HomeFolder(), e.Getenv) }

// rendezvous prints the folder in which editor windows with our extension
// announce themselves, and creates it.
func rendezvous(_ context.Context, e *env, _ []string) error {
	folder := e.Places.Rendezvous()
	if err := ownfile.Folder(folder); err != nil {
		return err
	}
	return e.Say("%s", folder)
}
