package onevent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
)

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
		c := call{tool: tool, output: hook.Text(json.RawMessage(output))}
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
