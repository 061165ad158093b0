package main

import (
	"flag"
	"fmt"
	"io"
	"strconv"
)

// defaultSessionLimit is what Cursor allows when hooks.json says nothing.
const defaultSessionLimit = 5

type flags struct {
	sessionLimit int // stops that Cursor lets us answer in a row, 0 for no limit
	minimal      bool
}

// parseFlags reads what the installer wrote into hooks.json. After an error
// the defaults stand.
func parseFlags(args []string) (flags, error) {
	f := flags{sessionLimit: defaultSessionLimit}
	set := flag.NewFlagSet("cursor-ralph-hook", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&f.minimal, "minimal", false, "")
	set.Int("timeout", 0, "") // tells cursor-ralph how long the stop hook may take
	set.Func("session-limit", "", func(v string) (err error) {
		f.sessionLimit, err = parseLimit(v)
		return err
	})
	if err := set.Parse(args); err != nil {
		return flags{sessionLimit: defaultSessionLimit, minimal: f.minimal}, fmt.Errorf("flags in hooks.json: %w", err)
	}
	return f, nil
}

func parseLimit(v string) (int, error) {
	if v == "none" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is neither a number from 1 nor none", v)
	}
	return n, nil
}
