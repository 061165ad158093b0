// Package checkpoints has the commands about the checkpoints of a loop: diff and restore.
package checkpoints

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Places returns where checkpoints are made from.
func Places(places platform.Places) checkpoint.Places {
	return checkpoint.Places{Folder: places.Checkpoints(), Copies: places.Copies(), Env: os.Environ()}
}

type listed struct {
	Name      checkpoint.Name `json:"name"`
	Iteration *int            `json:"checkpoint,omitempty"`
	Ref       string          `json:"ref"`
	Commit    string          `json:"commit"`
	At        time.Time       `json:"at"`
	Before    checkpoint.Name `json:"before,omitempty"`
	Files     *int            `json:"files,omitempty"`
	Added     int             `json:"added,omitempty"`
	Deleted   int             `json:"deleted,omitempty"`
}

// list shows the checkpoints of a loop.
func list(ctx context.Context, e *cli.Env, l loop.State, d *checkpoint.Reader) error {
	if len(d.All) == 0 {
		return Hinted(l, checkpoint.ErrNone)
	}
	var all []listed
	for _, c := range d.All {
		all = append(all, listedOf(ctx, l, d, c))
	}
	if e.IsSet("json") {
		return e.JSON(all)
	}
	rows := [][]string{{"#", "when", "files", "lines", "what"}}
	for _, c := range all {
		rows = append(rows, []string{string(c.Name), view.Ago(e.Now(), c.At), c.files(), c.lines(), c.Name.Title()})
	}
	return e.Say("%s", strings.TrimRight(e.Screen().Columns(rows, view.Give{Column: 4, Least: 1}), "\n"))
}

func listedOf(ctx context.Context, l loop.State, d *checkpoint.Reader, c checkpoint.Checkpoint) listed {
	shown := listed{Name: c.Name, Ref: checkpoint.Ref(l, c.Name), Commit: c.Commit, At: c.At}
	if n, ok := c.Name.Number(); ok {
		shown.Iteration = &n
	}
	before, err := d.Before(c)
	if err != nil {
		return shown
	}
	shown.Before = before.Name
	changes, err := d.Changes(ctx, before, c)
	if err != nil {
		return shown
	}
	n := len(changes)
	shown.Files = &n
	shown.Added, shown.Deleted = checkpoint.Lines(changes)
	return shown
}

func (c listed) files() string {
	if c.Files == nil {
		return "-"
	}
	return fmt.Sprint(*c.Files)
}

func (c listed) lines() string {
	if c.Files == nil {
		return "-"
	}
	return fmt.Sprintf("+%d -%d", c.Added, c.Deleted)
}

func read(e *cli.Env, args []string) (loop.State, *checkpoint.Reader, error) {
	found, err := render.Chosen(e, args)
	if err != nil {
		return found.State, nil, err
	}
	d, err := Places(e.Places).Read(found.State)
	return found.State, d, Hinted(found.State, err)
}

// Hinted explains an error about the checkpoints of a loop.
func Hinted(l loop.State, err error) error {
	var unknown *checkpoint.UnknownError
	var noFile *checkpoint.UnknownFileError
	switch {
	case hint.Of(err) != "":
		return err
	case errors.Is(err, checkpoint.ErrNone):
		return hint.New(noneOf(l), howToHave)
	case errors.As(err, &unknown):
		return hint.New(fmt.Sprintf("%s of the loop %s", unknown, l.ShortID()), listThem(l))
	case errors.As(err, &noFile):
		return hint.New(fmt.Sprintf("%s in these checkpoints of the loop %s, nor in its work tree", noFile, l.ShortID()), "`cursor-ralph diff "+l.ShortID()+" 0.. --stat` lists the files that changed")
	case errors.Is(err, git.ErrNoTree):
		return hint.New(fmt.Sprintf("the workspace of the loop %s is no git work tree (any more): %s", l.ShortID(), text.Escape(l.Workspace)), "checkpoints are kept in its repository")
	case err != nil:
		return hint.New(err.Error(), "checkpoints need git and a repository that it can read: try `git status` in "+text.Escape(l.Workspace))
	}
	return nil
}

const howToHave = "`run` makes them in a git work tree; in Cursor add --checkpoints to the line that starts the loop"

func listThem(l loop.State) string {
	return "`cursor-ralph diff " + l.ShortID() + "` lists them"
}

func noneOf(l loop.State) string { return "the loop " + l.ShortID() + " has no checkpoints" }
