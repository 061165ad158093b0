package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// misused says what is wrong with the command line of a command, once.
func misused(command, what string) error {
	return hint.Misuse(command+": "+what, "`cursor-ralph help "+command+"` shows what it takes")
}

// checkArgs compares arguments with c.args: [word] may be missing, and a|b is a choice.
func (c command) checkArgs(args []string) error {
	least, words := 0, strings.Fields(c.args)
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			least++
		}
	}
	what := ""
	switch choice := strings.Split(c.args, "|"); {
	case c.anyArgs:
	case len(args) > len(words):
		what = fmt.Sprintf("unexpected argument %q", args[len(words)])
	case len(args) < least:
		what = words[len(words)-1] + " is missing"
	case len(choice) > 1 && !slices.Contains(choice, args[0]):
		what = fmt.Sprintf("%q is not one of %s", args[0], strings.Join(choice, ", "))
	}
	if what == "" {
		return nil
	}
	return hint.Misuse(c.name+": "+what, "cursor-ralph "+usage(c))
}

func unknownCommand(name string) error {
	names := []string{"help"}
	for _, c := range table() {
		names = append(names, c.name)
	}
	return hint.Misuse(fmt.Sprintf("unknown command %q", name), hint.DidYouMean(name, names)+"`cursor-ralph help` lists the commands")
}

// badFlag words an error of pflag.
func badFlag(flags *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return misused(flags.Name(), "unknown option -"+unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		var names []string
		flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return hint.Misuse(flags.Name()+": unknown option --"+name, hint.DidYouMean("--"+name, names)+"`cursor-ralph help "+flags.Name()+"` shows the options")
	case errors.As(err, &missing):
		return misused(flags.Name(), "--"+missing.GetFlag().Name+" needs a value")
	case errors.As(err, &invalid):
		return misused(flags.Name(), fmt.Sprintf("--%s: %s", invalid.GetFlag().Name, wrongValue(invalid)))
	}
	return misused(flags.Name(), err.Error())
}

// wrongValue says what a value should be; the libraries that pflag quotes do not.
func wrongValue(err *pflag.InvalidValueError) string {
	what := map[string]string{"int": "a whole number", "bool": "true or false"}[err.GetFlag().Value.Type()]
	if what == "" {
		return err.Unwrap().Error()
	}
	return fmt.Sprintf("%q is not %s", err.GetValue(), what)
}
