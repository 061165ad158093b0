package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is what came of one operation.
type row struct {
	name        string
	calls, ours int // system calls: all of them, and those about our files
	kills       int
	once        int                 // one error
	always      int                 // and from there on
	halves      int                 // half a write
	real        int                 // conditions that were brought about
	byError     map[string]int      // errors that were given
	gave        map[string][]string // by which calls
	violations  []string
}

// report is what came of all.
type report struct {
	head  string // when and where
	took  string
	rows  []row
	short bool
}

func (r report) violations() (n int) {
	for _, row := range r.rows {
		n += len(row.violations)
	}
	return n
}

// total is the sum of all rows.
func (r report) total() row {
	sum := row{name: "all", byError: map[string]int{}, gave: map[string][]string{}}
	for _, one := range r.rows {
		sum.calls += one.calls
		sum.ours += one.ours
		sum.kills += one.kills
		sum.once += one.once
		sum.always += one.always
		sum.halves += one.halves
		sum.real += one.real
		sum.violations = append(sum.violations, one.violations...)
		for name, n := range one.byError {
			sum.byError[name] += n
		}
		for call, errors := range one.gave {
			sum.gave[call] = append(sum.gave[call], errors...)
		}
	}
	return sum
}

func (r report) write(out io.Writer, markdown bool) error {
	if markdown {
		return r.writeMarkdown(out)
	}
	return r.writeTable(out)
}

// writeTable writes a table, and what went wrong below it.
func (r report) writeTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n\noperation\tcalls\tkills\tof ours\tone error\tfrom then on\thalf written\tfor real\tviolations\n", r.head)
	for _, o := range append(slices.Clone(r.rows), r.total()) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", o.name, o.calls, o.kills, o.ours, o.once, o.always, o.halves, o.real, len(o.violations))
	}
	fmt.Fprintf(w, "\nerrors: %s\n%s\n", r.errorCounts(), r.took)
	for _, row := range r.rows {
		for _, v := range row.violations {
			fmt.Fprintf(w, "%s: %s\n", row.name, v)
		}
	}
	return w.Flush()
}

// errorCounts reports how often each error was given first.
func (r report) errorCounts() string {
	counts := r.total().byError
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(list, ", ")
}

// writeMarkdown writes two sections of the page about reliability.
func (r report) writeMarkdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Killed at every system call\n\n%s\n\n", r.head)
	fmt.Fprintf(&b, "Each operation is one process, killed with `kill -9` %s, one try for each.\n\n", r.when())
	b.WriteString("| operation | system calls | killed | violations |\n|---|---:|---:|---:|\n")
	all := append(slices.Clone(r.rows), r.total())
	for _, o := range all {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", o.name, o.calls, o.kills, count(o.violations, "kill"))
	}
	fmt.Fprintf(&b, "\n## Every error at every call\n\n%s\n\n", r.head)
	b.WriteString("| operation | calls about our files | one error | from then on | half a write | for real | violations |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, o := range all {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d |\n", o.name, o.ours, o.once, o.always, o.halves, o.real, len(o.violations)-count(o.violations, "kill"))
	}
	b.WriteString("\n| call | errors it was made to give |\n|---|---|\n")
	gave := r.total().gave
	for _, call := range slices.Sorted(maps.Keys(gave)) {
		fmt.Fprintf(&b, "| %s | %s |\n", call, strings.Join(slices.Compact(slices.Sorted(slices.Values(gave[call]))), " "))
	}
	fmt.Fprintf(&b, "\nGiven: %s. %s\n", r.errorCounts(), r.took)
	for _, row := range r.rows {
		for _, v := range row.violations {
			fmt.Fprintf(&b, "\n- %s: %s", row.name, v)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// when tells at which moments a process was killed.
func (r report) when() string {
	if r.short {
		return "before each call that changes one of our files"
	}
	return "before and after each of its system calls"
}

// count reports how many violations came of one kind of injury.
func count(violations []string, kind string) (n int) {
	for _, v := range violations {
		if strings.HasPrefix(v, kind) {
			n++
		}
	}
	return n
}
