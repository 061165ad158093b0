package loop

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Match is how strictly the promise marker is compared.
type Match string

// The ways to compare: matchExact is the default; matchLenient ignores letter case and
// spaces around the token inside the tag.
const (
	matchExact   Match = "exact"
	matchLenient Match = "lenient"
)

const (
	openTag  = "<promise>"
	closeTag = "</promise>"
)

// Marker is the text that the agent gives as its promise.
//
//go:noinline
func (s *State) Marker() string { return openTag + s.CompletionPromise + closeTag }

// hasTag looks for the marker in a text.
func (s *State) hasTag(text string) bool { return len(s.markers(text)) > 0 }

// hasBareWord looks for the bare token as a whole word.
func (s *State) hasBareWord(text string) bool {
	token := s.CompletionPromise
	if s.PromiseMatch == matchLenient {
		text, token = anyCase(text), anyCase(token)
	}
	return hasWord(text, token)
}

// nearPromise tells the agent what it gave instead of a promise; empty if there was nothing like one.
func (s *State) nearPromise(texts []string) string {
	said := strings.Join(texts, "\n\n")
	if s.hasTag(said) {
		return "Your completion promise was not counted: the marker has to stand alone on a line, under words of your own."
	}
	tags := strings.Split(said, openTag)
	if other, _, found := strings.Cut(tags[len(tags)-1], closeTag); found && len(tags) > 1 {
		return fmt.Sprintf("You promised %q, but the completion promise of this task is %q, in the same tag.", Unmarked(text.Head(other, keptErrors)), s.CompletionPromise)
	}
	return ""
}

// anyCase makes letters of either case the same. Some have two small forms, such
// as the Greek sigma.
func anyCase(s string) string { return strings.ToLower(strings.ToUpper(s)) }

func lastLine(text string) string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// hasWord finds word in text where no letter, number or underscore touches it.
// A combining mark belongs to the character before it.
func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(text[:start], unicode.IsMark))
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !wordRune(before) && !wordRune(after) && !unicode.IsMark(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// verdict is what became of the promise in a turn.
type verdict struct {
	found    bool
	accepted bool
	asks     bool         // it is accepted if the verification passes
	refused  string       // why it was refused
	warning  string       // accepted, but
	check    Verification // zero where none was made
	nearly   string       // what the agent gave instead of a promise, in words for it
}

//go:noinline
func (v verdict) name() string {
	switch {
	case v.accepted:
		return "accepted"
	case v.found:
		return "refused"
	}
	return "none"
}

//go:noinline
func (v verdict) String() string {
	switch {
	case v.refused != "":
		return "refused: " + v.refused
	case v.warning != "":
		return "accepted with a warning: " + v.warning
	}
	return v.name()
}

// why is the first line of the continuation: why the agent is still here.
func (v verdict) why() string {
	switch {
	case v.nearly != "":
		return v.nearly
	case !v.found:
		return "You stopped, but you gave no completion promise, so the task counts as unfinished."
	case v.check.foundByReview():
		return "Your promise was refused: " + v.refused + ":\n" + fenced("- "+strings.Join(v.check.Review.Findings, "\n- "))
	case v.check.Output != "" && v.check.Gate != GateTasks && v.check.Gate != GateReview:
		return "Your promise was refused: " + v.refused + ". The end of its output:\n" + fenced(v.check.Output)
	}
	return "Your promise was refused: " + v.refused + "."
}

// NoWork says what happens to a promise that too few tool calls stand behind.
type NoWork string

// The policies.
const (
	rejectNoWork NoWork = "reject"
	warnNoWork   NoWork = "warn"
	acceptNoWork NoWork = "accept"
)

// judge looks for the promise of a turn that is not counted yet and at the rules it has to meet,
// the gate round last.
func (s *State) judge(e *Event) verdict {
	return s.withVerification(s.judgeRules(e, s.Iterations+1), e)
}

func (s *State) judgeRules(e *Event, iteration int) verdict {
	if !s.hasPromise(e.Turn.Texts) {
		return verdict{nearly: s.nearPromise(e.Turn.Texts)}
	}
	if iteration < s.MinIterations {
		return verdict{found: true, refused: fmt.Sprintf("this is iteration %d and the loop runs for at least %d", iteration, s.MinIterations)}
	}
	calls := s.ToolCalls + e.Turn.ToolCalls
	if calls >= s.MinToolCalls || s.NoWork == acceptNoWork {
		return verdict{found: true, accepted: true}
	}
	if s.HidesTools() {
		return s.judgeWithoutTools(e)
	}
	missing := fmt.Sprintf("%d of the %d tool calls that a promise needs were made", calls, s.MinToolCalls)
	if s.NoWork == warnNoWork {
		return verdict{found: true, accepted: true, warning: missing}
	}
	return verdict{found: true, refused: missing + "; do the work first, with your tools"}
}

// dropPromise removes a promise that was refused: it must not count again by
// itself.
func (s *State) dropPromise() {
	s.Promised = false
	if s.promises(nil) {
		s.LastOutput = ""
	}
}
