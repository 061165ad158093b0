package main

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/checkpoints"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

func checkpointFileFlags(f *pflag.FlagSet) {
	f.Bool("before", false, "as it was at the checkpoint before")
}

// checkpointFile prints a file of an iteration as it was at the iteration's checkpoint, byte for byte. One that was not there
// then is empty.
func checkpointFile(ctx context.Context, e *env, args []string) error {
	l, err := e.Target(args[:1])
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(args[1])
	if err != nil || number < 1 {
		return hint.Misuse(args[1]+" is not the number of an iteration", "`cursor-ralph history` has them")
	}
	r, err := e.checkpoints().Read(l.State)
	if err != nil {
		return checkpoints.Hinted(l.State, err)
	}
	content, err := contentAt(ctx, r, checkpoint.After(number), args[2], e.IsSet("before"))
	if err != nil {
		return checkpoints.Hinted(l.State, err)
	}
	_, err = e.Stdout.Write(content)
	return err
}

func contentAt(ctx context.Context, r *checkpoint.Reader, n checkpoint.Name, file string, wantBefore bool) ([]byte, error) {
	after, err := r.Find(n)
	if err != nil {
		return nil, err
	}
	before, err := r.Before(after)
	if err != nil {
		return nil, err
	}
	changes, err := r.Changes(ctx, before, after)
	if err != nil {
		return nil, err
	}
	at, gone := after, "deleted"
	if wantBefore {
		at, gone = before, "added"
	}
	file = filepath.ToSlash(file)
	if c, changed := changeOf(changes, file); changed {
		if c.Kind() == gone {
			return nil, nil
		}
		file = c.Path
	}
	return r.Content(ctx, at, file)
}

// changeOf finds the change of a file, which the history names from the root of the work tree, or by its whole path.
func changeOf(changes []checkpoint.Change, file string) (found checkpoint.Change, ok bool) {
	for _, c := range changes {
		if c.Path == file || filepath.IsAbs(filepath.FromSlash(file)) && strings.HasSuffix(file, "/"+c.Path) && len(c.Path) > len(found.Path) {
			found, ok = c, true
		}
	}
	return found, ok
}
