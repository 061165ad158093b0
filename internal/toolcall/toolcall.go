// Package toolcall reads what Cursor and other agents report about tool calls.
// Each agent names tools and their fields in its own way; this package knows the
// names. It decides nothing.
package toolcall

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Input is what a tool was given, as far as loops need it.
type Input struct {
	Command string // that a shell runs
	File    string // that is read or written
	Error   string // why an agent rejected the call
	Plan    string // a to-do list, in lines
}

// ReadInput reads the JSON of a tool's input. Missing and malformed fields are
// empty.
func ReadInput(raw []byte) Input {
	var in struct {
		Command    string `json:"command"`
		FilePath   string `json:"file_path"`
		CamelPath  string `json:"filePath"`
		Notebook   string `json:"notebook_path"`
		TargetFile string `json:"target_file"`
		Path       string `json:"path"`
		Error      string `json:"error"`
		Todos      []struct {
			Content     string `json:"content"`
			Description string `json:"description"`
			Status      string `json:"status"`
		} `json:"todos"`
	}
	_ = json.Unmarshal(raw, &in) // see Decode: what can be read is used
	var plan []string
	for _, todo := range in.Todos {
		plan = append(plan, PlanLine(todo.Status, cmp.Or(todo.Content, todo.Description)))
	}
	return Input{
		Command: in.Command,
		File:    cmp.Or(in.FilePath, in.CamelPath, in.Notebook, in.TargetFile, in.Path),
		Error:   in.Error,
		Plan:    strings.Join(plan, "\n"),
	}
}

// PlanLine returns one item of a to-do list with a check box.
func PlanLine(status, item string) string {
	switch status = strings.ToLower(status); {
	case strings.Contains(status, "complete"):
		return "[x] " + item
	case strings.Contains(status, "progress"):
		return "[>] " + item
	}
	return "[ ] " + item
}

// Writes reports whether a tool with this name changes the file in its input.
func Writes(tool string) bool {
	tool = strings.ToLower(tool)
	return slices.ContainsFunc([]string{"write", "edit", "replace", "delete", "patch"}, func(verb string) bool {
		return strings.Contains(tool, verb)
	})
}

// keptWords is how many characters of a command, and of its output, an error line
// contains.
const keptWords = 200

// ExitError describes a command that failed. Two failures of the same kind have
// the same description, so that a loop notices that it is stuck.
func ExitError(command string, code int, output string) string {
	output = strings.TrimSpace(output)
	last := output[strings.LastIndexByte(output, '\n')+1:]
	return fmt.Sprintf("%s exited with %d: %s", Head(text.First(command)), code, Head(last))
}

// Head returns the first 200 characters of a command.
func Head(command string) string { return fmt.Sprintf("%.*s", keptWords, command) }

// Decode is json.Unmarshal, except that a field of the wrong type is left out
// instead of being an error.
func Decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return nil
	}
	return err
}
