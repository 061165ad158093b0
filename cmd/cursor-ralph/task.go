package main

import (
	"context"
	"fmt"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// task prints a loop's task for its agent, word for word: a
// continuation over a host's limit leaves it out. On a user's screen nothing in it is obeyed.
func task(_ context.Context, e *env, args []string) error {
	found, err := e.Target(args)
	if err != nil {
		return err
	}
	words := found.State.Prompt
	if e.Screen().Width > 0 && !e.ByAgent() {
		words = text.Escape(words)
	}
	_, err = fmt.Fprintln(e.Stdout, words)
	return err
}
