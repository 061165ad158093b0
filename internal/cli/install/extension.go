package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
)

// extensionID is the extension's name in Open VSX: publisher.name of extension/package.json.
const extensionID = "cursor-ralph.cursor-ralph"

func vsixName(goos, goarch string) string {
	if goos == "windows" {
		goos = "win32"
	}
	if goarch == "amd64" {
		goarch = "x64"
	}
	return "cursor-ralph-" + goos + "-" + goarch + ".vsix"
}

// vsixFor returns the extension's file: the one that the user names, else the one that came with this program.
func vsixFor(args []string, self, goos, goarch string) (string, error) {
	if len(args) > 0 {
		file, err := filepath.Abs(args[0])
		switch {
		case err != nil:
			return "", err
		case !strings.HasSuffix(file, ".vsix"):
			return "", hint.Misuse(file+" is not a .vsix", "give the extension's file, such as "+vsixName(goos, goarch))
		case !cli.IsFile(file):
			return "", hint.Misuse(file+" does not exist, or is not a file", "give the extension's file, such as "+vsixName(goos, goarch))
		}
		return file, nil
	}
	dir := filepath.Dir(self)
	for _, folder := range []string{dir, filepath.Join(dir, "share", "cursor-ralph"), filepath.Join(filepath.Dir(dir), "share", "cursor-ralph")} {
		if file := filepath.Join(folder, vsixName(goos, goarch)); cli.IsFile(file) {
			return file, nil
		}
	}
	return "", hint.New(fmt.Sprintf("%s is neither beside %s nor in its share folder", vsixName(goos, goarch), self),
		"get it from the release, or build it with `make extension`; then: cursor-ralph install --extension FILE")
}

// installExtension installs the editor extension by Cursor's command, or only shows that.
func installExtension(ctx context.Context, e *cli.Env, args []string) error {
	if err := extensionAlone(e); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	file, err := vsixFor(args, self, runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	if err := runCursor(ctx, e, "--install-extension", file, "--force"); err != nil || e.IsSet("dry-run") {
		return err
	}
	note := ""
	for _, path := range HookFiles(e) {
		if InstalledAt(path).Any() {
			note = "; " + path + " has our hook, so the extension does not register its own"
		}
	}
	return e.Say("installed the extension into Cursor; reload its windows%s", note)
}

func uninstallExtension(ctx context.Context, e *cli.Env) error {
	if err := extensionAlone(e); err != nil {
		return err
	}
	if err := runCursor(ctx, e, "--uninstall-extension", extensionID); err != nil || e.IsSet("dry-run") {
		return err
	}
	return e.Say("removed the extension from Cursor; its programs go when Cursor starts again, your loops and their records stay")
}

// RemoveOf takes our hook and slash commands out of Cursor if the hook is a program that is about to go.
func RemoveOf(e *cli.Env, hook string) error {
	user, err := CursorFolder(e, "")
	if err != nil {
		return err
	}
	called := commands.Invocation(hook, runtime.GOOS)
	installed := InstalledAt(filepath.Join(user, "hooks.json")).Commands
	if !slices.ContainsFunc(installed, func(command string) bool { return strings.HasPrefix(command, called) }) {
		return nil
	}
	change, err := commands.PlanRemoval(commands.Options{Folder: user})
	if err != nil {
		return err
	}
	return change.Apply()
}

func extensionAlone(e *cli.Env) error {
	other := ""
	e.Flags.Visit(func(f *pflag.Flag) {
		if f.Name != "extension" && f.Name != "dry-run" {
			other = f.Name
		}
	})
	if other == "" {
		return nil
	}
	return hint.Misuse("--"+other+" has no effect with --extension", "the extension brings its own hooks: leave out one of the two")
}

const patience = 2 * time.Minute

func runCursor(ctx context.Context, e *cli.Env, args ...string) error {
	cursor, err := keystroke.CursorCommand(keystroke.Machine{OS: runtime.GOOS, Env: os.Environ()})
	if err != nil {
		return hint.Add(err, "in Cursor's command palette: \"Shell Command: Install 'cursor' command\"; or there: \"Extensions: Install from VSIX...\"")
	}
	line := strings.Join(append([]string{cursor}, args...), " ")
	if e.IsSet("dry-run") {
		return e.Say("would run %s\nnothing was changed (--dry-run)", line)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const limit = 1 << 20
	out, err := proc.Command{Path: cursor, Args: args, Limit: limit}.Output(ctx)
	if err == nil || errors.Is(err, proc.ErrHeld) {
		return nil
	}
	advice := "run it yourself to see why"
	if said := text.Line(string(out)); said != "" {
		advice = "Cursor says: " + text.Limit(said, 300)
	}
	return hint.New(fmt.Sprintf("%s failed: %v", line, err), advice)
}
