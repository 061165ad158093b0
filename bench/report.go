package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// record is what was measured: a line per run, in the format of Go's benchmarks.
// benchstat reads it and does the statistics.
type record struct {
	lines   strings.Builder
	targets []target
	missing []string // what was not measured, and why
}

// benchstat is the program that summarizes a record.
const benchstat = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

// target is the most that something may be.
type target struct {
	what      string
	got, most float64
}

func (t target) String() string {
	word := "ok  "
	if t.got > t.most {
		word = "over"
	}
	return fmt.Sprintf("%s  %.2f of at most %.2f  %s", word, t.got, t.most, t.what)
}

// add writes one measured value.
func (r *record) add(table, row, by string, value int64, unit string) {
	fmt.Fprintf(&r.lines, "Benchmark%s%s/by=%s 1 %d %s\n", table, row, by, value, unit)
}

// key is a part of a benchmark's name, which has no spaces.
func key(name string, value any) string {
	return fmt.Sprintf("/%s=%s", name, strings.ReplaceAll(fmt.Sprint(value), " ", "_"))
}

// addCase writes the runs of all programs of a case.
func (r *record) addCase(table string, c *benchCase) {
	row := key("case", c.name) + key("place", c.place)
	if c.others > 0 {
		row += key("others", c.others)
	}
	for i, samples := range c.taken {
		by := c.runners[i]
		for _, s := range samples {
			r.add(table, row+by.row, by.name, s.wall.Nanoseconds(), "ns/op")
		}
	}
	if c.target > 0 {
		r.targets = append(r.targets, target{c.label() + ", times the floor", c.ratio(), c.target})
	}
}

func (c *benchCase) label() string {
	return fmt.Sprintf("%s (%s, %d others)", c.name, c.place, c.others)
}

// ratio is the hook's median time divided by the floor's.
func (c *benchCase) ratio() float64 { return float64(median(c.taken[1])) / float64(median(c.taken[0])) }

// median is what the targets are about, as benchstat shows it.
func median(samples []sample) time.Duration {
	sorted := slices.SortedFunc(slices.Values(samples), func(a, b sample) int { return cmp.Compare(a.wall, b.wall) })
	n := len(sorted)
	return (sorted[(n-1)/2].wall + sorted[n/2].wall) / 2
}

// has reports whether there is a program, or notes what is not measured without it.
func (r *record) has(program, loss string) bool {
	_, err := exec.LookPath(program)
	if err != nil {
		r.miss(loss + ": " + program + " is missing")
	}
	return err == nil
}

func (r *record) miss(what string) {
	if !slices.Contains(r.missing, what) {
		r.missing = append(r.missing, what)
	}
}

//go:embed introduction.md
var introduction string

// short is how many runs are too few for figures to be kept.
const short = 100

// write prints the record itself, its summary, or docs/measured/benchmarks.md.
func (r *record) write(ctx context.Context, w io.Writer, s settings, machine string) error {
	if s.raw {
		_, err := io.WriteString(w, machine+r.lines.String())
		return err
	}
	summary, err := r.summary(ctx)
	if err != nil { // it took minutes to measure them
		_, failed := io.WriteString(w, machine+r.lines.String())
		return errors.Join(fmt.Errorf("the runs are printed as with -raw, because benchstat, which go run downloads once, failed: %w", err), failed)
	}
	text := machine + "\n" + summary
	if len(r.targets) > 0 {
		text += "\n"
	}
	for _, t := range r.targets {
		text += t.String() + "\n"
	}
	for _, what := range r.missing {
		text += "not measured: " + what + "\n"
	}
	if s.n < short {
		text += "A short run: it shows what is measured, not how fast anything is.\n"
	}
	if s.markdown {
		text = introduction + "\n```text\n" + text + "```\n"
	}
	_, err = io.WriteString(w, text)
	return err
}

// summary is a table for each kind of benchmark, with a column for each program.
func (r *record) summary(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "cursor-ralph-bench-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "record")
	if err := os.WriteFile(file, []byte(r.lines.String()), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "run", benchstat, "-table", ".name", "-row", "/case,/place,/others,/shell", "-col", "/by", file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n") + "\n", nil
}
