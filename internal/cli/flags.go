package cli

import (
	"io"

	"github.com/spf13/pflag"
)

// Options are what a command was called with.
type Options struct{ Flags *pflag.FlagSet }

// Text returns the value of a flag, empty if the command does not have it.
func (o Options) Text(flag string) string {
	v, _ := o.Flags.GetString(flag)
	return v
}

// IsSet reports whether a switch is on.
func (o Options) IsSet(name string) bool {
	f := o.Flags.Lookup(name)
	return f != nil && f.Value.String() == "true"
}

// JSONFlag adds --json.
func JSONFlag(f *pflag.FlagSet) { f.Bool("json", false, "print JSON") }

// FlagSet returns the flags of a command.
func FlagSet(name string, add func(*pflag.FlagSet)) *pflag.FlagSet {
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SortFlags = false
	if add != nil {
		add(set)
	}
	return set
}
