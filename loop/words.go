package loop

import (
	"cmp"
	"fmt"
	"slices"
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
	b.WriteString(s.taskWords(iteration) + "---\n")
	writeList(&b, "Added by the user:", s.Context)
	writeList(&b, "Please note:", s.Notices)
	b.WriteString(s.tasksText(iteration))
	if s.Struggle != "" {
		fmt.Fprintf(&b, struggling, s.Struggle)
	}
	b.WriteString(s.stoppingRule())
	if iteration == 1 && s.Verify != "" {
		fmt.Fprintf(&b, verified, Unmarked(s.Verify))
	}
	if handOver {
		b.WriteString(s.handOverWords())
	}
	return b.String()
}

// handOverWords have the agent tell the user to send the continue line.
func (s *State) handOverWords() string {
	words := handingOver
	if s.FreshWait != "" {
		words = openingNewChat
	}
	return fmt.Sprintf(words, s.Marker(), ContinueLine(s.ConversationID), PromptLink(s.ConversationID))
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
	program, id := cmp.Or(s.Program, "cursor-ralph"), Argument(s.nameForAgent())
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

const verified = `The promise then counts only if this command succeeds in the workspace: %s
`

const openingNewChat = `This is the loop's last turn in this chat: it goes on in a new one, which remembers nothing of this one. Work as before. If the task is then still not done (you did not output %s), end your turn by telling the user, as your last words, to open a new chat and to send this line there:
%s
or to open this link, which fills it in: %s
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

// Words are what a prompt template is filled with.
type Words struct {
	Template       string // the file
	Iteration      int    // that begins now
	Max            int
	Why            string // why the agent is still here
	Task           string
	Repeat         string   // the task as --repeat has it: all of it, or its first line and where to read it
	Context        []string // added by the user
	Notices        []string // added by us
	Tasks          string   // how far the task list is; empty without one
	Struggle       string   // why the agent seems to be stuck; empty if it does not
	Marker         string   // the promise in its tag, which has to be in the text
	ID             string   // of the conversation
	NoteCommand    string   // without its text
	BlockedCommand string   // the same
	Default        string   // the whole text without a template
}

// Filled is a template that was filled in.
type Filled struct {
	For  string // the Default of the Words it was filled with
	Text string
	Why  string // it could not be; then Text is empty
}

// TemplateLimit is the longest text of a filled template, in bytes.
const TemplateLimit = 128 << 10

// Sample are words for trying a template before a loop begins.
func (s *State) Sample() Words {
	return s.fill("You stopped, but you gave no completion promise.", s.words(1, "A sample.", false))
}

func (s *State) fill(why, text string) Words {
	program, id := cmp.Or(s.Program, "cursor-ralph"), s.nameForAgent()
	return Words{
		Template: s.PromptTemplate, Iteration: s.Iterations + 1, Max: s.MaxIterations, Why: why, Task: s.Prompt, Repeat: s.taskWords(s.Iterations + 1),
		Context: s.Context, Notices: s.Notices, Tasks: strings.TrimSpace(s.tasksText(s.Iterations + 1)), Struggle: s.Struggle, Marker: s.Marker(), ID: id, Default: text,
		NoteCommand:    strings.TrimSpace(program + " note " + Argument(id)),
		BlockedCommand: strings.TrimSpace(program + " blocked " + Argument(id)),
	}
}

// withTemplate puts the text of a continuation into an action: the user's
// template, or the built-in words if it cannot be used or the agent plans, whose
// rules must be in the text. If something else changed since the template was
// filled in, it is filled in again.
func (s *State) withTemplate(e *Event, action Action, why string) Action {
	action.Text = s.words(s.Iterations+1, why, false)
	switch {
	case s.PromptTemplate == "" || !e.Words || s.Guarded():
	case e.Filled.For != action.Text:
		w := s.fill(why, action.Text)
		return Action{Kind: AskWords, Reason: reasonTemplate, Words: &w}
	case e.Filled.Why != "":
		with := *s
		with.Notices = append(slices.Clone(s.Notices), fmt.Sprintf("The user's prompt template could not be used, so these are the built-in words. Tell the user: %s: %s", s.PromptTemplate, e.Filled.Why))
		action.Text = with.words(s.Iterations+1, why, false)
	default:
		action.Text = s.withUnsaid(e.Filled.Text)
	}
	return action
}

// withUnsaid adds to a text the context and notices that a template leaves out:
// once delivered they are gone.
func (s *State) withUnsaid(text string) string {
	unsaid := func(items []string) []string {
		return slices.DeleteFunc(slices.Clone(items), func(item string) bool { return strings.Contains(text, item) })
	}
	var b strings.Builder
	writeList(&b, "Added by the user:", unsaid(s.Context))
	writeList(&b, "Please note:", unsaid(s.Notices))
	if b.Len() == 0 {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\n" + strings.TrimSuffix(b.String(), "\n")
}
