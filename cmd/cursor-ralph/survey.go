package main

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/checkpoints"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/survey"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func surveyFlags(f *pflag.FlagSet) { new(handoff.Survey).Flags(f) }

// surveyLoop surveys the loop on standard input and prints the result as JSON. The
// caller keeps our standard input open while it waits.
func surveyLoop(ctx context.Context, e *env, _ []string) error {
	var data json.RawMessage
	var l loop.State
	in := json.NewDecoder(io.LimitReader(e.Stdin, 8*cli.MaxTask))
	err := in.Decode(&data)
	if err == nil {
		l, err = loop.Parse(data)
	}
	if err != nil {
		return hint.Misuse("standard input has no loop: "+err.Error(), "the hook runs this")
	}
	ctx, cancel := e.whileCalled(ctx)
	defer cancel()
	var call handoff.Survey
	e.Read(&call)
	v, err := e.survey().Take(ctx, l, call.Begin)
	if err != nil {
		return err
	}
	return json.NewEncoder(e.Stdout).Encode(v) // for a program, as the words are
}

func (e *env) survey() survey.Survey { return survey.Survey{Places: e.Places, Env: os.Environ()} }

func (e *env) checkpoints() checkpoint.Places { return checkpoints.Places(e.Places) }
