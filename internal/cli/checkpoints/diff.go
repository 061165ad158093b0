package checkpoints

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// DiffFlags adds the flags of diff.
func DiffFlags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.Bool("stat", false, "only list the files and how many lines changed")
}

// Diff shows what changed between two checkpoints, or without any lists them. A diff editor, which
// wants both files, gets them from checkpoint-file.
func Diff(ctx context.Context, e *cli.Env, args []string) error {
	id, between, named := split(e.Loops, args)
	l, d, err := read(e, id)
	if err != nil {
		return err
	}
	if between == "" && len(named) == 0 {
		return list(ctx, e, l, d)
	}
	from, to, err := pick(l, d, between)
	if err != nil {
		return Hinted(l, err)
	}
	files, err := filesIn(d.Root(), named)
	if err != nil {
		return err
	}
	if err := d.Known(ctx, from, to, files...); err != nil {
		return Hinted(l, err)
	}
	if e.IsSet("json") || e.IsSet("stat") {
		return showList(ctx, e, l, d, from, to, files)
	}
	patch, err := d.Patch(ctx, from, to, files...)
	if err != nil {
		return Hinted(l, err)
	}
	if len(patch) == 0 { // which is what a reader of patches wants
		e.Warn("%s is the same in checkpoints %s and %s of the loop %s", cmp.Or(text.Escape(strings.Join(files, ", ")), "every file"), from.Name, to.Name, l.ShortID())
	}
	return show(e.Terminal, patch)
}

// filesIn returns the names of files and folders in the work tree. They are named from
// the current folder, or from the work tree's if that is elsewhere.
func filesIn(root string, named []string) (files []string, err error) {
	from := root
	if here, err := os.Getwd(); err == nil && loops.Within(here, root) {
		from = here
	}
	for _, file := range named {
		if !filepath.IsAbs(file) {
			file = filepath.Join(from, file)
		}
		name, err := filepath.Rel(root, file)
		if err != nil || !filepath.IsLocal(name) {
			return nil, hint.Misuse(text.Escape(file)+" is not in the work tree "+text.Escape(root), "name the file as `cursor-ralph diff --stat` does")
		}
		files = append(files, filepath.ToSlash(name))
	}
	return files, nil
}

// split parts [id] [n[..m]] [FILE...]. A first word that is neither a loop nor a
// checkpoint is a file if there is one.
func split(all *loops.Loops, args []string) (id []string, between string, files []string) {
	for i, word := range args[:min(len(args), 2)] {
		if isRange(word) {
			return args[:i], word, args[i+1:]
		}
	}
	if len(args) > 0 {
		_, unknown := all.Resolve(args[0])
		_, missing := os.Lstat(args[0])
		if unknown == nil || missing != nil && len(args) == 1 {
			return args[:1], "", args[1:]
		}
	}
	return nil, "", args
}

func isRange(word string) bool {
	return checkpoint.Name(word).IsValid() || strings.Contains(word, "..") && !strings.ContainsAny(word, `/\`)
}

// pick returns the checkpoints that are meant: of the last iteration, of one, or from one
// to another.
func pick(l loop.State, d *checkpoint.Reader, between string) (from, to checkpoint.Checkpoint, err error) {
	first, second, two := strings.Cut(between, "..")
	if two {
		return ends(l, d, between, first, second)
	}
	if between == "" {
		to, err = d.Last()
	} else {
		to, err = d.Find(checkpoint.Name(first))
	}
	if err == nil {
		from, err = d.Before(to)
	}
	return from, to, err
}

// ends returns both ends of a range; without a second one it ends at the last iteration.
func ends(l loop.State, d *checkpoint.Reader, between, first, second string) (from, to checkpoint.Checkpoint, err error) {
	none := "%.40q %s with %.20q, which is no checkpoint of the loop %s"
	if from, err = d.Find(checkpoint.Name(first)); err != nil {
		return from, to, hint.New(fmt.Sprintf(none, between, "begins", first, l.ShortID()), listThem(l))
	}
	if second == "" {
		to, err = d.Last()
		return from, to, err
	}
	if to, err = d.Find(checkpoint.Name(second)); err != nil {
		err = hint.New(fmt.Sprintf(none, between, "ends", second, l.ShortID()), listThem(l))
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

func showList(ctx context.Context, e *cli.Env, l loop.State, d *checkpoint.Reader, from, to checkpoint.Checkpoint, files []string) error {
	changes, err := d.Changes(ctx, from, to)
	if err != nil {
		return Hinted(l, err)
	}
	changes = checkpoint.Only(changes, files)
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
	return screen.Columns(rows, view.Give{Column: 0, Least: 8}) + all
}

// show prints a patch: byte for byte into a pipe, where git apply reads it, and safe for
// a terminal, in git's colors.
func show(t cli.Terminal, patch []byte) error {
	if !t.OnTerminal() {
		_, err := t.Stdout.Write(patch)
		return err
	}
	var b strings.Builder
	head := true
	for line := range bytes.Lines(patch) {
		said := strings.TrimSuffix(string(line), "\n")
		color := ""
		if color, head = colorOf(said, head); !t.Colorful() {
			color = ""
		}
		said = cli.Printable(strings.TrimSuffix(said, "\r"))
		if color != "" {
			said = color + said + "\x1b[m"
		}
		b.WriteString(said + "\n")
	}
	_, err := t.Stdout.Write([]byte(b.String()))
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
