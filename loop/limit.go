package loop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// limit is a hard limit that a loop has reached.
type limit struct {
	status Status // empty for none
	reason Reason
	detail string
	hint   string // how to raise it
}

func (l limit) why() string { return l.reason.text(l.detail) }

// refuse refuses to continue a loop at a limit.
func (l limit) refuse() Action {
	return Action{Kind: Refuse, Reason: l.reason, Detail: l.detail, Hint: l.hint}
}

func (s *State) atLimit(now time.Time) (l limit) {
	switch elapsed, allowed := s.Worked(now), time.Duration(s.MaxDuration); {
	case s.Iterations >= s.MaxIterations:
		l = limit{status: MaxIterations, reason: reasonMaxIterations, detail: text.Count(s.MaxIterations, "iteration")}
	case allowed > 0 && elapsed >= allowed:
		l = limit{status: MaxDuration, reason: reasonMaxDuration, detail: text.Exactly(allowed)}
	case s.hasMaxTokens():
		l = limit{status: MaxTokens, reason: reasonMaxTokens, detail: countTokens(s.MaxTokens)}
	default:
		return limit{}
	}
	l.hint = "a loop has at most 10000 iterations; start a new one with " + s.starter()
	if command := s.ResumeCommand(now); command != "" {
		l.hint = "raise it: " + command
	}
	return l
}

// IsLimit reports whether an option is a limit, which a continue may raise.
func IsLimit(option string) bool {
	return option == "max-iterations" || option == "max-duration" || option == "max-tokens"
}

// higherLimits are the options that let a loop go on which has reached a limit.
func (s *State) higherLimits(now time.Time) (options string) {
	elapsed, allowed := s.Worked(now), time.Duration(s.MaxDuration)
	if s.Iterations >= s.MaxIterations {
		options = fmt.Sprintf(" --max-iterations %d", min(s.Iterations+defaultMaxIterations, MaxMaxIterations))
	}
	if allowed > 0 && elapsed >= allowed {
		options += fmt.Sprintf(" --max-duration %s", text.Exactly((elapsed+allowed).Truncate(time.Minute)+time.Minute))
	}
	if s.hasMaxTokens() {
		options += fmt.Sprintf(" --max-tokens %d", min(s.Tokens.Sum()+s.MaxTokens, maxMaxTokens))
	}
	return options
}

// ResumeCommand returns the command that continues a loop, with the limits that it
// has to raise. It is empty if the loop cannot be continued.
func (s *State) ResumeCommand(now time.Time) string {
	command := "cursor-ralph continue "
	if s.Outer() {
		command = "cursor-ralph run --resume "
	}
	return s.resumedBy(command+s.ShortID(), now)
}

// resumeLine returns the line that continues a loop when it is sent in a chat,
// otherwise like ResumeCommand.
func (s *State) resumeLine(now time.Time) string {
	return s.resumedBy(ContinueLine(s.ShortID()), now)
}

func (s *State) resumedBy(line string, now time.Time) string {
	if !s.Status.Resumable() || s.Iterations >= MaxMaxIterations {
		return ""
	}
	return line + s.higherLimits(now)
}

// starter is what begins a loop such as this one.
func (s *State) starter() string {
	if s.Outer() {
		return "cursor-ralph run"
	}
	return "/ralph-loop"
}

// tooLow refuses a new limit that is already reached: it is a slip, and would end
// the loop.
func (s *State) tooLow(e *Event, now time.Time) Action {
	switch {
	case e.MaxIterations > 0 && e.MaxIterations <= s.Iterations:
		return Action{Kind: Refuse, Reason: reasonTooLow, Detail: strconv.Itoa(e.MaxIterations),
			Hint: fmt.Sprintf("nothing was changed; --max-iterations counts all iterations, and the loop has done %d: for %d more, give %d", s.Iterations, e.MaxIterations, s.Iterations+e.MaxIterations)}
	case e.MaxDuration > 0 && s.Worked(now) >= time.Duration(e.MaxDuration):
		return Action{Kind: Refuse, Reason: reasonTooLow, Detail: text.Exactly(time.Duration(e.MaxDuration)),
			Hint: fmt.Sprintf("nothing was changed; the loop has worked for %s: give a longer --max-duration", text.Duration(s.Worked(now)))}
	case e.MaxTokens > 0 && s.Tokens != nil && s.Tokens.Sum() >= e.MaxTokens:
		return Action{Kind: Refuse, Reason: reasonTooLow, Detail: countTokens(e.MaxTokens),
			Hint: fmt.Sprintf("nothing was changed; the loop has taken %s: give a higher --max-tokens", countTokens(s.Tokens.Sum()))}
	}
	return Action{}
}

// summary says, at a limit, what was tried and what stood in the way.
func (s *State) summary(limit limit, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %s in %s", limit.why(), text.Count(s.Iterations, "iteration"), text.Duration(s.Worked(now)))
	if !s.HidesTools() {
		b.WriteString(", " + text.Count(s.ToolCalls, "tool call"))
	}
	if all := s.Tokens; all != nil {
		b.WriteString(", " + countTokens(all.Sum()))
	}
	refused, errors := 0, []string(nil)
	for _, h := range s.History {
		if h.Promise == "refused" {
			refused++
		}
		for _, line := range h.Errors {
			errors = addFact(errors, line)
		}
	}
	if refused > 0 {
		fmt.Fprintf(&b, "; promise refused %s, at last because %s", text.Count(refused, "time"), s.lastRefusal())
	} else {
		b.WriteString("; the promise was never given")
	}
	if n := len(errors); n > 0 {
		fmt.Fprintf(&b, "; blockers seen: %s", strings.Join(newest(errors, 3), " | "))
	}
	if s.LastOutput != "" {
		fmt.Fprintf(&b, "; last progress note: %s", text.FirstHead(s.LastOutput, keptErrors))
	}
	return b.String()
}

func (s *State) lastRefusal() string {
	for _, h := range slices.Backward(s.History) {
		if h.Refused != "" {
			return h.Refused
		}
	}
	return "unknown"
}
