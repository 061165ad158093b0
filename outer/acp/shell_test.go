package acp

import (
	"slices"
	"testing"
)

func TestCommand(t *testing.T) {
	for _, tt := range []struct {
		system string
		e      Execution
		argv   []string
		line   string // the whole command line on Windows
	}{
		{"linux", Execution{Line: `echo "a b"`}, list("/bin/sh", "-c", "exec 2>&1\n"+`echo "a b"`), ""},
		{"darwin", Execution{Argv: list("echo", "a b")}, list("/bin/sh", "-c", `exec "$@" 2>&1`, "sh", "echo", "a b"), ""},
		{"windows", Execution{Argv: list(`C:\a b\x.exe`, `"q"`)}, list(`C:\a b\x.exe`, `"q"`), ""},
		{"windows", Execution{Line: `"C:\a b\x.exe" "c d" & echo "e\"`}, list("cmd.exe"), `cmd.exe /d /s /c ""C:\a b\x.exe" "c d" & echo "e\""`},
	} {
		if c := command(tt.system, tt.e); !slices.Equal(c.Argv, tt.argv) || c.WindowsLine != tt.line {
			t.Errorf("%s, %+v: got %q and %q, want %q and %q", tt.system, tt.e, c.Argv, c.WindowsLine, tt.argv, tt.line)
		}
	}
}
