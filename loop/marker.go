package loop

import (
	"slices"
	"strings"
	"unicode"
)

// hasPromise reports whether there is a promise for the gates: one of this turn, or the one in which the loop was paused.
func (s *State) hasPromise(texts []string) bool { return s.Promised || s.promises(texts) }

// promises looks for the promise in the messages of the assistant, and in last_output. In last_output the tag counts anywhere,
// and the bare token too, if it was written by hand; from cursor-ralph note it is a message as any ("Phase 1 COMPLETE" is
// progress).
func (s *State) promises(texts []string) bool {
	switch {
	case s.CompletionPromise == "":
		return false
	case slices.ContainsFunc(texts, s.isPromise):
		return true
	case s.LastOutput == s.Note:
		return s.isPromise(s.LastOutput)
	}
	return s.hasTag(s.LastOutput) || s.hasBareWord(s.LastOutput)
}

// isPromise reports whether a message has a marker that counts: alone on a line, or at the end after a finished sentence, and no
// quotation of our rule.
func (s *State) isPromise(message string) bool {
	return slices.ContainsFunc(s.markers(message), func(at [2]int) bool {
		before, after := message[:at[0]], message[at[1]:]
		return isOnItsOwn(before, after) && !s.isQuotation(before)
	})
}

// around may stand around a marker, beside white space.
const around = "*_~`"

// isOnItsOwn reports whether a marker with this text before and behind it is alone on its line, or ends the message after a finished
// sentence.
func isOnItsOwn(before, after string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	rest, _, _ := strings.Cut(after, "\n")
	switch {
	case bare(line) == "":
		return bare(rest) == "" || bare(rest) == "."
	case bare(after) != "" && bare(after) != ".":
		return false
	}
	return strings.ContainsAny(lastOf(bare(line)), ".!?")
}

// bare is text without white space and emphasis at its ends.
func bare(text string) string {
	return strings.TrimFunc(text, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(around, c) })
}

func lastOf(text string) string { return text[max(0, len(text)-1):] }

// ruleWords is how many words before a marker show that it quotes our rule.
const ruleWords = 3

// isQuotation reports whether the words before a marker are those before the marker in our rule.
func (s *State) isQuotation(before string) bool {
	rule, _, _ := strings.Cut(s.stoppingRule(), s.Marker())
	ours, theirs := lastWords(rule), lastWords(before)
	return len(theirs) == ruleWords && slices.Equal(ours, theirs)
}

// lastWords are the last words of a text, without what stands around them.
func lastWords(text string) (words []string) {
	for _, word := range strings.Fields(text) {
		if word = strings.TrimFunc(word, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }); word != "" {
			words = append(words, word)
		}
	}
	return words[max(0, len(words)-ruleWords):]
}

// markers finds the tags that are the promise.
func (s *State) markers(text string) (found [][2]int) {
	tag, atTag := s.Marker(), s.exactAt
	if s.PromiseMatch == matchLenient {
		tag, atTag = "<", s.lenientAt
	}
	for from := 0; ; {
		i := strings.Index(text[from:], tag)
		if i < 0 {
			return found
		}
		from += i
		end := atTag(text, from)
		if end < 0 {
			from++
			continue
		}
		found = append(found, [2]int{from, end})
		from = end
	}
}

func (s *State) exactAt(_ string, from int) int { return from + len(s.Marker()) }

// lenientAt is the end of the marker that begins at a byte, or -1.
func (s *State) lenientAt(text string, from int) int {
	for _, part := range []string{openTag, anyCase(s.CompletionPromise), closeTag} {
		if from = anyCaseEnd(text, from, part); from < 0 {
			return -1
		}
		if part != closeTag {
			from = len(text) - len(strings.TrimLeftFunc(text[from:], unicode.IsSpace))
		}
	}
	return from
}

// anyCaseEnd is the end of rest, in letters of any case, that begins at a byte
// of a text, or -1.
func anyCaseEnd(text string, from int, rest string) int {
	for i, r := range text[from:] {
		if rest == "" {
			return from + i
		}
		after, ok := strings.CutPrefix(rest, anyCase(string(r)))
		if !ok {
			return -1
		}
		rest = after
	}
	if rest != "" {
		return -1
	}
	return len(text)
}
