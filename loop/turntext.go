package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// opening begins each of our texts for the agent.
const opening = "[Ralph loop "

// StartText is what the agent reads when the loop begins: the task, the marker,
// the rules and how to record progress.
func (s *State) StartText() string {
	return s.turnText(1, taskWhy, false)
}

// turnText is the continuation for an iteration. The task is in it word for word,
// the same from the first iteration to the last.
func (s *State) turnText(iteration int, why string, handOver bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, opening+"%d/%d] %s\n\n", iteration, s.MaxIterations, why)
	if s.Ultrawork {
		b.WriteString(ultrawork)
	}
	b.WriteString(s.wholeTask() + "---\n")
	writeList(&b, "Added while you worked:", s.Context)
	writeList(&b, "Please note:", s.Notices)
	writeList(&b, "What failed in the last iteration:", s.lastErrors(iteration))
	b.WriteString(s.tasksText(iteration))
	if s.Struggle != "" {
		fmt.Fprintf(&b, struggling, s.Struggle)
	}
	b.WriteString(s.stoppingRule())
	if iteration == 1 && s.Verify != "" {
		fmt.Fprintf(&b, verified, Unmarked(s.Verify))
	}
	b.WriteString(s.lastTurnText(iteration))
	if handOver {
		b.WriteString(s.handOverText())
	}
	return b.String()
}

// saidErrors is how many errors of an iteration the next continuation names.
const saidErrors = 3

// lastErrors are those of the iteration before.
func (s *State) lastErrors(iteration int) (errors []string) {
	n := len(s.History)
	if n == 0 || s.History[n-1].Number != iteration-1 {
		return nil
	}
	for _, line := range newest(s.History[n-1].Errors, saidErrors) {
		errors = append(errors, Unmarked(line))
	}
	return errors
}

// lastTurnText announces the last turn before the limit of iterations.
func (s *State) lastTurnText(iteration int) string {
	if iteration < s.MaxIterations {
		return ""
	}
	return fmt.Sprintf(lastTurn, text.Count(s.MaxIterations, "iteration"))
}

// handOverText has the agent tell the user to send the continue line.
func (s *State) handOverText() string {
	return fmt.Sprintf(handingOver, cmp.Or(s.Host, "Cursor"), s.Marker(), ContinueLine(s.ShortID()))
}

func (s *State) stoppingRule() string {
	if s.Plans() {
		return s.planRule()
	}
	return s.workRule()
}

func (s *State) planRule() string {
	denied := ""
	if s.Outer() { // the driver denies it
		denied = "; tools that write or execute are denied"
	}
	return fmt.Sprintf(planRule, denied, s.Marker())
}

// workRule is the rule for an agent that works.
func (s *State) workRule() string {
	program, id := cmp.Or(s.Program, "cursor-ralph"), s.nameForAgent()
	if id != "" {
		id += " " // two loops may run in one workspace
	}
	return fmt.Sprintf(rule, s.Marker(), program, id, program, id)
}

const ultrawork = `Ultrawork: use everything you have. Plan before you act, look at all that the task touches, leave no part for later, check every result by running it, and distrust your first answer.

`

const struggling = `You seem to be stuck: %s. Do not try the same once more. Look at what really happens, question what you took for granted, take a smaller step or another way.

`

const planRule = `Plan mode: change nothing and run nothing%s. Read, search and think. Write the plan as Markdown into .cursor/plans: stage and describe each change, and what speaks against it. The user approves and executes it, not you.
When, and only when, the plan is whole and checked against everything that the task asks for, output exactly
%s
It must be true. Do not output it to get out of the loop, not even if you seem to be stuck. If you cannot go on without the user, say so as your last words.
`

const rule = `Do the next piece of work now, then end your turn: you come back until all is done.
Only when all of it is done and checked, output exactly
%s
It must be true. Never output it just to get out.
Record progress: %s note %s"done; next". If you cannot go on without the user: %s blocked %s"why".
`

const verified = `The promise then counts only if this command succeeds in the workspace: %s
`

const lastTurn = `This is the loop's last turn: its limit is %s. Leave the work in a good state, and end with a summary of what is done and what is missing.
`

const handingOver = `This is the last turn that %s lets the loop chain by itself. Work as before. If the task is then still not done (you did not output %s), end your turn by telling the user, as your last words, to send this line in the chat:
%s
`

func writeList(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString(title + "\n")
	for _, item := range items {
		b.WriteString("- " + item + "\n")
	}
	b.WriteString("\n")
}

// withUnsaid adds to a text the context and notices that it does not have: once
// delivered they are gone.
func (s *State) withUnsaid(text string) string {
	unsaid := func(items []string) []string {
		return slices.DeleteFunc(slices.Clone(items), func(item string) bool { return strings.Contains(text, item) })
	}
	var b strings.Builder
	writeList(&b, "Added while you worked:", unsaid(s.Context))
	writeList(&b, "Please note:", unsaid(s.Notices))
	if b.Len() == 0 {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\n" + strings.TrimSuffix(b.String(), "\n")
}
