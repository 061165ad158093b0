package main

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// rendezvous prints the folder in which editor windows with our extension
// announce themselves, and creates it.
func rendezvous(_ context.Context, e *env, _ []string) error {
	folder := e.Places.Rendezvous()
	if err := ownfile.Folder(folder); err != nil {
		return err
	}
	return e.Say("%s", folder)
}
