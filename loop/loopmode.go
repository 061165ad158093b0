package loop

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Ordinary reports whether loop mode may make a message the task of a loop: not a
// command, nor the text of one of our commands, which some Cursors show to a hook
// instead of what was typed. The texts of other commands are unknown.
func Ordinary(message string) bool {
	_, _, isCommand := SlashCommand(message)
	return !isCommand && strings.TrimSpace(message) != "" && !strings.Contains(message, installedMark)
}

// installedMark begins the last line of each slash command that is installed.
const installedMark = "<!-- cursor-ralph: installed file"

// InLoopMode is a loop of these rules that has a user's message as its task, word
// for word.
func (s State) InLoopMode(message string) State {
	s.Prompt, s.ArmedBy = message, "mode"
	s.Notices = []string{fmt.Sprintf(modeNotice, cmp.Or(s.Program, "cursor-ralph"))}
	return s
}

// ContractText is what the agent reads beside a message that loop mode made a loop
// of. The message is the task, so the task is not repeated.
func (s *State) ContractText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Ralph loop 1/%d] The user has loop mode on: this message is the task of a Ralph loop. Each time you stop before it is done, you get it again.\n\n", s.MaxIterations)
	if s.Ultrawork {
		b.WriteString(ultrawork)
	}
	b.WriteString(s.tasksText(1))
	b.WriteString(s.stoppingRule())
	return b.String()
}

const modeNotice = "Loop mode is on in this workspace, so the user's message became this loop. The user switches it off with `%s loop-mode off`, and ends this loop with /cancel-ralph or Cursor's Stop button."

// unknownTurn stands for a turn that Cursor gave no id.
const unknownTurn = "unknown"

// onSpoken notes the user's first message after the loop was cancelled, which is
// about the cancel and no task. If our hook is installed in two places, both
// reports of that message get the same answer: they come at once, with the same
// words and before that turn ends. The loop's own last follow-up, which crossed
// with its end, is not a message of the user.
func (s *State) onSpoken(e *Event, now time.Time) Action {
	if s.IsOwn(e.Text) {
		return Action{Reason: reasonLastFollowup}
	}
	turn, words := cmp.Or(e.Generation, unknownTurn), fingerprint([]string{e.Text})
	again := s.SpokenIn == turn && now.Sub(s.SpokenAt).Abs() < busyWindow && (s.Spoken == "" || s.Spoken == words)
	if s.Status != Cancelled || s.SpokenIn != "" && !again {
		return Action{}
	}
	s.SpokenIn, s.SpokenAt, s.Spoken = turn, now, words
	return Action{Reason: reasonFirstAfterCancel}
}

// onAfterEnd notes that the conversation goes on after the loop's end: a message
// came, or a turn ended. If all turns have one generation, words from now on are
// not the loop's.
func (s *State) onAfterEnd(e *Event) {
	switch {
	case e.Status != "":
		s.SpokenAt = time.Time{}
	case e.Generation == s.LastStop.Generation:
		s.LastStop.Past = true
	}
}
