package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

const helpHead = `cursor-ralph keeps Cursor's agent working until its task is done.

Usage: cursor-ralph <command> [arguments]
`

const helpTail = `
In Cursor:
  /ralph-loop "make the tests pass" --verify "make test"

Without an id, a command is about the loop of this chat, otherwise about the
only loop of this workspace. ` + "`cursor-ralph help <command>`" + ` shows its options.
`

func help(e *env, args []string) error {
	all := slices.Contains(args, "--all")
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--all" })
	if len(args) > 1 && args[1] != "help" {
		c, ok := find(args[1])
		if !ok {
			return unknownCommand(args[1])
		}
		return commandHelp(e, c)
	}
	fmt.Fprint(e.Stdout, helpHead)
	for _, g := range groups() {
		if g.title == forPrograms && !all {
			continue
		}
		fmt.Fprintf(e.Stdout, "\n%s:\n", g.title)
		for _, c := range g.commands {
			fmt.Fprintf(e.Stdout, "  %-16s%s\n", c.name, c.summary)
		}
	}
	_, err := fmt.Fprint(e.Stdout, helpTail)
	return err
}

func commandHelp(e *env, c command) error {
	fmt.Fprintf(e.Stdout, "cursor-ralph %s: %s\n\nUsage: cursor-ralph %s\n", c.name, c.summary, usage(c))
	if c.details != "" {
		fmt.Fprintf(e.Stdout, "\n%s\n", c.details)
	}
	if flags := flagSet(c); flags.HasAvailableFlags() {
		fmt.Fprintf(e.Stdout, "\nOptions:\n%s", flags.FlagUsagesWrapped(100))
	}
	_, err := fmt.Fprintf(e.Stdout, "\nExample:\n  cursor-ralph %s\n", c.example)
	return err
}

// visible returns the commands that help shows.
func visible() (list []command) {
	for _, g := range groups() {
		if g.title != forPrograms {
			list = append(list, g.commands...)
		}
	}
	return list
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
	if e.IsSet("json") {
		return e.JSON(struct {
			Schema  int    `json:"schema"`
			Version string `json:"version"`
			Go      string `json:"go"`
			OS      string `json:"os"`
			Arch    string `json:"arch"`
		}{view.Schema, versionOf(release, info), runtime.Version(), runtime.GOOS, runtime.GOARCH})
	}
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
