package main

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
)

// guard watches over the process that started it, while that types, and serves
// what it leaves on the clipboard.
func guard(_ context.Context, e *env, _ []string) error {
	return keystroke.Guard(e.stdin, e.stdout, e.getenv)
}
