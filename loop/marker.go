package loop

import (
	"slices"
	"strings"
	"unicode"
)

// saysPromise reports whether a message has a marker that is a promise: neither a mention nor a quotation of our rule.
func (s *State) saysPromise(message string) bool {
	return slices.ContainsFunc(s.markers(message), func(m [2]int) bool {
		return isOwnSentence(message, m) && !s.isRuleQuoted(message[:m[0]])
	})
}

// around is what may stand around a marker on its line, and between a finished sentence and the marker.
func around(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_~`", r) }

// isOwnSentence reports whether a marker is alone on its line, or at the end of the message after a finished sentence. Elsewhere it
// is a mention.
func isOwnSentence(message string, m [2]int) bool {
	before, after := message[:m[0]], message[m[1]:]
	rest, _, _ := strings.Cut(after, "\n")
	if strings.TrimLeftFunc(before[strings.LastIndexByte(before, '\n')+1:], around) == "" && isNothing(rest) {
		return true
	}
	before = strings.TrimRightFunc(before, around)
	return before != "" && strings.ContainsRune(".!?", rune(before[len(before)-1])) && isNothing(after)
}

// isNothing reports whether there is nothing behind a marker, a full stop aside.
func isNothing(after string) bool {
	after = strings.TrimFunc(after, around)
	return after == "" || after == "."
}

// quotedWords is how many words before a marker show that our rule is repeated, never the marker itself: the rule asks for exactly
// that.
const quotedWords = 3

// isRuleQuoted reports whether what stands before a marker ends as our rule does before its marker.
func (s *State) isRuleQuoted(before string) bool {
	words := lastWords(before)
	for _, rule := range []string{s.workRule(), s.planRule()} {
		lead, _, _ := strings.Cut(rule, s.Marker())
		if slices.EqualFunc(words, lastWords(lead), strings.EqualFold) {
			return true
		}
	}
	return false
}

// lastWords are the last words of the last line that has words.
func lastWords(text string) []string {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	text = strings.TrimRightFunc(text, apart)
	words := strings.FieldsFunc(text[strings.LastIndexByte(text, '\n')+1:], apart)
	return words[max(0, len(words)-quotedWords):]
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
