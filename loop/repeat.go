package loop

import (
	"cmp"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Repeat is how much of the task a continuation repeats.
type Repeat string

// The ways to repeat a task: repeatFull, the default, is all of it every time;
// repeatFirst all of it at the start of a session, after Cursor has summarized the
// chat and every fifth time, and else its first line; repeatFile the name of a file
// in the workspace that has it.
const (
	repeatFull  Repeat = "full"
	repeatFirst Repeat = "first"
	repeatFile  Repeat = "file"
)

// repeatEvery is how often repeatFirst repeats all of the task in any case.
const repeatEvery = 5

// keptFirstLine is how many bytes of the task's first line stand for all of it.
const keptFirstLine = 300

// RunTaskFile is the file of the task in the workspace of a run.
const RunTaskFile = ".ralph/prompt.md"

// TaskFile is the file in the workspace that has the task of a loop with
// --repeat file.
type TaskFile struct {
	Name    string `json:"name,omitempty"`    // seen from the workspace
	User    bool   `json:"user,omitempty"`    // the user's own, of --file
	Problem string `json:"problem,omitempty"` // why it cannot be relied on; then the text has the task
}

// WantsTaskFile reports whether a file has to have the task.
func (s *State) WantsTaskFile() bool { return s.Repeat == repeatFile }

// WantsCompact reports whether it matters that the conversation is summarized.
func (s *State) WantsCompact() bool { return s.Repeat == repeatFirst }

// noteTaskFile takes in what became of the file, and tells once what is wrong.
func (s *State) noteTaskFile(f *TaskFile) {
	if f == nil || !s.WantsTaskFile() {
		return
	}
	if f.Problem != "" && f.Problem != s.TaskFile.Problem {
		s.Notices = addOnce(s.Notices, "Tell the user: "+cmp.Or(f.Name, "the file of the task")+" is not used for the task: "+f.Problem+".")
	}
	s.TaskFile = *f
}

// noteRepeated counts the continuations that leave the task out; noteSession has the
// next one repeat it.
func (s *State) noteRepeated() {
	if s.Repeat != repeatFirst {
		return
	}
	if s.repeatsAll(s.Iterations + 1) {
		s.TaskLeftOut = 0
	} else {
		s.TaskLeftOut++
	}
	s.TaskNext = false
}

func (s *State) noteSession() { s.TaskNext = s.Repeat == repeatFirst }

// repeatsAll reports whether the text for an iteration has the whole task.
func (s *State) repeatsAll(iteration int) bool {
	switch s.Repeat {
	case repeatFirst:
		return iteration <= 1 || s.TaskDue || s.TaskNext || s.Run.Fresh || s.TaskLeftOut >= repeatEvery-1
	case repeatFile:
		return s.TaskFile.Name == "" || s.TaskFile.Problem != "" || iteration <= 1 && s.Outer() // its file is written meanwhile
	}
	return true
}

// taskWords is what the text for an iteration says about the task: all of it, or
// where that is, if that is shorter.
func (s *State) taskWords(iteration int) string {
	whole := "The task, word for word:\n\n" + s.Prompt + "\n\n"
	if s.repeatsAll(iteration) {
		return whole
	}
	part := "The task begins:\n\n" + text.FirstHead(s.Prompt, keptFirstLine) + "\n\n" + s.whereTask()
	if len(part) >= len(whole) {
		return whole
	}
	return part
}

// whereTask tells the agent how to read the whole task.
func (s *State) whereTask() string {
	name := s.TaskFile.Name
	if s.Repeat == repeatFirst && s.Outer() {
		name = RunTaskFile
	}
	if s.Repeat == repeatFile || s.Outer() {
		return "All of it, word for word, is in this file of the workspace; read it unless you remember it exactly: " + Unmarked(name) + "\n\n"
	}
	return "Unless you remember all of it exactly, read it word for word by running: " + strings.TrimSpace(cmp.Or(s.Program, "cursor-ralph")+" task "+Argument(cmp.Or(s.nameForAgent(), s.ShortID()))) + "\n\n"
}
