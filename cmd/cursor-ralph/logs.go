package main

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func logFlags(f *pflag.FlagSet) {
	f.Int("lines", 40, "print the last `N` lines; 0 prints all")
	f.Bool("explain", false, "retell each decision in a plain sentence")
}

// showLog prints the hook's decisions, of one conversation or of all.
func showLog(_ context.Context, e *env, args []string) error {
	only := ""
	if len(args) > 1 {
		return misuse("too many arguments", "give at most one conversation id")
	}
	if len(args) > 0 {
		if err := loop.CheckID(args[0]); err != nil {
			return misuse(err.Error(), "`cursor-ralph list` shows the ids")
		}
		args[0] = e.complete(args[0])
		only = " conversation=" + args[0] + " "
	}
	lines, err := e.logLines(only)
	if err != nil {
		return err
	}
	n, err := e.flags.GetInt("lines")
	if err != nil || n < 0 {
		return misuse("--lines is less than 0", "0 prints all lines")
	}
	if n > 0 {
		lines = lines[max(0, len(lines)-n):]
	}
	switch {
	case len(lines) == 0 && only != "":
		return e.say("the log has no line about %s (%s)", args[0], e.places.Log())
	case len(lines) == 0:
		return e.say("the log is empty: the hook has decided nothing yet (%s)", e.places.Log())
	case e.isSet("explain"):
		return e.say("%s", strings.TrimRight(retold(lines, only == ""), "\n"))
	}
	return e.say("%s", strings.TrimRight(strings.Join(lines, ""), "\n"))
}

// logLines gives the lines of both log files that hold the text.
func (e *env) logLines(only string) (lines []string, err error) {
	for _, path := range []string{e.places.Log() + ".1", e.places.Log()} {
		data, _, err := ownfile.Read(path, 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, only) {
				lines = append(lines, line)
			}
		}
	}
	return lines, nil
}
