package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// completion prints a script that completes commands and their options.
func completion(_ context.Context, e *env, args []string) error {
	scripts := map[string]func() string{"bash": bash, "zsh": zsh, "fish": fish, "powershell": powershell}
	_, err := fmt.Fprint(e.Stdout, scripts[args[0]]())
	return err
}

func names() string {
	var list []string
	for _, c := range visible() {
		list = append(list, c.name)
	}
	return strings.Join(list, " ")
}

func options(c command) []string {
	list := []string{"--help"}
	flagSet(c).VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
	return list
}

func bash() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# cursor-ralph completion for bash: source it from ~/.bashrc\n_cursor_ralph() {\n\tlocal cur=\"${COMP_WORDS[COMP_CWORD]}\" words=%q\n\tif [ \"$COMP_CWORD\" -gt 1 ]; then\n\t\tcase \"${COMP_WORDS[1]}\" in\n", names())
	for _, c := range visible() {
		fmt.Fprintf(&b, "\t\t%s) words=%q ;;\n", c.name, strings.Join(options(c), " "))
	}
	b.WriteString("\t\tesac\n\tfi\n\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\ncomplete -F _cursor_ralph cursor-ralph\n")
	return b.String()
}

func zsh() string {
	var b strings.Builder
	b.WriteString("#compdef cursor-ralph\n_cursor_ralph() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a list=(\n")
	for _, c := range visible() {
		fmt.Fprintf(&b, "\t\t\t%s\n", quote(c.name+":"+c.summary))
	}
	b.WriteString("\t\t)\n\t\t_describe command list\n\t\treturn\n\tfi\n\tcase $words[2] in\n")
	for _, c := range visible() {
		fmt.Fprintf(&b, "\t%s) compadd -- %s ;;\n", c.name, strings.Join(options(c), " "))
	}
	b.WriteString("\tesac\n}\nif [ \"$funcstack[1]\" = _cursor_ralph ]; then _cursor_ralph \"$@\"; else compdef _cursor_ralph cursor-ralph; fi\n")
	return b.String()
}

func fish() string {
	var b strings.Builder
	b.WriteString("complete -c cursor-ralph -f\n")
	for _, c := range visible() {
		fmt.Fprintf(&b, "complete -c cursor-ralph -n __fish_use_subcommand -a %s -d %s\n", c.name, quote(c.summary))
		flagSet(c).VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, "complete -c cursor-ralph -n '__fish_seen_subcommand_from %s' -l %s -d %s\n", c.name, f.Name, quote(usage))
		})
	}
	return b.String()
}

func powershell() string {
	var b strings.Builder
	b.WriteString("Register-ArgumentCompleter -Native -CommandName cursor-ralph -ScriptBlock {\n\tparam($word, $ast, $position)\n\t$options = @{\n")
	for _, c := range visible() {
		fmt.Fprintf(&b, "\t\t'%s' = '%s'\n", c.name, strings.Join(options(c), " "))
	}
	fmt.Fprintf(&b, "\t}\n\t$elements = $ast.CommandElements\n\t$words = '%s'\n\tif ($elements.Count -gt 2 -or ($elements.Count -eq 2 -and $word -eq '')) { $words = $options[\"$($elements[1])\"] }\n\t\"$words\".Split(' ') | Where-Object { $_ -like \"$word*\" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }\n}\n", names())
	return b.String()
}

// quote writes text as one word for a POSIX shell or fish, apostrophes left
// out of the summaries.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "’") + "'" }
