package main

import (
	"os"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/checkpoints"
	"github.com/cursor-ralph/cursor-ralph/internal/survey"
)

func (e *env) survey() survey.Survey { return survey.Survey{Places: e.Places, Env: os.Environ()} }

func (e *env) checkpoints() checkpoint.Places { return checkpoints.Places(e.Places) }
