//go:build unix

package command_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/command"
)

func TestProblem(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, mode := range map[string]os.FileMode{"check.sh": 0o700, "plain.sh": 0o600} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, shell, command, want string }{
		{"a program", "", "true", ""},
		{"a word of the shell", "", "if test -e x; then false; fi", ""},
		{"a program behind assignments", "", "A=1 B= true --x", ""},
		{"a program of the folder", "", "./check.sh -v", ""},
		{"a program before a sign", "", "true; nosuch", ""},
		{"a comment first", "", "# x\ntrue", ""},
		{"an expansion", "", "$nosuch x", ""},
		{"a subshell", "", "(nosuch)", ""},
		{"quotes", "", `"nosuch" x`, ""},
		{"an assignment in quotes", "", `A="x y" nosuch`, ""},
		{"a redirection", "", ">x nosuch", ""},
		{"an assignment alone", "", "A=1", ""},
		{"another shell", "/usr/bin/fish", "echo (date", ""},
		{"a shell that is missing", "/nosuch/sh", "nosuch", ""},
		{"no program", "", "nmp test", "nmp is neither"},
		{"no program behind an assignment", "/bin/sh", "CI=1 nmp test", "nmp is neither"},
		{"no program before a sign", "", "nmp&&true", "nmp is neither"},
		{"a file that is missing", "", "./nosuch.sh", "./nosuch.sh is neither"},
		{"a quote that is open", "", `echo "x`, "the shell cannot read it: "},
		{"half of a word of the shell", "", "if true", "the shell cannot read it: "},
	} {
		got := command.Problem(t.Context(), tt.shell, tt.command, folder)
		if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %q want %q", tt.name, got, tt.want)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if got := command.Problem(done, "", "nmp test", folder); got != "" {
		t.Errorf("without time: got %q", got)
	}
}
