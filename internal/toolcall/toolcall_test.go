package toolcall_test

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

func TestInput(t *testing.T) {
	for raw, want := range map[string]toolcall.Input{
		`{"command":"make","file_path":7}`:        {Command: "make"}, // a wrong type costs only its field
		`{"path":"b","target_file":"a"}`:          {File: "a"},
		`{"filePath":"a"}`:                        {File: "a"},
		`{"notebook_path":"a","error":"no such"}`: {File: "a", Error: "no such"},
		`{"todos":[{"content":"a","status":"done"}, {"description":"b","status":"COMPLETED"},{"content":"c","status":"in_progress"}]}`: {Plan: "[ ] a\n[x] b\n[>] c"},
		`[1]`: {},
		``:    {},
	} {
		if got := toolcall.ReadInput([]byte(raw)); got != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

func TestWrites(t *testing.T) {
	for tool, want := range map[string]bool{"Write": true, "search_replace": true, "apply_patch": true, "MultiEdit": true, "Read": false, "Shell": false, "": false} {
		if got := toolcall.Writes(tool); got != want {
			t.Errorf("%q: got %v, want %v", tool, got, want)
		}
	}
}

func TestExitError(t *testing.T) {
	if got, want := toolcall.ExitError("go test\nmore", 1, "ok\nFAIL\n"), "go test exited with 1: FAIL"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
