package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

// manPage is what the manual page says besides the commands and the variables.
//
//go:embed man.md
var manPage string

// man prints the manual page as Markdown. scripts/assets converts it to roff, so
// that our programs need not link a converter.
func man(_ context.Context, e *env, _ []string) error {
	var b strings.Builder
	head, tail, _ := strings.Cut(manPage, "@COMMANDS@\n\n")
	b.WriteString(head)
	for _, c := range visible() {
		manCommand(&b, c)
	}
	b.WriteString("# ENVIRONMENT\n\n")
	for _, v := range cli.Variables() {
		fmt.Fprintf(&b, "**%s**\n: %s\n\n", manText(v.Name), manText(v.Usage))
	}
	b.WriteString(tail)
	_, err := e.Stdout.Write([]byte(b.String()))
	return err
}

func manCommand(b *strings.Builder, c command) {
	fmt.Fprintf(b, "## %s\n\n**cursor-ralph** %s\n\n%s.\n", c.name, manText(usage(c)), manText(strings.ToUpper(c.summary[:1])+c.summary[1:]))
	if c.details != "" {
		fmt.Fprintf(b, "\n%s\n", manText(c.details))
	}
	flagSet(c).VisitAll(func(f *pflag.Flag) { manFlag(b, f) })
	fmt.Fprintf(b, "\nExample:\n\n    cursor-ralph %s\n\n", c.example)
}

func manFlag(b *strings.Builder, f *pflag.Flag) {
	value, text := pflag.UnquoteUsage(f)
	fmt.Fprintf(b, "\n**--%s**", f.Name)
	if value != "" {
		fmt.Fprintf(b, " *%s*", manText(value))
	}
	fmt.Fprintf(b, "\n: %s", manText(text))
	if zero := f.DefValue == "" || f.DefValue == "false" || f.DefValue == "0" || f.DefValue == "0s" || f.DefValue == "[]"; !zero {
		fmt.Fprintf(b, " (default %s)", manText(f.DefValue))
	}
	b.WriteString("\n")
}

// manText escapes text for Markdown.
func manText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "#", `\#`).Replace(s)
}
