package toolcall_test

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

func TestInput(t *testing.T) {
	for raw, want := range map[string]toolcall.Input{
		`{"command":"make","file_path":7}`: {Command: "make"}, // a wrong type costs only its field
		`{"path":"b","target_file":"a"}`:   {File: "a"},
		`{"filePath":"a"}`:                 {File: "a"},
		`{"notebook_path":"a"}`:            {File: "a"},
		`[1]`:                              {},
		``:                                 {},
	} {
		if got := toolcall.ReadInput([]byte(raw)); got != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

func TestWrites(t *testing.T) {
	for tool, want := range map[string]bool{"Write": true, "search_replace": true, "apply_patch": true, "MultiEdit": true, "edit": true, "multiedit": true, "NotebookEdit": true, "StrReplace": true, "mcp__files__write_file": true, "mcp_github_dispatch_workflow": false, "credits": false, "Patchwork": false, "Read": false, "Shell": false, "": false} {
		if got := toolcall.Writes(tool); got != want {
			t.Errorf("%q: got %v, want %v", tool, got, want)
		}
	}
}

func TestFailed(t *testing.T) {
	for message, want := range map[string]string{
		"Command failed with exit code 1\nFAIL":  "go test exited with 1: FAIL",
		"exited with status code: 127, no such":  "go test exited with 127: exited with status code: 127, no such",
		"exit status 2":                          "go test exited with 2: exit status 2",
		"It timed out after 30 s":                "go test failed: It timed out after 30 s",
		"the exit of the building, with 3 doors": "go test failed: the exit of the building, with 3 doors",
		"":                                       "go test failed: ",
	} {
		if got := toolcall.Failed("go test\nmore", message); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

func TestExitError(t *testing.T) {
	if got, want := toolcall.ExitError("go test\nmore", 1, "ok\nFAIL\n"), "go test exited with 1: FAIL"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
