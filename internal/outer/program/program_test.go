//go:build unix

package program

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
)

// TestMain lets the test binary also be the supervisor.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "supervise" {
		code, err := supervise.Run(os.Args[3:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		argv   []string
		prompt string
		want   []string
		stdin  string
	}{
		{[]string{"agent", "-v"}, "do it", []string{"agent", "-v"}, "do it"},
		{[]string{"agent", "--prompt={prompt}"}, "do $it", []string{"agent", "--prompt=do $it"}, ""},
		{[]string{"agent", "{prompt}"}, "-rf", []string{"agent", " -rf"}, ""}, // no flag
		{[]string{"agent", "{prompt}"}, "say {prompt}", []string{"agent", "say {prompt}"}, ""},
	} {
		argv, stdin := Config{Argv: tt.argv}.arguments(tt.prompt)
		if !slices.Equal(argv, tt.want) || stdin != tt.stdin {
			t.Errorf("%q, %q: got %q, %q, want %q, %q", tt.argv, tt.prompt, argv, stdin, tt.want, tt.stdin)
		}
	}
}

// On Windows a batch file's arguments are interpreted by a shell.
func TestBatchFiles(t *testing.T) {
	look := func(name string) (string, error) { return `C:\bin\` + name + ".CMD", nil }
	if !isBatch("windows", "agent", look) || isBatch("linux", "agent", look) {
		t.Error("a batch file is one on Windows alone")
	}
}

func TestTurn(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, script, said, err string
	}{
		{"what it prints is said", "echo half; echo done", "half\ndone", ""},
		{"its prompt is not", "cat; echo; echo done", "done", ""},
		{"as plain text", `printf 'loading 1%%\rloading 2%%\n\033[31mred\033[0m\n'`, "loading 2%\nred", ""},
		{"of a flood the end", "i=0; while [ $i -lt 21000 ]; do echo $i; i=$((i+1)); done; echo the end", "20999\nthe end", ""},
		{"a line without end", `head -c 300000 /dev/zero | tr '\0' x; echo; echo the end`, "x\nthe end", ""},
		{"a failure", "echo half; echo why >&2; exit 3", "half", "sh ended with exit code 3: why"},
		{"its words are no reason", "echo 'not logged in: 401' >&2; exit 1", "", "sh ended with exit code 1: not logged in: 401"},
	} {
		var said string
		d := Open(Config{Argv: []string{"sh", "-c", tt.script}, Dir: t.TempDir(), Self: self})
		err := d.Turn(t.Context(), outer.Prompt{Text: "prompt"}, func(s outer.Seen) {
			if s.Record.Kind != "" {
				said = s.Record.Text
			}
		})
		if got := fmt.Sprint(err); !strings.HasSuffix(said, tt.said) || tt.said == "" && said != "" || err == nil && tt.err != "" || err != nil && got != tt.err {
			t.Errorf("%s: got %.100q, %v; want %q, %q", tt.name, said[max(0, len(said)-100):], err, tt.said, tt.err)
		}
		if errors.As(err, new(*outer.StartError)) {
			t.Errorf("%s: got a start error: the run would be over", tt.name)
		}
		if len(said) > keptBytes {
			t.Errorf("%s: it kept %d bytes", tt.name, len(said))
		}
	}
	plans := Open(Config{Argv: []string{"sh"}, Dir: t.TempDir(), Self: self}).Turn(t.Context(), outer.Prompt{Text: "x", Plans: true}, func(outer.Seen) {})
	if !errors.As(plans, new(*outer.StartError)) {
		t.Errorf("got %v for a plan, want that it cannot be started", plans)
	}
}
