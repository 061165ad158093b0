// Package toolcall reads what Cursor and other agents report about tool calls.
// Each agent names tools and their fields in its own way; this package knows the
// names. It decides nothing.
package toolcall

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Input is what a tool was given, as far as loops need it.
type Input struct {
	Command string // that a shell runs
	File    string // that is read or written
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
	}
	_ = json.Unmarshal(raw, &in) // a field of the wrong type is left out
	return Input{
		Command: in.Command,
		File:    cmp.Or(in.FilePath, in.CamelPath, in.Notebook, in.TargetFile, in.Path),
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

// Writes reports whether a tool with this name changes the file in its input. Whole words count: dispatch_workflow patches
// nothing.
func Writes(tool string) bool {
	from := 0
	for i := range len(tool) + 1 {
		isEnd := i == len(tool) || !isLetter(tool[i])
		if isEnd || i > from && isUpper(tool[i]) && !isUpper(tool[i-1]) {
			if slices.Contains(writingVerbs, strings.ToLower(tool[from:i])) {
				return true
			}
			from = i
		}
		if isEnd {
			from = i + 1
		}
	}
	return false
}

var writingVerbs = []string{"write", "edit", "multiedit", "replace", "delete", "patch"}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLetter(c byte) bool { return isUpper(c) || 'a' <= c && c <= 'z' }

// keptWords is how many characters of a command, and of its output, an error line
// contains.
const keptWords = 200

// ExitError describes a command that failed. Two failures of the same kind have
// the same description, so that a loop notices that it is stuck.
func ExitError(command string, code int, output string) string {
	return fmt.Sprintf("%s exited with %d: %s", Head(text.First(command)), code, Head(lastLine(output)))
}

func lastLine(output string) string {
	output = strings.TrimSpace(output)
	return output[strings.LastIndexByte(output, '\n')+1:]
}

// Failed describes a command whose tool failed, by the message of the tool. One that has the exit code is described as ExitError
// does: Cursor's editor and its CLI report the same command in two ways.
func Failed(command, message string) string {
	if code := exitCode(message); code != 0 {
		return ExitError(command, code, message)
	}
	return fmt.Sprintf("%s failed: %s", Head(text.First(command)), Head(lastLine(message)))
}

// exitCode is the number that soon follows the word exit, 0 for none.
func exitCode(message string) (code int) {
	const soon = len("exited with status code: ")
	at := strings.Index(strings.ToLower(message), "exit")
	if at < 0 {
		return 0
	}
	rest := message[at:]
	if at = strings.IndexAny(rest, "0123456789"); at < 0 || at > soon {
		return 0
	}
	for _, c := range rest[at:min(len(rest), at+3)] {
		if c < '0' || c > '9' {
			break
		}
		code = code*10 + int(c-'0')
	}
	return code
}

// Head returns the first 200 characters of a command.
func Head(command string) string { return fmt.Sprintf("%.*s", keptWords, command) }
