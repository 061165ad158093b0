package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

type retelling struct {
	action string      // any, if empty
	event  string      // only for this event, if not empty
	reason loop.Reason // only for this reason, if not empty; lines of older versions have none
	silent bool        // only if the line has no reason in words
	words  string      // {promise} and {why} stand for the line's fields
}

// retellings has every action that is written to the log; the first that fits
// counts. A test finds one that is missing.
var retellings = []retelling{
	{action: "followup", words: "{promise}; continued"},
	{action: "hand-over", words: "{promise}; Cursor's session limit is reached, so the agent asks the user to type the continue line"},
	{action: "inject", reason: loop.ReasonSessionLimit, words: "{promise}; Cursor's session limit is reached, so the continue line is typed into the chat"},
	{action: "inject", words: "{promise}; the continue line is typed into the chat: {why}"},
	{action: "rest", event: "beforeSubmitPrompt", silent: true, words: "a command that the user typed in the chat was obeyed"},
	{action: "rest", event: "beforeSubmitPrompt", words: "a message of the user changed nothing: {why}"},
	{action: "rest", event: "run", words: "the agent rests: {why}"},
	{action: "rest", words: "{promise}; nothing was answered: {why}"},
	{action: "again", words: "the agent rests: {why}"},
	{action: "refuse", words: "not done: {why}"},
	{action: "await-text", words: "the hook waits for the agent's last words"},
	{action: "ask-typing", words: "the hook finds out whether the continue line can be typed here"},
	{action: "ask-verify", words: "{promise}; nothing is decided until the promise is verified"},

	{reason: loop.ReasonLatePromise, words: "the agent's words came after the end: {promise}; so the task counts as done"},
	{reason: loop.ReasonLateRefused, words: "the agent's words came after the end: {promise}; nothing changes"},
	{reason: loop.ReasonOver, words: "{promise}; {why}"},
	{reason: loop.ReasonEnded, words: "not done: {why}"},
	{action: "PROMISE_ACCEPTED", words: "{promise}; the loop has ended"},
	{action: "MAX_ITERATIONS_REACHED", words: "{promise}; the loop has ended: {why}"},
	{action: "MAX_DURATION_REACHED", words: "{promise}; the loop has ended: {why}"},
	{action: "MAX_TOKENS_REACHED", words: "{promise}; the loop has ended: {why}"},
	{action: "USER_STOPPED", words: "{promise}; the loop has ended: {why}"},
	{action: "CANCELLED", words: "{promise}; the loop has ended: {why}"},
	{action: "BLOCKED", words: "{promise}; the loop has ended: {why}"},
	{action: "REPLACED", words: "{promise}; the loop has ended: another one took its place"},

	{action: "warning", words: "beware: {why}"},
	{action: "pruned", words: "records were removed: {why}"},
	{action: "paused", words: "the user paused the loop"},
	{action: "resumed", words: "the user resumed the loop"},
	{action: "set", words: "the user changed limits or gates: {why}"},
	{action: "context-added", words: "the user added something for the next continuation"},
	{action: "continued", words: "the loop goes on in a new session"},

	{action: "commands-ignored", words: "commands in a file that an agent can write were not run"},
	{action: "armed", words: "the user asked for a loop in this chat"},
	{action: "loop-mode", words: "loop mode made a loop of the user's message"},
	{action: "bound", words: "a loop that the agent asked for was bound to this chat"},
	{action: "claimed", words: "the loop that was asked for begins in this chat"},
	{action: "second-loop-refused", words: "a second loop was asked for and was not started, because one runs here"},
	{action: "restored", words: "the loop's file was gone, as after a restart; the loop goes on from its record"},
	{action: "moved", words: "the loop came to this chat from another"},
	{action: "message-kept-back", words: "a message of the user was answered and did not go to the agent: {why}"},
	{action: "stale", words: "the loop had no event for a long time: {why}"},
	{action: "asks", words: "the agent asks the user to permit this: {why}"},
	{action: "verifying", words: "promise found; it is being verified by {why}"},
	{action: "verified", reason: loop.ReasonPassed, words: "the verification passed: {why}"},
	{action: "verified", reason: loop.ReasonFailed, words: "the verification failed: {why}"},
	{action: "verified", words: "the verification ended: {why}"},
	{action: "git-not-asked", words: "git did not say what changed: {why}"},
	{action: "survey-failed", words: "the tasks or the work tree could not be looked at: {why}"},
	{action: "on-end", words: "the command of --on-end: {why}"},

	{action: "followup-lost", words: "the last follow-up did not arrive in time; it is delivered again: {why}"},
	{action: "stalled", words: "the loop has stalled: {why}"},
	{action: "notify", words: "the user was notified: {why}"},

	{action: "typing-impossible", words: "the continue line cannot be typed here: {why}"},
	{action: "injected", reason: loop.ReasonPassed, words: "the continue line was typed, and arrived: {why}"},
	{action: "injected", reason: loop.ReasonFailed, words: "the continue line did not arrive: {why}"},
	{action: "injected", words: "how typing the continue line went: {why}"},
	{action: "not-typed", words: "the continue line was not typed: {why}"},
	{action: "step", words: "on the way to type the continue line: {why}"},
	{action: "error", words: "something went wrong: {why}"},
}

func explain(l hooklog.Line) string {
	words := "something this version does not know: " + l.Action + ": {why}"
	if l.Action == "" {
		words = "a line that cannot be read: {why}"
	}
	if n := slices.IndexFunc(retellings, func(r retelling) bool { return r.fits(l) }); n >= 0 {
		words = retellings[n].words
	}
	words = strings.NewReplacer("{promise}", describePromise(l.Promise), "{why}", l.Why).Replace(words)
	words = strings.Trim(words, ";: ") // what the line did not say
	switch {
	case l.Max > 0 && l.Iteration > 0:
		words = fmt.Sprintf("iteration %d: %s", l.Iteration, words)
	case l.Max > 0:
		words = "before the first iteration: " + words
	}
	return cli.Shortened(words, sentenceWidth)
}

// sentenceWidth is how many characters of a sentence are shown; the log has
// more.
const sentenceWidth = 400

func (r retelling) fits(l hooklog.Line) bool {
	return (r.action == "" || r.action == l.Action) && (r.event == "" || r.event == l.Event) && (r.reason == "" || r.reason == l.Reason) && (!r.silent || l.Why == "")
}

func describePromise(promise string) string {
	why, refused := strings.CutPrefix(promise, "refused: ")
	switch {
	case refused:
		return "promise found, refused because " + why
	case promise == "none":
		return "no promise"
	case strings.HasPrefix(promise, "accepted"):
		return "promise found and " + promise
	}
	return promise
}

// retold returns a log in sentences, each with its time. A new day begins with its
// date. With several, each line names its loop.
func retold(lines []string, several bool) string {
	all := named(parsed(lines))
	var b strings.Builder
	day := ""
	for _, l := range all {
		at := "--:--:--"
		if !l.At.IsZero() {
			if today := l.At.Local().Format("2006-01-02"); today != day {
				day = today
				b.WriteString(day + "\n")
			}
			at = l.At.Local().Format("15:04:05")
		}
		b.WriteString(at + "  ")
		if several {
			fmt.Fprintf(&b, "%-8.8s  ", l.Conversation)
		}
		b.WriteString(explain(l) + "\n")
	}
	return b.String()
}

// parsed returns the lines of a log; one that cannot be read has only its text.
func parsed(lines []string) (all []hooklog.Line) {
	for _, text := range lines {
		l, err := hooklog.Parse(text)
		if err != nil {
			l = hooklog.Line{Why: strings.TrimRight(text, "\r\n")}
		}
		l.Conversation = cli.Shortened(l.Conversation, 128) // it comes from the hook's input, so it may be anything
		all = append(all, l)
	}
	return all
}

// named has the short id of the loop in the place of its conversation, as far as a
// line of that conversation has told it.
func named(lines []hooklog.Line) []hooklog.Line {
	ids := map[string]string{}
	for i, l := range lines {
		if l.Loop != "" {
			ids[l.Conversation] = cli.Shortened(l.Loop, 128)
		}
		lines[i].Conversation = cmp.Or(ids[l.Conversation], l.Conversation)
	}
	return lines
}
