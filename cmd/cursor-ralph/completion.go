package main

import (
	"context"
	"embed"
)

// scripts ask cursor-ralph __complete what fits.
//
//go:embed completion
var scripts embed.FS

// completion prints the script of a shell.
func completion(_ context.Context, e *env, args []string) error {
	script, err := scripts.ReadFile("completion/" + args[0])
	if err == nil {
		_, err = e.Stdout.Write(script)
	}
	return err
}
