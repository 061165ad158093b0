package checkpoints

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// DiffFlags adds the flags of diff.
func DiffFlags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.Bool("stat", false, "only list the files and how many lines changed")
	f.String("file", "", "only this `PATH`, as the list of files names it")
}

// Diff shows what changed between two checkpoints. A diff editor, which wants both files,
// gets them from checkpoint-file.
func Diff(ctx context.Context, e *cli.Env, args []string) error {
	id, between := split(args)
	l, d, err := read(ctx, e, id)
	if err != nil {
		return err
	}
	from, to, err := pick(d, between)
	if err != nil {
		return hinted(l, err)
	}
	if e.IsSet("json") || e.IsSet("stat") {
		return showList(ctx, e, l, d, from, to)
	}
	patch, err := d.Patch(ctx, from, to, e.Text("file"))
	if err != nil {
		return hinted(l, err)
	}
	return show(e, patch)
}

// split parts the arguments: what looks like checkpoints is no id.
func split(args []string) (id []string, between string) {
	if n := len(args); n > 0 && isRange(args[n-1]) {
		return args[:n-1], args[n-1]
	} else if n > 1 {
		return args[:1], args[1] // and an error says that there is no such checkpoint
	}
	return args, ""
}

func isRange(word string) bool {
	from, to, two := strings.Cut(word, "..")
	return checkpoint.Name(from).IsValid() && (!two || to == "" || checkpoint.Name(to).IsValid())
}

// pick returns the checkpoints that are meant: of the last iteration, of one, or from one
// to another.
func pick(d *checkpoint.Reader, between string) (from, to checkpoint.Checkpoint, err error) {
	first, second, two := strings.Cut(between, "..")
	switch {
	case between == "", two && second == "":
		to, err = d.Last()
	case two:
		to, err = d.Find(checkpoint.Name(second))
	default:
		to, err = d.Find(checkpoint.Name(first))
	}
	switch {
	case err != nil:
	case two:
		from, err = d.Find(checkpoint.Name(first))
	default:
		from, err = d.Before(to)
	}
	return from, to, err
}

type diffed struct {
	Schema int             `json:"schema"`
	ID     string          `json:"id"`
	From   checkpoint.Name `json:"from"`
	To     checkpoint.Name `json:"to"`
	Root   string          `json:"root"`
	Files  []changed       `json:"files"`
}

type changed struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
}

func showList(ctx context.Context, e *cli.Env, l loop.State, d *checkpoint.Reader, from, to checkpoint.Checkpoint) error {
	changes, err := d.Changes(ctx, from, to)
	if err != nil {
		return hinted(l, err)
	}
	if e.IsSet("json") {
		return e.JSON(diffed{view.Schema, l.ShortID(), from.Name, to.Name, d.Root(), changesOf(changes)})
	}
	return e.Say("%s", stat(e.Screen(), changes))
}

func changesOf(list []checkpoint.Change) []changed {
	shown := []changed{}
	for _, c := range list {
		shown = append(shown, changed{c.Path, c.Kind(), c.Added, c.Deleted, c.Binary})
	}
	return shown
}

// stat has a line for each file, and one for all.
func stat(screen view.Screen, list []checkpoint.Change) string {
	var rows [][]string
	for _, c := range list {
		lines := fmt.Sprintf("+%d -%d", c.Added, c.Deleted)
		if c.Binary {
			lines = "binary"
		}
		rows = append(rows, []string{text.FixedWidth(text.Escape(text.Line(c.Path))), c.Kind(), lines})
	}
	added, deleted := checkpoint.Lines(list)
	all := fmt.Sprintf("%s, +%d -%d", text.Count(len(list), "file"), added, deleted)
	if len(list) == 0 {
		return "no difference"
	}
	return screen.Columns(rows, view.Give{0, 8}) + all
}

// show prints a patch: byte for byte into a pipe, where git apply reads it, and safe for
// a terminal, in git's colors.
func show(e *cli.Env, patch []byte) error {
	if !e.OnTerminal() {
		_, err := e.Stdout.Write(patch)
		return err
	}
	var b strings.Builder
	head := true
	for line := range bytes.Lines(patch) {
		said := strings.TrimSuffix(string(line), "\n")
		color := ""
		if color, head = colorOf(said, head); !e.Colorful() {
			color = ""
		}
		said = cli.Printable(strings.TrimSuffix(said, "\r"))
		if color != "" {
			said = color + said + "\x1b[m"
		}
		b.WriteString(said + "\n")
	}
	_, err := e.Stdout.Write([]byte(b.String()))
	return err
}

// colorOf returns git's color for a line of a patch, and whether the next line can be in
// the head of a file.
func colorOf(line string, head bool) (color string, stillHead bool) {
	const bold, red, green, cyan = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m"
	switch {
	case strings.HasPrefix(line, "diff"):
		return bold, true
	case strings.HasPrefix(line, "@@ "):
		return cyan, false
	case head:
		return bold, true
	case strings.HasPrefix(line, "+"):
		return green, false
	case strings.HasPrefix(line, "-"):
		return red, false
	}
	return "", false
}
