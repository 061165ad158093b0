package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

// FuzzFlags asserts that whatever stands behind our hook in hooks.json, its
// flags are within bounds, and after a mistake the defaults.
func FuzzFlags(f *testing.F) {
	for _, args := range []string{
		"", "--session-limit auto --timeout 660", "--session-limit none --minimal --no-notify", "--session-limit 0", "--session-limit=5", "--timeout 99999999999999", "--timeout -5", "--injectors xtest,wtype --focus-keys ctrl+i",
		"--type-unchecked", "--unknown", "-guard x --minimal", "--guard --timeout x", "--timeout 9223372036", "-- --minimal",
	} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		got, err := parseFlags(strings.Fields(args))
		switch {
		case got.sessionLimit < auto, err != nil && got.sessionLimit != hook.DefaultLoopLimit, err != nil && (got.timeout != 0 || got.typing != (handoff.Typing{})):
			t.Errorf("%q: got %+v, %v", args, got, err)
		case got.timeout < 0, got.timeout%time.Second != 0, got.timeout > mostSeconds*time.Second:
			t.Errorf("%q: got the timeout %v", args, got.timeout)
		}
		for _, word := range []string{got.typing.Injectors, got.typing.FocusKeys, got.typing.SubmitKey} {
			if !strings.Contains(args, word) {
				t.Errorf("%q: got %q for the typing", args, word)
			}
		}
	})
}

// TestATimeoutIsNoMoreThanATimeHolds: it is written by hand, too.
func TestATimeoutIsNoMoreThanATimeHolds(t *testing.T) {
	for number, want := range map[string]time.Duration{"9223372037": mostSeconds * time.Second, "-5": 0, "660": 11 * time.Minute} {
		if got, err := parseFlags([]string{"--timeout", number}); got.timeout != want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", number, got.timeout, err, want)
		}
	}
}

// FuzzCall asserts that whatever a tool's input and output are, what is recorded
// of the call can be kept in the journal, and a failure is one line.
func FuzzCall(f *testing.F) {
	for _, input := range []string{`{"command":"make test\nx"}`, `{"file_path":"/w/a.go"}`, `{"target_file":"a","path":"b"}`, `"{\"command\":\"ls\"}"`, "null", "7", `{"command":"x","file_path":"/w/a"}`, `{"command":["ls"]}`, `{"command":"cursor-ralph note x"}`} {
		for _, output := range []string{`{"exitCode":1,"output":"a\nb\u001b[2J\r"}`, `"{\"exit_code\":2,\"output\":\"\"}"`, `{"exitCode":0}`, `{"exitCode":1e99}`, "null"} {
			f.Add("Shell", input, output)
			f.Add("Write", input, output)
		}
	}
	f.Fuzz(func(t *testing.T, tool, input, output string) {
		if !json.Valid([]byte(input)) || !json.Valid([]byte(output)) || !utf8.ValidString(tool) {
			return // hook.Read has refused it
		}
		c := call{id: "1", tool: tool, output: hook.Text(json.RawMessage(output))}
		c.input(json.RawMessage(input))
		c.result()
		r := c.record()
		line, err := r.Line()
		switch {
		case err != nil || strings.Count(strings.TrimLeft(string(line), "\n"), "\n") != 1:
			t.Errorf("got %q, %v", line, err)
		case (c.exit != 0) != (r.Error != ""), strings.Contains(r.Error, "\n"), utf8.RuneCountInString(r.Error) > 460, utf8.RuneCountInString(r.Command) > 200:
			t.Errorf("got %+v of %q with %q", r, input, output)
		case r.File != "" && (!toolcall.Writes(c.tool) || r.Error != ""), r.Command != "" && r.Error == "":
			t.Errorf("got %+v", r)
		case strings.Contains(input, "cursor-ralph-pending") && c.command == "" && c.file != "" && toolcall.Writes(c.tool) && strings.Contains(c.file, "cursor-ralph-pending") && !r.Own:
			t.Errorf("got %+v, which is no work", r)
		}
	})
}
