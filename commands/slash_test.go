package commands

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

func TestSlashCommandsAreAsInTestdata(t *testing.T) {
	for goos, program := range map[string]string{"linux": "cursor-ralph", "windows": `C:\Program Files\Ralph\cursor-ralph.exe`} {
		files, err := SlashCommands(program, goos)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, strings.TrimSuffix(f.Path, ".md"))
			golden.Matches(t, filepath.Join("testdata", "slash-"+goos, f.Path), string(f.New))
		}
		want := []string{"cancel-ralph", "ralph-context", "ralph-help", "ralph-loop", "ralph-pause", "ralph-resume", "ralph-status", "ulw-loop"}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Error(diff)
		}
	}
}

// An agent that begins a loop on the user's word chooses among the options.
func TestEachOptionOfALoopIsInTheSkill(t *testing.T) {
	text, err := skill()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range loop.Options() {
		if row := "| `--" + o.Name; !strings.Contains(string(text), row+"`") && !strings.Contains(string(text), row+" ") {
			t.Errorf("the skill lacks --%s", o.Name)
		}
	}
}

// What a model or a user reads each time is short.
func TestSlashCommandsAreShort(t *testing.T) {
	const most = 250 // words
	for _, goos := range []string{"linux", "windows", ""} {
		files, err := SlashCommands("cursor-ralph", goos)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if n := len(strings.Fields(string(f.New))); n >= most {
				t.Errorf("%s for %q has %d words, want fewer than %d", f.Path, goos, n, most)
			}
		}
	}
}

func slashCommand(t *testing.T, name, program, goos string) string {
	t.Helper()
	files, err := SlashCommands(program, goos)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == name {
			return string(f.New)
		}
	}
	t.Fatalf("no %s", name)
	return ""
}

func TestTheHandOverGivesTheTextVerbatimToTheProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	folder := filepath.Join(t.TempDir(), "it's a $HOME `folder`")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "cursor-ralph")
	if err := sources.WriteProgram(program, []byte("#!/bin/sh\nprintf '%s ' \"$@\"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	const task = `"fix 'it' and $(rm -rf x) ` + "`id`" + ` \n \\ $HOME ${X} ‘curly’ 😀
EOF
  a second line" --max-iterations 7 !!`
	for _, name := range []string{"ralph-loop", "ulw-loop", "ralph-context"} {
		_, block, _ := strings.Cut(slashCommand(t, name+".md", program, "linux"), "```sh\n")
		block, _, _ = strings.Cut(block, "\n```")
		for _, shell := range []string{"sh", "bash"} {
			out, err := exec.Command(shell, "-c", strings.Replace(block, "THE USER'S TEXT", task, 1)).CombinedOutput()
			if want := "slash " + name + " " + task + "\n"; err != nil || string(out) != want {
				t.Errorf("%s: got %q, error %v, want %q", shell, out, err, want)
			}
		}
	}
}

func TestTheStampShowsWhoWroteAFile(t *testing.T) {
	text := stamp([]byte("# a\n\nb\n"))
	crlf := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	for _, tt := range []struct {
		name string
		data []byte
		want origin
	}{
		{"no file", nil, nobodys},
		{"an empty file", []byte{}, users},
		{"another text", []byte("# a\n"), users},
		{"as written", text, pristine},
		{"with other line ends", crlf, pristine},
		{"without the last line end", bytes.TrimSpace(text), pristine},
		{"changed", bytes.Replace(text, []byte("b"), []byte("c"), 1), edited},
		{"added to", append(bytes.Clone(text), "more\n"...), edited},
	} {
		if got := originOf(tt.data); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
	for name, tt := range map[string]struct {
		data []byte
		want bool
	}{
		"no file": {nil, false}, "another text": {[]byte("# a\n\nb\n"), false}, "as written": {text, true}, "with other line ends": {crlf, true},
		"an older text": {stamp([]byte("# a\n")), false},
		"changed":       {bytes.Replace(text, []byte("b"), []byte("c"), 1), false},
	} {
		if got := (File{New: stamp([]byte("# a\n\nb\n"))}).Same(tt.data); got != tt.want {
			t.Errorf("%s: got same %v, want %v", name, got, tt.want)
		}
	}
}
