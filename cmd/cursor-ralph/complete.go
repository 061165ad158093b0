package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/agents"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// complete answers the completion scripts of all shells. Its arguments are = with the
// word at the cursor behind it, and the words before that. It prints a candidate and
// what it is about a line, with a tab between them; or :files or :folders, which the
// shell completes itself.
func complete(_ context.Context, e *env, args []string) error {
	word, ok := strings.CutPrefix(strings.Join(args[:min(1, len(args))], ""), "=")
	if !ok {
		return nil
	}
	var b strings.Builder
	for _, c := range e.fitting(joined(args[1:], word)) {
		fmt.Fprintf(&b, "%s\t%s\n", c.value, cli.Shortened(c.about, aboutWidth))
	}
	_, err := fmt.Fprint(e.Stdout, b.String())
	return err
}

// onlyFirst leaves options behind the first argument to the command itself.
func onlyFirst(f *pflag.FlagSet) { f.SetInterspersed(false) }

// aboutWidth is how many characters of a task or an option's usage are shown.
const aboutWidth = 60

type candidate struct{ value, about string }

// The shell completes these.
var (
	files   = []candidate{{value: ":files"}}
	folders = []candidate{{value: ":folders"}}
)

// line is a command line up to the cursor.
type line struct {
	words  []string // before the cursor's
	word   string   // at the cursor
	prefix string   // of the word, which stays: --name=
}

// joined puts an option and its value in two words: bash splits at the =, other
// shells do not.
func joined(words []string, word string) line {
	n := len(words)
	switch {
	case word == "=" && n > 0:
		return line{words: words}
	case n > 1 && words[n-1] == "=" && strings.HasPrefix(words[n-2], "--"):
		return line{words: words[:n-1], word: word}
	}
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "--") {
		return line{append(slices.Clone(words), name), value, name + "="}
	}
	return line{words: words, word: word}
}

// fitting is what may stand at the cursor.
func (e *env) fitting(l line) (fit []candidate) {
	all := e.possible(l)
	if len(all) > 0 && strings.HasPrefix(all[0].value, ":") {
		return all
	}
	for _, c := range all {
		if strings.HasPrefix(c.value, l.word) {
			fit = append(fit, candidate{l.prefix + c.value, c.about})
		}
	}
	return fit
}

func (e *env) possible(l line) []candidate {
	if len(l.words) == 0 || l.words[0] == "help" && len(l.words) == 1 {
		return commandNames()
	}
	c, ok := find(l.words[0])
	if !ok {
		return nil
	}
	flags := flagSet(c)
	if name, ok := strings.CutPrefix(l.words[len(l.words)-1], "--"); ok && takesValue(flags, name) {
		return optionValues(name, l.word)
	}
	if strings.HasPrefix(l.word, "-") {
		return optionNames(flags)
	}
	return e.arguments(c, arguments(flags, l.words[1:]))
}

func takesValue(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.NoOptDefVal == ""
}

func commandNames() []candidate {
	list := []candidate{{"help", "show the commands, or the options of one"}}
	for _, c := range visible() {
		list = append(list, candidate{c.name, c.summary})
	}
	return list
}

func optionNames(flags *pflag.FlagSet) []candidate {
	list := []candidate{{"--help", "show the options"}}
	flags.VisitAll(func(f *pflag.Flag) {
		_, usage := pflag.UnquoteUsage(f)
		list = append(list, candidate{"--" + f.Name, usage})
	})
	return list
}

// optionValues are the values of an option, which mean the same in every command.
func optionValues(name, word string) []candidate {
	switch name {
	case "file", "prompt-template", "session", "hook":
		return files
	case "project", "workspace":
		return folders
	case "agent", "review":
		return plain(agents.Names()...)
	case "method":
		return plain(keystroke.Names()...)
	case "injectors": // a list
		before := word[:strings.LastIndexByte(word, ',')+1]
		list := plain(keystroke.Names()...)
		for i := range list {
			list[i].value = before + list[i].value
		}
		return append(list, candidate{"none", "type nothing"})
	}
	return plain(choices()[name]...)
}

// choices are the values of options that have only a few.
func choices() map[string][]string {
	return map[string][]string{
		"promise-match":      {"exact", "lenient", "bare"},
		"promise-position":   {"anywhere", "last-line"},
		"on-promise-no-work": {"reject", "warn", "accept"},
		"on-error":           {"pause", "retry"},
		"on-stall":           {"notify", "continue"},
		"permissions":        {"ask", "edits", "all", "none"},
		"submit-key":         {"return", "ctrl+enter", "cmd+enter"},
		"session-limit":      {"auto", "none"},
		"place":              {"user", "project"},
	}
}

func plain(values ...string) (list []candidate) {
	for _, v := range values {
		list = append(list, candidate{value: v})
	}
	return list
}

// arguments are the words that are neither options nor their values.
func arguments(flags *pflag.FlagSet, words []string) (list []string) {
	for i := 0; i < len(words); i++ {
		name, isOption := strings.CutPrefix(words[i], "--")
		switch {
		case isOption && takesValue(flags, name):
			i++
		case !isOption:
			list = append(list, words[i])
		}
	}
	return list
}

// arguments are what may come next, by the words of the command's usage.
func (e *env) arguments(c command, before []string) []candidate {
	words := strings.Fields(c.args)
	if len(before) >= len(words) {
		return nil
	}
	switch next := words[len(before)]; {
	case strings.Contains(next, "|"):
		return plain(strings.Split(next, "|")...)
	case next == "[id]" || next == "<id>":
		return e.loopIDs(func(l loop.State) bool { return c.name != "continue" || l.Status.Resumable() })
	case next == "[event]":
		return plain(simcursor.AllEvents()...)
	case next == "[file]" || next == "<hooks.json>":
		return files
	}
	return nil
}

// loopIDs are the ids of the loops that fit, those that have not ended first.
func (e *env) loopIDs(fits func(loop.State) bool) (list []candidate) {
	all, _ := e.Loops.All(time.Time{}) // doctor shows what cannot be read
	for _, l := range slices.Backward(all) {
		if l.Err == nil && fits(l.State) {
			v := e.View(l.State, l.IsInterrupted())
			list = append(list, candidate{v.ID, v.Words() + ": " + v.Prompt})
		}
	}
	return list
}
