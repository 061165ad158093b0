package loop

import (
	"cmp"
	"fmt"
	"strings"
)

// StartText is what the agent reads when the loop begins: the task, the marker,
// the rules and how to record progress.
func (s *State) StartText() string {
	return s.words(1, taskWhy, false)
}

// words is the continuation for an iteration. The task is in it word for word,
// the same from the first iteration to the last.
func (s *State) words(iteration int, why string, handOver bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Ralph loop %d/%d] %s\n\n", iteration, s.MaxIterations, why)
	if s.Ultrawork {
		b.WriteString(ultrawork)
	}
	b.WriteString("The task, word for word:\n\n")
	b.WriteString(s.Prompt)
	b.WriteString("\n\n---\n")
	writeList(&b, "Added by the user:", s.Context)
	writeList(&b, "Please note:", s.Notices)
	if s.Struggle != "" {
		fmt.Fprintf(&b, struggling, s.Struggle)
	}
	b.WriteString(s.stoppingRule())
	if handOver {
		fmt.Fprintf(&b, handingOver, s.Marker(), ContinueLine(s.ConversationID), PromptLink(s.ConversationID))
	}
	return b.String()
}

func (s *State) stoppingRule() string {
	if s.Guarded() {
		return s.planRule()
	}
	return s.workRule(s.Minimal)
}

func (s *State) planRule() string {
	denied := ""
	if s.PlanGuard == GuardInstalled || s.Outer() { // there the driver denies it
		denied = "; tools that write or execute are denied"
	}
	return fmt.Sprintf(planRule, denied, s.Marker())
}

// workRule is the rule for an agent that works. In a minimal installation no hook
// sees its words.
func (s *State) workRule(minimal bool) string {
	program, id := cmp.Or(s.Program, "cursor-ralph"), s.ConversationID
	if id != "" {
		id += " " // two loops may run in one workspace
	}
	where := ""
	if minimal {
		where = fmt.Sprintf(unseenWords, program, id, s.Marker())
	}
	return fmt.Sprintf(rule, s.Marker(), where, program, id, program, id)
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

const rule = `Look at what is already done, then do the next piece of work yourself, now. End your turn normally: you are brought back until the task is done.
When, and only when, everything that the task asks for is done and checked, output exactly
%s
%sIt must be true. Do not output it to get out of the loop, not even if you seem to be stuck.
Record progress: %s note %s"what is done, what is next". If you cannot go on without the user: %s blocked %s"why".
`

const unseenWords = `Your words are not seen here, so give it by running this: %s note %s"%s"
`

const handingOver = `This is the last turn that Cursor lets the loop chain by itself. Work as before. If the task is then still not done (you did not output %s), end your turn by telling the user, as your last words, to type this line into the chat:
%s
or to open this link, which fills it in: %s
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
