package main

import (
	"fmt"
	"io"
	"strings"
)

// short is how many runs are too few for figures to be kept.
const short = 100

const introduction = `# Benchmarks, as measured

Written by ` + "`make benchmarks`" + ` on %s, in %.0f seconds, with %d runs of each case,
on a machine with %d cores: %s.
`

const tooShort = `
**A short run: it shows what is measured, not how fast anything is.**
`

const reading = `
## How to read it

A time says more about the machine than about the hook. So each case has the floor beside it: a static Go program that reads
the same event, parses it and prints ` + "`{}`" + `. All cases of a table run in every round, in random order, and beside each case its
floor; so whatever else the machine is doing meets both alike. "ratio" is the one median divided by the other. Only ratios
can be compared between runs. "over" means that a target was missed; "p95" that one run in twenty took longer.

Every answer is checked, and a wrong one ends the benchmark: bash's hooks and ours play a loop from its
beginning to its end before they are measured. The home folder is an empty one. Other systems than this one were not measured.
`

// markdown is docs/benchmarks.md.
func (r result) markdown(w io.Writer) error {
	m := r.Machine
	fmt.Fprint(w, folded(fmt.Sprintf(introduction, m.Date, r.Took, r.Runs, m.CPUs, m.words())))
	if r.Runs < short {
		fmt.Fprint(w, tooShort)
	}
	for _, missing := range r.Missing {
		fmt.Fprintf(w, "\nNot measured: %s.\n", missing)
	}
	_, err := fmt.Fprint(w, reading)
	for _, t := range r.tables() {
		if err == nil {
			_, err = fmt.Fprint(w, t.markdown())
		}
	}
	return err
}

// folded folds what is not a heading.
func folded(text string) string {
	heading, rest, _ := strings.Cut(text, "\n\n")
	return heading + "\n\n" + fold(rest, 125) + "\n"
}

func (t table) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", t.title, fold(t.notes, 125))
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(t.head)))
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}
