package loop

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Ordinary tells whether a message may become the task of a loop in loop mode.
// A command may not, nor may the text of one of ours, which some Cursors show a
// hook instead of what was typed. That of another's command cannot be known.
func Ordinary(message string) bool {
	_, _, isCommand := SlashCommand(message)
	return !isCommand && strings.TrimSpace(message) != "" && !strings.Contains(message, installedMark)
}

// installedMark begins the last line of each slash command that is installed.
const installedMark = "<!-- cursor-ralph: installed file"

// InLoopMode is a loop of these rules that loop mode makes of a user's message,
// which is its task word for word.
func (s State) InLoopMode(message string) State {
	s.Prompt, s.ArmedBy = message, "mode"
	s.Notices = []string{fmt.Sprintf(modeNotice, cmp.Or(s.Program, "cursor-ralph"))}
	return s
}

// ContractText is what the agent is told beside a message that loop mode made a
// loop of. The task is not in it: that is the message.
func (s State) ContractText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Ralph loop 1/%d] The user has loop mode on: this message is the task of a Ralph loop. Each time you stop before it is done, you get it again.\n\n", s.MaxIterations)
	if s.Ultrawork {
		b.WriteString(ultrawork)
	}
	b.WriteString(s.stoppingRule())
	return b.String()
}

const modeNotice = "Loop mode is on in this workspace, so the user's message became this loop. The user switches it off with `%s loop-mode off`, and ends this loop with /cancel-ralph or Cursor's Stop button."

// unknownTurn stands for a turn that Cursor gave no id.
const unknownTurn = "unknown"

// spoken notes the user's first message after the loop was cancelled, which is
// about that and no task. Our hook may be installed in two places: both reports
// of that message get the same answer. The loop's own last follow-up, which
// crossed with its end, is no message of the user.
func (s State) spoken(e Event, now time.Time) (State, Action) {
	if s.IsOwn(e.Text) {
		return s, Action{Why: "the message is the last follow-up of a loop that has ended"}
	}
	again := s.SpokenIn == cmp.Or(e.Generation, unknownTurn) && (e.Generation != "" || now.Sub(s.SpokenAt).Abs() < duplicateWindow)
	if s.Status != Cancelled || s.SpokenIn != "" && !again {
		return s, Action{}
	}
	s.SpokenIn, s.SpokenAt = cmp.Or(e.Generation, unknownTurn), now
	return s, Action{Why: "the first message after a cancel starts no loop"}
}
