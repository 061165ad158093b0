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
	b.WriteString("# Commands\n\nWritten by `make docs` from the program's own commands; `cursor-ralph help <command>` says more, with an example.\n\n" +
		"Without an id, a command is about the loop of this chat, otherwise about the only loop of this workspace. Exit codes:\n" +
		"0 is success, 1 a failure, 2 a wrong command line. Errors and hints go to standard error.\n")
	told := map[string]bool{}
	root := (&env{&cli.Env{}}).root()
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden {
				commandSection(&b, c, told)
			}
		}
	}
	return b.Bytes()
}

// commandSection has each option in one line: those of a loop are in docs/loops.md, and what told has was described before.
func commandSection(b *bytes.Buffer, c *cobra.Command, told map[string]bool) {
	fmt.Fprintf(b, "\n### %s\n\n`cursor-ralph %s`: %s.\n", c.Name(), c.Use, c.Short)
	flags := c.Flags()
	takesAll := flags.Lookup("promise-match") != nil
	var lines string
	var again []string
	flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help" || takesAll && isLoopOption(f.Name):
		case told[f.Name+f.Usage]:
			again = append(again, "`--"+f.Name+"`")
		default:
			lines += optionLine(f)
			told[f.Name+f.Usage] = true
		}
	})
	if takesAll {
		again = append(again, "[the options of a loop](loops.md#options)")
	}
	if len(again) > 0 {
		lines += "- also " + strings.Join(again, ", ") + "\n"
	}
	if lines != "" {
		b.WriteString("\n" + lines)
	}
}

func optionLine(f *pflag.Flag) string {
	value, text := pflag.UnquoteUsage(f)
	line := "- `--" + f.Name
	if value != "" {
		line += " " + value
	}
	line += "`: " + text
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
		return line + "\n"
	}
	return line + " (default " + strings.TrimSuffix(f.DefValue, "0m0s") + ")\n"
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
