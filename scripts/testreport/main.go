// Command testreport reads `go test -json` and prints the closing line of every package, the output of failed tests, and at the
// end what was skipped and why. It exits 1 if a test failed and, with CI=true, if one was skipped.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Getenv("CI") == "true")) }

// event is a line of the go command, see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build events
	Test       string
	Output     string
}

// report collects what the closing line needs.
type report struct {
	out       io.Writer
	elsewhere string              // another run makes up for skips with this reason
	left      string              // make test-all makes up for skips with this one
	output    map[string][]string // of running tests, by package and name
	tests     int
	failed    bool
	skipped   []string
	postponed int // to another run
	leftOver  int // to make test-all
}

func run(args []string, in io.Reader, out io.Writer, ci bool) int {
	r := &report{out: out, output: map[string][]string{}}
	flags := flag.NewFlagSet("testreport", flag.ContinueOnError)
	flags.StringVar(&r.elsewhere, "elsewhere", "", "count skips whose reason contains this as left to another run")
	flags.StringVar(&r.left, "left", "", "count skips whose reason contains this as left to make test-all")
	flags.Func("skipped", "something else that was skipped (repeatable)", func(s string) error {
		r.skipped = append(r.skipped, s)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := r.read(in); err != nil {
		fmt.Fprintln(out, "testreport:", err)
		return 1
	}
	return r.close(ci)
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			r.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read go test's output: %w", err)
		}
	}
}

func (r *report) line(line string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil {
		fmt.Fprint(r.out, line) // the go command itself, not a test
		return
	}
	switch {
	case e.Action == "build-output":
		fmt.Fprint(r.out, e.Output)
	case e.Action == "build-fail":
		r.failed = true
	case e.Test == "":
		r.packageEvent(e)
	default:
		r.testEvent(e)
	}
}

func (r *report) packageEvent(e event) {
	switch e.Action {
	case "fail":
		r.failed = true
		r.flush(e.Package)
	case "output":
		if e.Output != "PASS\n" && !strings.HasPrefix(e.Output, "?") {
			fmt.Fprint(r.out, e.Output)
		}
	}
}

// flush prints the output of tests that did not end because the process died.
func (r *report) flush(pkg string) {
	for name, output := range r.output {
		if strings.HasPrefix(name, pkg+" ") {
			r.print(output)
			delete(r.output, name)
		}
	}
}

func (r *report) testEvent(e event) {
	name := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		r.output[name] = append(r.output[name], e.Output)
		return
	case "pass":
	case "fail":
		r.failed = true
		r.print(r.output[name])
	case "skip":
		r.skip(e.Test, strings.Join(r.output[name], ""))
	default:
		return
	}
	r.tests++
	delete(r.output, name)
}

func (r *report) print(output []string) {
	for _, line := range output {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(r.out, line)
		}
	}
}

func (r *report) skip(test, output string) {
	if r.elsewhere != "" && strings.Contains(output, r.elsewhere) {
		r.postponed++
		return
	}
	if r.left != "" && strings.Contains(output, r.left) {
		r.leftOver++
		return
	}
	reason := "no reason given"
	if m := regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)$`).FindStringSubmatch(output); m != nil {
		reason = m[1]
	}
	r.skipped = append(r.skipped, test+" ("+reason+")")
}

func (r *report) close(ci bool) int {
	skipped := "nothing"
	if len(r.skipped) > 0 {
		skipped = strings.Join(r.skipped, "; ")
	}
	if r.postponed > 0 {
		skipped += fmt.Sprintf("; left to another run: %d", r.postponed)
	}
	if r.left != "" {
		skipped += fmt.Sprintf("; left to make test-all: %d tests, the race detector, and all but one case of each kind", r.leftOver)
	}
	fmt.Fprintf(r.out, "%d tests; skipped: %s\n", r.tests, skipped)
	switch {
	case r.failed:
		fmt.Fprintln(r.out, "FAILED")
	case r.tests == 0:
		fmt.Fprintln(r.out, "FAILED: no test ran")
	case ci && len(r.skipped) > 0:
		fmt.Fprintln(r.out, "FAILED: in CI nothing may be skipped")
	default:
		return 0
	}
	return 1
}
