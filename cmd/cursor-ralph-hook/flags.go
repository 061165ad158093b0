package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
)

// auto is the session limit of a hook that goes by what this Cursor does.
const auto = -1

// mostSeconds is what a longer timeout counts as: more than any hook is waited
// for, and less than a time can hold.
const mostSeconds = 10 * 365 * 24 * 60 * 60

type flags struct {
	sessionLimit int // stops that Cursor lets us answer in a row, 0 for no limit, or auto
	minimal      bool
	quiet        bool          // no notifications
	guard        bool          // the event is one that the plan guard answers, whether it can be read or not
	timeout      time.Duration // of the stop entry in hooks.json, 0 if unknown
	linger       time.Duration // how long to stay after an answer that must not be lost
	typing       handoff.Typing
}

// parseFlags reads what the installer wrote into hooks.json. After an error
// the defaults stand.
func parseFlags(args []string) (flags, error) {
	defaults := flags{sessionLimit: hook.DefaultLoopLimit, linger: hook.Linger(runtime.GOOS)}
	f := defaults
	set := flag.NewFlagSet("cursor-ralph-hook", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&f.minimal, "minimal", false, "")
	set.BoolVar(&f.guard, "guard", false, "")
	set.BoolVar(&f.quiet, "no-notify", false, "")
	set.DurationVar(&f.linger, "linger", f.linger, "")
	seconds := set.Int("timeout", 0, "")
	f.typing.Flags(set)
	set.Func("session-limit", "", func(v string) (err error) {
		f.sessionLimit, err = parseLimit(v)
		return err
	})
	if err := set.Parse(args); err != nil {
		defaults.minimal, defaults.guard, defaults.quiet = f.minimal, f.guard, f.quiet
		return defaults, fmt.Errorf("flags in hooks.json: %w", err)
	}
	f.timeout = time.Duration(min(max(*seconds, 0), mostSeconds)) * time.Second
	return f, nil
}

func parseLimit(v string) (int, error) {
	switch v {
	case "none":
		return 0, nil
	case "auto":
		return auto, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is neither a number from 1, none nor auto", v)
	}
	return n, nil
}
