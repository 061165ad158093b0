package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/suggest"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// TaskFlag adds --file.
func TaskFlag(f *pflag.FlagSet) {
	f.String("file", "", "read the task from `FILE`, - for standard input")
}

// Task returns the task from the command line, a file or standard input.
func (e *Env) Task(args []string) (string, error) {
	text := strings.Join(args, " ")
	file := e.Flags.Lookup("file")
	switch {
	case file.Changed && len(args) > 0:
		return "", hint.Misuse("there is a task on the command line and one in "+file.Value.String(), "give one of them")
	case file.Changed:
		return e.TaskIn(file.Value.String())
	case text == "-":
		return e.TaskIn("-")
	}
	if !utf8.ValidString(text) {
		return "", hint.Misuse("the task is not valid UTF-8 text", "nothing was started")
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", hint.Misuse("the task is empty", `cursor-ralph `+e.Flags.Name()+` "<task>", or --file FILE`)
	}
	return text, nil
}

// TaskIn returns the task in a file; - is standard input.
func (e *Env) TaskIn(file string) (string, error) {
	data, err := e.readTask(file)
	if bad := (*fs.PathError)(nil); errors.As(err, &bad) {
		err = bad.Err // the name is said here
	}
	task := ""
	if err == nil {
		task, err = cmdline.TaskOf(data)
	}
	if err != nil {
		return "", hint.Misuse(fmt.Sprintf("--file %s: %s", file, err), "give a text file with the task in it; nothing was started")
	}
	return task, nil
}

// CheckCheckpoints refuses --checkpoints where there is nothing to make them of.
func CheckCheckpoints(l loop.State) error {
	if why := engine.NoCheckpoints(l, os.Environ()); why != "" {
		return hint.New("--checkpoints: "+why, "nothing was started; `git init` makes a work tree, or leave --checkpoints out")
	}
	return nil
}

// Understood says in one line how a new loop was understood.
func Understood(l loop.State) string {
	return "understood: " + l.Understood(suggest.Fits(l))
}

func (e *Env) readTask(file string) ([]byte, error) {
	if file != "-" {
		return ReadSmall(file)
	}
	data, err := io.ReadAll(io.LimitReader(e.Stdin, MaxTask+1))
	if len(data) > MaxTask {
		err = fmt.Errorf("larger than %d MiB", MaxTask>>20)
	}
	return data, err
}
