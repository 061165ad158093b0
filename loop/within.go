package loop

import (
	"cmp"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// keptFirstLine is how many bytes of the task's first line stand for all of it.
const keptFirstLine = 300

func (s *State) wholeTask() string { return "The task, word for word:\n\n" + s.Prompt + "\n\n" }

func (s *State) taskStart() string {
	return "The task begins:\n\n" + text.FirstHead(s.Prompt, keptFirstLine) + "\n\n" + s.whereTask()
}

// Within returns a continuation that a host does not cut: at most limit bytes, as size counts them. First the task gives way to its
// beginning and the command that prints it, then what stands before the rule. The rule, with the marker, is never shortened.
func (s *State) Within(text string, limit int, size func(string) int) string {
	if limit <= 0 || size(text) <= limit {
		return text
	}
	text = strings.Replace(text, s.wholeTask(), s.taskStart(), 1)
	at := strings.LastIndex(text, s.stoppingRule())
	if size(text) <= limit || at < 0 {
		return text
	}
	note := "\n(This was too long for this program. Read the rest by running: " + s.command("history") + ")\n\n"
	head := text[:at]
	for size(head)+size(note)+size(text[at:]) > limit && head != "" {
		head = strings.ToValidUTF8(head[:len(head)*9/10], "")
	}
	return head + note + text[at:]
}

// whereTask tells the agent how to read the whole task.
func (s *State) whereTask() string {
	return "Unless you remember all of it exactly, read it word for word by running: " + s.command("task") + "\n\n"
}

// command is a command about this loop, as the agent's shell calls it.
func (s *State) command(name string) string {
	return strings.TrimSpace(cmp.Or(s.Program, "cursor-ralph") + " " + name + " " + s.ShortID())
}
