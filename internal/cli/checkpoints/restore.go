package checkpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// RestoreFlags adds the flags of restore.
func RestoreFlags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.Bool("dry-run", false, "change nothing; show what would change")
}

// Restore makes the work tree what it was at a checkpoint.
func Restore(ctx context.Context, e *cli.Env, args []string) error {
	id, name, named := split(e.Loops, args)
	if !checkpoint.Name(name).IsValid() {
		return hint.Misuse(fmt.Sprintf("%.40q is no checkpoint", cmp.Or(name, strings.Join(args, " "))), "cursor-ralph restore [id] n [FILE...]; `cursor-ralph diff` lists them")
	}
	found, err := render.Chosen(e, id)
	if err != nil {
		return err
	}
	l, dry := found.State, e.IsSet("dry-run")
	if !dry {
		if err := checkRests(e, found); err != nil {
			return err
		}
	}
	files, err := filesIn(git.Root(l.Workspace), named)
	if err != nil {
		return err
	}
	done, err := Places(e.Places).Restore(ctx, l, checkpoint.Name(name), dry, files...)
	if err != nil && done.Before.Commit == "" {
		return Hinted(l, err)
	}
	if e.IsSet("json") {
		return errors.Join(e.JSON(restoredOf(l, name, dry, done)), err)
	}
	return errors.Join(e.Say("%s", said(l, name, dry, done)), err)
}

func checkRests(e *cli.Env, found loops.Loop) error {
	if works(e, found) {
		return isWorking(found.State)
	}
	current, _ := e.Loops.Usable() // doctor shows what cannot be read
	for _, other := range current {
		if sameTree(other.State.Workspace, found.State.Workspace) && works(e, other) {
			return isWorking(other.State)
		}
	}
	return nil
}

// sameTree reports whether two workspaces are in one work tree, of which a restore changes
// all files.
func sameTree(a, b string) bool {
	root := git.Root(a)
	return cli.SameFolder(a, b) || root != "" && cli.SameFolder(root, git.Root(b))
}

func works(e *cli.Env, found loops.Loop) bool {
	l := found.State
	if l.Outer() {
		return e.Lives(l)
	}
	return found.IsLive() && (l.Status != loop.Paused || !l.Idle || l.IsLastTurn(e.Now()))
}

func isWorking(l loop.State) error {
	id := l.ShortID()
	if l.Outer() {
		return hint.New(fmt.Sprintf("the run %s goes on in this work tree, so nothing was restored", id), "end it with Ctrl-C, or `cursor-ralph cancel "+id+"`")
	}
	return hint.New(fmt.Sprintf("the loop %s runs in this work tree, so nothing was restored", id),
		"`cursor-ralph pause "+id+"` and wait for the end of the turn, or `cursor-ralph cancel "+id+"`")
}

type restored struct {
	Schema   int             `json:"schema"`
	ID       string          `json:"id"`
	Restored checkpoint.Name `json:"restored"`
	DryRun   bool            `json:"dry_run"`
	Before   checkpoint.Name `json:"before,omitempty"`
	Files    []changed       `json:"files"`
	Kept     []keptFile      `json:"kept,omitempty"`
}

type keptFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func restoredOf(l loop.State, name string, dry bool, done checkpoint.Restored) restored {
	r := restored{view.Schema, l.ShortID(), checkpoint.Name(name), dry, done.Before.Name, changesOf(done.Changes), nil}
	for _, k := range done.Kept {
		r.Kept = append(r.Kept, keptFile{k.Path, k.Why})
	}
	return r
}

func verb(kind string, dry bool) string {
	verbs := map[string][2]string{"added": {"created", "would create"}, "deleted": {"removed", "would remove"}, "changed": {"changed", "would change"}}
	if dry {
		return verbs[kind][1]
	}
	return verbs[kind][0]
}

func said(l loop.State, name string, dry bool, done checkpoint.Restored) string {
	var b strings.Builder
	for _, c := range done.Changes {
		fmt.Fprintf(&b, "%s %s\n", verb(c.Kind(), dry), text.Escape(text.Line(c.Path)))
	}
	for _, k := range done.Kept {
		fmt.Fprintf(&b, "kept %s: %s\n", text.Escape(text.Line(k.Path)), text.Escape(k.Why))
	}
	id := l.ShortID()
	switch {
	case len(done.Changes) == 0:
		fmt.Fprintf(&b, "nothing to restore: the files are as at checkpoint %s of %s", name, id)
		if len(done.Kept) > 0 {
			b.WriteString(", except those listed above")
		}
	case dry:
		fmt.Fprintf(&b, "would restore %s to checkpoint %s of %s", text.Count(len(done.Changes), "file"), name, id)
	default:
		fmt.Fprintf(&b, "restored %s to checkpoint %s of %s; to undo: cursor-ralph restore %s %s", text.Count(len(done.Changes), "file"), name, id, id, done.Before.Name)
	}
	return b.String()
}
