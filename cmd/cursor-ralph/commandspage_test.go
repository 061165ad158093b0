package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

var update = flag.Bool("update", false, "write docs/commands.md and the loop settings in docs/settings.md")

const commandsPage = "../../docs/commands.md"

// TestCommandsPage keeps docs/commands.md as the table of commands has it;
// `make docs` writes it.
func TestCommandsPage(t *testing.T) {
	want := commandsMarkdown(t)
	if *update {
		if err := os.WriteFile(commandsPage, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(commandsPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table of commands says: run `make docs`", commandsPage)
	}
}

func commandsMarkdown(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# Commands\n\nWritten from the program's own table by `make docs`; `cursor-ralph help <command>` prints the same.\n\n" +
		"Without an id, a command is about the loop of this chat, otherwise about the only loop of this workspace. The beginning\n" +
		"of an id is enough if no other id begins so. Exit codes: 0 is success, 1 a failure, 2 a wrong command line. Errors and\n" +
		"hints go to standard error.\n\n" +
		"| command | |\n|---|---|\n")
	for _, c := range visible() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", c.name, c.name, cell(c.summary))
	}
	for _, c := range visible() {
		helpSection(t, &b, c)
	}
	b.WriteString("\n## For agents and hooks\n\nShown by `cursor-ralph help --all`.\n\n| command | |\n|---|---|\n")
	for _, g := range groups() {
		if g.title != forPrograms {
			continue
		}
		for _, c := range g.commands {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace(c.name+" "+c.args), cell(c.summary))
		}
	}
	b.WriteString("\n## Environment\n\n[Settings](settings.md) says more.\n\n| variable | |\n|---|---|\n")
	for _, v := range cli.Variables() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.Name, cell(v.Usage))
	}
	return b.Bytes()
}

func helpSection(t *testing.T, b *bytes.Buffer, c command) {
	t.Helper()
	var out bytes.Buffer
	if err := commandHelp(&env{&cli.Env{Stdout: &out}}, c); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(out.String(), "\n\n") // the heading says the rest of the first line
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n```text\n%s```\n", c.name, sentence(c.summary), rest)
}

func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

func cell(words string) string { return strings.ReplaceAll(words, "|", `\|`) }
