package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
)

const commandsPage = "../../docs/commands.md"

// TestCommandsPage keeps docs/commands.md as the table of commands has it;
// `make docs` writes it.
func TestCommandsPage(t *testing.T) { golden.Matches(t, commandsPage, string(commandsMarkdown(t))) }

func commandsMarkdown(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# Commands\n\nWritten by `make docs`. `cursor-ralph help <command>` describes the options of one, with an example.\n\n" +
		"Without an id, a command is about the loop of this chat, otherwise about the only loop of this workspace. Exit codes:\n" +
		"0 is success, 1 a failure, 2 a wrong command line.\n")
	root := (&env{&cli.Env{}}).root()
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				fmt.Fprintf(&b, "- `%s`: %s\n", c.Use, strings.Join(append([]string{c.Short + "."}, optionsOf(c)...), " "))
			}
		}
	}
	return b.Bytes()
}

// optionsOf returns the names of a command's options: those of a loop are in docs/loops.md.
func optionsOf(c *cobra.Command) (names []string) {
	flags := c.Flags()
	takesAll := flags.Lookup("promise-match") != nil
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && !(takesAll && isLoopOption(f.Name)) {
			names = append(names, "`--"+f.Name+"`")
		}
	})
	if takesAll {
		names = append(names, "[those of a loop](loops.md#options)")
	}
	return names
}

// isLoopOption reports whether a flag is a setting of loops, which many commands take.
func isLoopOption(name string) bool {
	return slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Section == "loop" && s.Name == name })
}

// TestLoopOptionsAreDocumented: docs/loops.md has a row for each option of start, with its default.
func TestLoopOptionsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/loops.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Settings() {
		if s.Section != "loop" {
			continue
		}
		row := regexp.MustCompile("(?m)^\\| `--" + s.Name + "[ `].*\\|$").FindString(string(page))
		byDefault := s.Default
		switch byDefault {
		case "":
			byDefault = "none"
		case "false":
			byDefault = "off"
		}
		if !strings.Contains(row, "| "+byDefault+" |") {
			t.Errorf("--%s: got the row %q in docs/loops.md, want one with the default %q", s.Name, row, byDefault)
		}
	}
}
