package loop

import (
	"cmp"
	"fmt"
	"strings"
)

// InLoopMode is a loop of these rules that has a user's message as its task, word
// for word.
func (s State) InLoopMode(message, generation string) State {
	s.Prompt, s.Due = message, Due{After: dueMessage, In: generation}
	s.Notices = []string{fmt.Sprintf(modeNotice, cmp.Or(s.Program, "cursor-ralph"))}
	return s
}

// ContractText is what the agent reads beside a message that began a loop. The task is in the message, so it is not repeated, or in
// a file, whose name is in the message. fits is a command that verifies the work in this project, if one is known.
func (s *State) ContractText(fits, file string) string {
	why := "This message has started a Ralph loop; there is nothing to run for that. Begin by telling the user this line.\nunderstood: " + s.Understood(fits) + "\nThe task in the message is yours."
	if file != "" {
		why = strings.Replace(why, "in the message", "of "+file, 1)
	}
	if s.Due.After == dueMessage {
		why = "The user has loop mode on: this message is the task of a Ralph loop."
	}
	var b strings.Builder
	fmt.Fprintf(&b, opening+"1/%d] %s Each time you stop before the task is done, you get it again.\n\n", s.MaxIterations, why)
	if s.Ultrawork {
		b.WriteString(ultrawork)
	}
	if file != "" {
		b.WriteString(s.wholeTask() + "---\n")
	}
	b.WriteString(s.tasksText(1))
	b.WriteString(s.stoppingRule())
	b.WriteString(s.lastTurnText(1))
	return b.String()
}

const modeNotice = "Loop mode is on in this workspace, so the user's message became this loop. The user switches it off with `%s loop-mode off`, and ends this loop with /cancel-ralph or Cursor's Stop button."

// onMessageAfterEnd notes that the conversation goes on after the loop's end: if all turns
// have one generation, words from now on are not the loop's. The user's first message after
// a cancel is about the cancel and no task. The loop's own last follow-up, which crossed with its
// end, is not a message of the user.
func (s *State) onMessageAfterEnd(e *Event) Action {
	s.LastStop.Past = s.LastStop.Past || e.Generation == s.LastStop.Generation
	switch {
	case s.IsOwn(e.Text):
		return Action{Reason: reasonLastFollowup}
	case s.Status != Cancelled || !Ordinary(e.Text) || s.AfterCancel:
		return Action{}
	}
	s.AfterCancel = true
	return Action{Reason: reasonFirstAfterCancel}
}
