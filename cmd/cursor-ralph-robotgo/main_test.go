//go:build robotgo

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMisuse(t *testing.T) {
	for _, args := range []string{"", "press", "press hello", "press shift+insert return", "type return", "press control+v", "press +", "version press", "wait"} {
		exits(t, []exit{{args, "go\n", exitUsage, "usage:"}})
	}
}

// exit is how the program has to end.
type exit struct {
	args, stdin string
	want        int
	words       string
}

func exits(t *testing.T, table []exit) {
	t.Helper()
	for _, tt := range table {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(tt.args), strings.NewReader(tt.stdin), &stdout, &stderr)
		if code != tt.want || !strings.Contains(stderr.String(), tt.words) || stdout.String() != "" {
			t.Errorf("%q: exit %d, %q, %q; want %d, %q", tt.args, code, stdout.String(), stderr.String(), tt.want, tt.words)
		}
	}
}

// The build sets a variable by its name.
func TestBuildSetsTheRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "helper")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "robotgo", "-ldflags", "-X main.release=v9.8.7", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), path, "version").Output()
	if want := "cursor-ralph-robotgo v9.8.7 with robotgo v"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
}

func TestVersionNeedsNoDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	var stdout, stderr strings.Builder
	if code := run([]string{"version"}, strings.NewReader(""), &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "with robotgo v1.") {
		t.Errorf("exit %d, %q, %q", code, stdout.String(), stderr.String())
	}
}
