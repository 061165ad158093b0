package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ParseLine sets the flags from the arguments of start or run, and returns the task. It is
// the parser of the chat's line: pflag would put words that were meant as a part of an
// option's value into the task.
func (e *Env) ParseLine(args []string) (task []string, err error) {
	command := e.Flags.Name()
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--help" || arg == "-h" {
			return nil, pflag.ErrHelp
		}
		if isShortOption.MatchString(arg) {
			return nil, hint.Misuse(command+": unknown option "+arg, "`cursor-ralph help "+command+"` shows the options")
		}
	}
	text, given, err := cmdline.ParseArgs(args, optionsOf(e.Flags))
	if err != nil {
		lines := cmdline.Explained("cursor-ralph "+command, err)
		return nil, hint.Misuse(command+": "+lines[0], strings.Join(append(lines[1:], "nothing was started; `cursor-ralph help "+command+"` shows the options"), "\n"))
	}
	for _, o := range given {
		if o.Value == "" && e.Flags.Lookup(o.Name).Value.Type() == "bool" {
			o.Value = "true"
		}
		if err := e.Flags.Set(o.Name, o.Value); err != nil {
			return nil, err
		}
	}
	if text == "" {
		return nil, nil
	}
	return []string{text}, nil
}

var isShortOption = regexp.MustCompile("^-[A-Za-z]+$")

// optionsOf returns the options of a command. The loop's own check their values.
func optionsOf(flags *pflag.FlagSet) (options []loop.Option) {
	ofLoops := loop.Options()
	flags.VisitAll(func(f *pflag.Flag) {
		o := loop.Option{Name: f.Name}
		if f.Value.Type() != "bool" {
			o.Arg = "VALUE"
		}
		if at := slices.IndexFunc(ofLoops, func(o loop.Option) bool { return o.Name == f.Name }); at >= 0 {
			o = ofLoops[at]
		}
		options = append(options, o)
	})
	return options
}
