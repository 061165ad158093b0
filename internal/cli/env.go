// Package cli is what every command of cursor-ralph works with: its streams,
// places and flags, the loop that is meant, and errors for people. It has no
// command itself.
package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Text returns the value of a flag, empty if the command does not have it.
func (e *Env) Text(flag string) string {
	v, _ := e.Flags.GetString(flag) // a flag that the command does not have is empty
	return v
}

// OutliveReader ignores SIGPIPE: if the reader (tee, head) exits first, writes fail
// with EPIPE and cleanup still runs.
func OutliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Env is what a command has to work with.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time

	Flags  *pflag.FlagSet
	Places platform.Places
	Loops  *loops.Loops
	Store  *state.Store // of Loops
}

// Open finds the folders, and the loops in them.
func (e *Env) Open() error {
	places, err := platform.Find(e.Getenv)
	if errors.As(err, new(*fs.PathError)) {
		return err
	} else if err != nil {
		return hint.New(err.Error(), "unset it, or give the whole path")
	}
	e.Places = places
	e.Loops = loops.New(places, e.Now)
	e.Store = e.Loops.Store
	e.Store.Ended = e.startOnEnd
	return nil
}

// IsSet reports whether a switch is on.
func (e *Env) IsSet(name string) bool {
	f := e.Flags.Lookup(name)
	return f != nil && f.Value.String() == "true"
}

// JSON prints a value as JSON.
func (e *Env) JSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // which writes < as a code, so that no promise can be read in it
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(e.Stdout, Printable(b.String())) // \u0000 is JSON too
	return err
}

// JSONLine prints a value as one line of JSON.
func (e *Env) JSONLine(v any) error {
	data, err := json.Marshal(v) // which writes < as a code
	if err == nil {
		_, err = io.WriteString(e.Stdout, Printable(string(data))+"\n")
	}
	return err
}

// Columns returns rows of cells as lines with aligned columns.
func Columns(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	_ = w.Flush() // into memory
	return b.String()
}

// JSONFlag adds --json.
func JSONFlag(f *pflag.FlagSet) { f.Bool("json", false, "print JSON") }

// FlagSet returns the flags of a command.
func FlagSet(name string, add func(*pflag.FlagSet)) *pflag.FlagSet {
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SortFlags = false
	if add != nil {
		add(set)
	}
	return set
}
