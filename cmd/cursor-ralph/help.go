package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"text/tabwriter"
)

func help(e *env, args []string) error {
	if len(args) > 1 && args[1] != "help" {
		c, ok := find(args[1])
		if !ok {
			return misuse(fmt.Sprintf("unknown command %q", args[1]), "`cursor-ralph help` lists the commands")
		}
		return commandHelp(e, c)
	}
	fmt.Fprintf(e.stdout, "cursor-ralph keeps the agent of the Cursor editor working until its task is done.\n\nUsage: cursor-ralph <command> [arguments]\n\nCommands:\n")
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, c := range table() {
		if !c.hidden {
			fmt.Fprintf(w, "  %s\t%s\n", c.name, c.summary)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "\nIn Cursor:\n  /ralph-loop \"make the tests pass\" --max-iterations 10\n\n`cursor-ralph help <command>` tells more. Without an id a command means the loop of\nthis chat, else the only loop of this workspace.\n")
	return nil
}

func commandHelp(e *env, c command) error {
	fmt.Fprintf(e.stdout, "cursor-ralph %s: %s\n\nUsage: cursor-ralph %s\n", c.name, c.summary, usage(c))
	if c.details != "" {
		fmt.Fprintf(e.stdout, "\n%s\n", c.details)
	}
	if flags := flagSet(c); flags.HasFlags() {
		fmt.Fprintf(e.stdout, "\nOptions:\n%s", flags.FlagUsagesWrapped(100))
	}
	_, err := fmt.Fprintf(e.stdout, "\nExample:\n  cursor-ralph %s\n", c.example)
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

// release is the version, set by the build of a release.
var release string

func version(_ context.Context, e *env, _ []string) error {
	info, _ := debug.ReadBuildInfo()
	_, err := io.WriteString(e.stdout, "cursor-ralph "+versionOf(release, info)+"\n")
	return err
}

// versionOf is the release, or what Go knows: the version of the module for go
// install, one made of the commit for a clone.
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
