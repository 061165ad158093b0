package main

import (
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// report is what a part has to tell: rows, and what went wrong.
type report struct {
	title    string
	about    string
	rows     [][2]string
	problems []string
}

func newReport(title string, s settings) report {
	return report{title: title, about: fmt.Sprintf("%s, %s, %d CPUs, %s, -seed %d",
		time.Now().UTC().Format(time.DateOnly), system(), runtime.NumCPU(), runtime.Version(), s.seed)}
}

// system names the kernel where that is easily told.
func system() string {
	name := runtime.GOOS + "/" + runtime.GOARCH
	if out, err := exec.Command("uname", "-sr").Output(); err == nil {
		name = strings.TrimSpace(string(out)) + " " + runtime.GOARCH
	}
	return name
}

func (r *report) row(name, format string, args ...any) {
	r.rows = append(r.rows, [2]string{name, fmt.Sprintf(format, args...)})
}

func (r *report) times(name string, sorted []time.Duration) {
	if len(sorted) == 0 {
		return
	}
	at := func(q float64) float64 { return milliseconds(quantile(sorted, q)) }
	r.row(name+", whole process, ms", "median %.1f, 95 %% %.1f, 99 %% %.1f, longest %.0f", at(0.5), at(0.95), at(0.99), at(1))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// shown is how many problems are printed; the rest is counted.
const shown = 20

func (r *report) write(w io.Writer, markdown bool) error {
	var b strings.Builder
	if markdown {
		r.asMarkdown(&b)
	} else {
		r.asTable(&b)
	}
	for _, p := range r.problems[:min(len(r.problems), shown)] {
		first, _, _ := strings.Cut(p, "\n")
		fmt.Fprintf(&b, "wrong: %.600s\n", first)
	}
	if more := len(r.problems) - shown; more > 0 {
		fmt.Fprintf(&b, "wrong: and %d more\n", more)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *report) asMarkdown(b *strings.Builder) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n| what | measured |\n|---|---|\n", r.title, r.about)
	for _, row := range r.rows {
		fmt.Fprintf(b, "| %s | %s |\n", row[0], row[1])
	}
	b.WriteString("\n")
}

func (r *report) asTable(b *strings.Builder) {
	fmt.Fprintf(b, "%s (%s)\n", r.title, r.about)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range r.rows {
		fmt.Fprintf(w, "  %s\t%s\n", row[0], row[1])
	}
	_ = w.Flush() // a strings.Builder takes everything
}
