package loop

import (
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Progress returns how many tasks are done: 7/12. It is empty where the list could not
// be read.
func (c *TaskCount) Progress() string {
	if c == nil || c.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", c.Done, c.Total)
}

// Chip is how far the tasks are, for the end of a Chip.
func (c *TaskCount) Chip() string {
	if c.Progress() == "" {
		return ""
	}
	return " • Tasks " + c.Progress()
}

// short is what a record of an iteration keeps.
func (c *TaskCount) short() *TaskCount {
	if c.Progress() == "" {
		return nil
	}
	return &TaskCount{Done: c.Done, Total: c.Total}
}

// takeTasks takes in what was last seen of the task list.
func (s *State) takeTasks(c *TaskCount) {
	if c != nil && s.Tasks != "" {
		s.TaskCount = c
	}
}

// TasksProblem says why a loop cannot begin with its task list; empty if it can.
func (s *State) TasksProblem() string {
	if s.Tasks == "" || s.TaskCount == nil || s.TaskCount.Error == "" {
		return ""
	}
	return "--tasks " + s.Tasks + ": " + s.TaskCount.Error
}

// tasksText is what a continuation says about the task list.
func (s *State) tasksText(iteration int) string {
	c := s.TaskCount
	if s.Tasks == "" || c == nil {
		return ""
	}
	var b strings.Builder
	file := Unmarked(s.Tasks)
	switch {
	case c.Error != "":
		fmt.Fprintf(&b, "The task list %s cannot be used: %s.", file, c.Error)
	case c.Done == c.Total:
		fmt.Fprintf(&b, "The task list %s: all of %s done.", file, text.Count(c.Total, "task"))
	default:
		fmt.Fprintf(&b, "The task list %s: %d of %d done. The next open task is: %s", file, c.Done, c.Total, c.Next)
	}
	if c.Began > c.Total {
		b.WriteString("\n" + c.Shrunk(file) + ".")
	}
	if iteration == 1 || c.Error != "" {
		b.WriteString("\n" + tasksRule)
	}
	return b.String() + "\n\n"
}

const tasksRule = "The promise counts only if no task of this file is open. Check a task off there when it is done; add tasks as you need them, and remove none."

// Shrunk says how many tasks are gone.
func (c *TaskCount) Shrunk(file string) string {
	return fmt.Sprintf("%s had %s when the loop began and has %d now: put back what is missing. A task that is not needed any more is checked off, not removed", file, text.Count(c.Began, "task"), c.Total)
}
