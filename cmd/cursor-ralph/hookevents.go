package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// hookEvents prints what hooks are given, as the simulated Cursor gives it.
func hookEvents(_ context.Context, e *env, args []string) error {
	samples := simcursor.Samples()
	if len(args) == 1 {
		for _, s := range samples {
			if s.Event == args[0] {
				return e.printSample(s)
			}
		}
		return hint.Misuse(fmt.Sprintf("unknown event %q", args[0]), "one of: "+strings.Join(simcursor.AllEvents(), ", "))
	}
	if e.IsSet("json") {
		var all []json.RawMessage
		for _, s := range samples {
			all = append(all, s.Payload)
		}
		return e.JSON(all)
	}
	for _, s := range samples {
		if err := e.Say("# %s", s.Event); err != nil {
			return err
		}
		if err := e.printSample(s); err != nil {
			return err
		}
	}
	return nil
}

// printSample prints one event: on one line, as Cursor sends it, with --json.
func (e *env) printSample(s simcursor.Sample) error {
	var b bytes.Buffer
	if e.IsSet("json") {
		b.Write(s.Payload)
	} else if err := json.Indent(&b, s.Payload, "", "  "); err != nil {
		return err
	}
	return e.Say("%s", b.String())
}
