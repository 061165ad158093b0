package checkpoints

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
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
	from, to, err := pick(l, d, between)
	if err != nil {
		return Hinted(l, err)
	}
	file, err := nameIn(d.Root(), e.Text("file"))
	if err != nil {
		return err
	}
	if e.IsSet("json") || e.IsSet("stat") {
		return showList(ctx, e, l, d, from, to, file)
	}
	patch, err := d.Patch(ctx, from, to, file)
	if err != nil {
		return Hinted(l, err)
	}
	if len(patch) == 0 { // which is what a reader of patches wants
		e.Warn("%s is the same in checkpoints %s and %s of the loop %s", cmp.Or(text.Escape(file), "every file"), from.Name, to.Name, l.ShortID())
	}
	return show(e, patch)
}

// nameIn returns the name of a file in the work tree, "" for all.
func nameIn(root, file string) (string, error) {
	name := file
	if filepath.IsAbs(file) {
		name, _ = filepath.Rel(root, file) // "" is not local
	}
	switch {
	case file == "":
		return "", nil
	case !filepath.IsLocal(name):
		return "", hint.Misuse(text.Escape(file)+" is not in the work tree "+text.Escape(root), "name the file as `cursor-ralph diff --stat` does")
	}
	return filepath.ToSlash(filepath.Clean(name)), nil
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
	return checkpoint.Name(word).IsValid() || strings.Contains(word, "..")
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

func showList(ctx context.Context, e *cli.Env, l loop.State, d *checkpoint.Reader, from, to checkpoint.Checkpoint, file string) error {
	changes, err := d.Changes(ctx, from, to)
	if err != nil {
		return Hinted(l, err)
	}
	changes = slices.DeleteFunc(changes, func(c checkpoint.Change) bool {
		return file != "" && file != "." && c.Path != file && !strings.HasPrefix(c.Path, file+"/")
	})
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
