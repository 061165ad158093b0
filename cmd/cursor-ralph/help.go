package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

func help(e *env, args []string) error {
	if len(args) > 1 && args[1] != "help" {
		c, ok := find(args[1])
		if !ok {
			return hint.Misuse(fmt.Sprintf("unknown command %q", args[1]), "`cursor-ralph help` lists the commands")
		}
		return commandHelp(e, c)
	}
	fmt.Fprintf(e.Stdout, "cursor-ralph keeps Cursor's agent working until its task is done.\n\nUsage: cursor-ralph <command> [arguments]\n\nCommands:\n")
	var rows [][]string
	for _, c := range visible() {
		rows = append(rows, []string{"  " + c.name, c.summary})
	}
	_, err := fmt.Fprint(e.Stdout, cli.Columns(rows), "\nIn Cursor:\n  /ralph-loop \"make the tests pass\" --max-iterations 10\n\n`cursor-ralph help <command>` shows the options of a command. Without an id, a command is\nabout the loop of this chat, otherwise about the only loop of this workspace.\n")
	return err
}

func commandHelp(e *env, c command) error {
	fmt.Fprintf(e.Stdout, "cursor-ralph %s: %s\n\nUsage: cursor-ralph %s\n", c.name, c.summary, usage(c))
	if c.details != "" {
		fmt.Fprintf(e.Stdout, "\n%s\n", c.details)
	}
	if flags := flagSet(c); flags.HasFlags() {
		fmt.Fprintf(e.Stdout, "\nOptions:\n%s", flags.FlagUsagesWrapped(100))
	}
	_, err := fmt.Fprintf(e.Stdout, "\nExample:\n  cursor-ralph %s\n", c.example)
	return err
}

func usage(c command) string {
	text := c.name
	if c.args != "" {
		text += " " + c.args
	}
	if flagSet(c).HasFlags() {
		text += " [options]"
	}
	return text
}

// release is set by the build of a release.
var release string

func version(_ context.Context, e *env, _ []string) error {
	info, _ := debug.ReadBuildInfo()
	_, err := io.WriteString(e.Stdout, "cursor-ralph "+versionOf(release, info)+"\n")
	return err
}

// versionOf returns the release, otherwise what Go knows: the version of the module
// after go install, one that contains the commit in a clone.
func versionOf(release string, info *debug.BuildInfo) string {
	switch {
	case release != "":
		return release
	case info == nil:
		return "of unknown origin"
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "at commit " + s.Value
		}
	}
	return "(devel)"
}
