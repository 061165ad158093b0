package main

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args    string
		want    []action
		problem string
	}{
		{args: "version"},
		{args: "press shift+insert", want: []action{{"press", "shift+insert", "insert", []string{"shift"}}}},
		{args: "press return", want: []action{{"press", "return", "enter", []string{}}}},
		{args: "press cmd+v", want: []action{{"press", "cmd+v", "v", []string{"cmd"}}}},
		{args: "up lctrl press f12 down lctrl", want: []action{
			{"up", "lctrl", "lctrl", nil}, {"press", "f12", "f12", []string{}}, {"down", "lctrl", "lctrl", nil}}},
		{args: "press ctrl+shift+7", want: []action{{"press", "ctrl+shift+7", "7", []string{"ctrl", "shift"}}}},
		{args: "", problem: "what to press"},
		{args: "press", problem: "what to press"},
		{args: "version press", problem: "not press"},
		{args: "type hello", problem: "not press"},
		{args: "press hello", problem: "no key"},
		{args: "press A", problem: "no key"},
		{args: "press /", problem: "no key"},
		{args: "press +", problem: "no modifier"},
		{args: "press control+v", problem: "no modifier"}, // robotgo would press a bare v
		{args: "press return up bla", problem: "no modifier"},
	} {
		got, err := parse(strings.Fields(tt.args))
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) || got != nil {
				t.Errorf("%q: %v, %v; want %q", tt.args, got, err, tt.problem)
			}
			continue
		}
		if !reflect.DeepEqual(got, tt.want) || err != nil {
			t.Errorf("%q: %v, %v; want %v", tt.args, got, err, tt.want)
		}
	}
}

func TestMisuse(t *testing.T) {
	exits(t, []exit{
		{"press hello", "", exitUsage, "no key"},
		{"", "", exitUsage, "usage:"},
		{"wait", "go\n", exitUsage, "what to press"},
	})
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

// The build sets a variable by its name, and says nothing when there is none.
func TestBuildSetsTheRelease(t *testing.T) {
	if !built {
		t.Skip("needs cgo")
	}
	path := filepath.Join(t.TempDir(), "helper")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-X main.release=v9.8.7", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), path, "version").Output()
	if want := "cursor-ralph-robotgo v9.8.7 with robotgo v"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
}

func TestVersionNeedsNoDisplay(t *testing.T) {
	if !built {
		t.Skip("needs cgo")
	}
	t.Setenv("DISPLAY", "")
	var stdout, stderr strings.Builder
	if code := run([]string{"version"}, strings.NewReader(""), &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "with robotgo v1.") {
		t.Errorf("exit %d, %q, %q", code, stdout.String(), stderr.String())
	}
}
