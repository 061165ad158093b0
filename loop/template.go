package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Words are what a prompt template is filled with.
type Words struct {
	Template       string // the file
	Iteration      int    // that begins now
	Max            int
	Why            string // why the agent is still here
	Task           string
	Context        []string // added by the user
	Notices        []string // added by us
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
	program, id := cmp.Or(s.Program, "cursor-ralph"), s.ConversationID
	return Words{
		Template: s.PromptTemplate, Iteration: s.Iterations + 1, Max: s.MaxIterations, Why: why, Task: s.Prompt,
		Context: s.Context, Notices: s.Notices, Struggle: s.Struggle, Marker: s.Marker(), ID: id, Default: text,
		NoteCommand:    strings.TrimSpace(program + " note " + id),
		BlockedCommand: strings.TrimSpace(program + " blocked " + id),
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
