// Command testreport reads `go test -json` and prints the closing line of every package and the output of failed tests, then the
// slowest packages, and what was skipped and how to get it. It exits 1 if a test failed and, with CI=true, if one was skipped.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Getenv("CI") == "true")) }

// slowest is the number of packages whose time is printed at the end.
const slowest = 10

// event is a line of the go command, see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build events
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// report collects what the end needs.
type report struct {
	out       io.Writer
	elsewhere string              // another run makes up for skips with this reason
	left      string              // make test-all makes up for skips with this one
	missing   []string            // tools that are not here, and how to get them
	output    map[string][]string // of running tests, by package and name
	seconds   map[string]float64  // of packages
	passed    int
	failed    int
	broken    bool           // a package failed outside its tests
	skipped   map[string]int // tests by reason
	postponed int            // to another run
	leftOver  int            // to make test-all
}

func run(args []string, in io.Reader, out io.Writer, ci bool) int {
	r := &report{out: out, output: map[string][]string{}, seconds: map[string]float64{}, skipped: map[string]int{}}
	flags := flag.NewFlagSet("testreport", flag.ContinueOnError)
	flags.StringVar(&r.elsewhere, "elsewhere", "", "count skips whose reason contains this as left to another run")
	flags.StringVar(&r.left, "left", "", "count skips whose reason contains this as left to make test-all")
	flags.Func("missing", "a tool that is missing, and how to get it (repeatable)", func(s string) error {
		r.missing = append(r.missing, s)
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
		r.broken = true
	case e.Test == "":
		r.packageEvent(e)
	default:
		r.testEvent(e)
	}
}

func (r *report) packageEvent(e event) {
	switch e.Action {
	case "pass":
		r.seconds[e.Package] = e.Elapsed
	case "fail":
		r.seconds[e.Package], r.broken = e.Elapsed, true
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
		r.passed++
	case "fail":
		r.failed++
		r.print(r.output[name])
	case "skip":
		r.skip(strings.Join(r.output[name], ""))
	default:
		return
	}
	delete(r.output, name)
}

func (r *report) print(output []string) {
	for _, line := range output {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(r.out, line)
		}
	}
}

func (r *report) skip(output string) {
	switch {
	case r.elsewhere != "" && strings.Contains(output, r.elsewhere):
		r.postponed++
	case r.left != "" && strings.Contains(output, r.left):
		r.leftOver++
	default:
		reason := "no reason given"
		if m := regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)$`).FindAllStringSubmatch(output, -1); m != nil {
			reason = m[len(m)-1][1]
		}
		r.skipped[reason]++
	}
}

func (r *report) close(ci bool) int {
	r.times()
	skipped := 0
	for _, reason := range slices.Sorted(maps.Keys(r.skipped)) {
		fmt.Fprintf(r.out, "skipped: %s: %s\n", tests(r.skipped[reason]), reason)
		skipped += r.skipped[reason]
	}
	for _, tool := range r.missing {
		fmt.Fprintf(r.out, "missing: %s\n", tool)
	}
	if r.postponed > 0 {
		fmt.Fprintf(r.out, "left to another run: %s\n", tests(r.postponed))
	}
	if r.left != "" {
		fmt.Fprintf(r.out, "left to make test-all: %s, the race detector, and all but one case of each kind\n", tests(r.leftOver))
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, skipped)
	switch {
	case r.failed > 0 || r.broken:
		fmt.Fprintln(r.out, "FAILED")
	case r.passed == 0:
		fmt.Fprintln(r.out, "FAILED: no test ran")
	case ci && skipped+len(r.missing) > 0:
		fmt.Fprintln(r.out, "FAILED: in CI nothing may be skipped")
	default:
		return 0
	}
	return 1
}

// times prints the slowest packages.
func (r *report) times() {
	packages := slices.SortedFunc(maps.Keys(r.seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.seconds[b], r.seconds[a]), cmp.Compare(a, b))
	})
	packages = packages[:min(len(packages), slowest)]
	for _, p := range packages {
		fmt.Fprintf(r.out, "slowest: %6.1f s  %s\n", r.seconds[p], strings.TrimPrefix(p, "github.com/cursor-ralph/cursor-ralph/"))
	}
}

func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprint(n, " tests")
}
