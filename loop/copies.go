package loop

import (
	"slices"
	"strings"
	"unicode"
)

// An agent repeats what it was given: the task, our rule, a continuation. A marker in such a copy promises nothing. The words
// before a marker show that it is one, never the marker itself: our rule asks for exactly that. They are compared without what
// quoting adds or changes: white space, line breaks, "> " and "| ", line numbers, fences, emphasis and punctuation.

// copiedWords is how many words before a marker make it a copy. A marker whose paragraph has fewer is a copy with these.
const copiedWords = 4

// hasPromise reports whether there is a promise for the gates: one of this turn, or the one in which the loop was paused.
func (s *State) hasPromise(texts []string) bool { return s.Promised || s.promises(texts) }

// promises looks for the promise in what the assistant said, and in last_output. In last_output the bare token counts too if it
// was written by hand; from cursor-ralph note only the tag does ("Phase 1 COMPLETE" is progress).
func (s *State) promises(texts []string) bool {
	if s.CompletionPromise == "" {
		return false
	}
	if s.hasOwnTag(joinTexts(texts)) {
		return true
	}
	if s.LastOutput == s.Note {
		return s.hasOwnTag(s.LastOutput)
	}
	return s.hasTag(s.LastOutput) || s.hasBareWord(s.LastOutput) // by hand
}

// joinTexts makes one text of the messages of a turn, each a paragraph or more of its own.
func joinTexts(texts []string) string { return strings.Join(texts, "\n\n") }

// hasOwnTag reports whether a text has a marker that is not a copy.
func (s *State) hasOwnTag(text string) bool {
	if !s.hasTag(text) {
		return false
	}
	said := s.wordsOf(text)
	var given [][]word
	for _, source := range []string{s.Prompt, s.LastFollowup, s.planRule(), s.workRule()} {
		given = append(given, s.wordsOf(source))
	}
	for i, w := range said {
		copies := func(source []word) bool { return isCopy(said, i, source) }
		if w.isMarker() && !slices.ContainsFunc(given, copies) {
			return true
		}
	}
	return false
}

// isCopy reports whether the words before the marker said[i] stand before a marker of a source, too. The end of what was said may
// be the line that the task asks for: there the line before must be repeated as well.
func isCopy(said []word, i int, source []word) bool {
	for j, w := range source {
		if !w.isMarker() {
			continue
		}
		need := min(wordsBefore(said, i), wordsBefore(source, j))
		if i == len(said)-1 {
			line := lineStart(said, i)
			if line == 0 {
				return false
			}
			need = max(need, i-lineStart(said, line-1))
		}
		if need > 0 && hasAlike(said[:i], source[:j], need) {
			return true
		}
	}
	return false
}

// wordsBefore counts the words before words[i] in its paragraph, or in the one before if it stands alone, up to copiedWords.
func wordsBefore(words []word, i int) (n int) {
	for n < copiedWords && n < i && words[i-n-1].paragraph == words[i-1].paragraph {
		n++
	}
	return n
}

// lineStart is the first word on the line of words[i].
func lineStart(words []word, i int) int {
	for i > 0 && words[i-1].line == words[i].line {
		i--
	}
	return i
}

// hasAlike reports whether two lists end in the same n words.
func hasAlike(a, b []word, n int) bool {
	if n > len(a) || n > len(b) {
		return false
	}
	same := func(a, b word) bool { return a.text == b.text }
	return slices.EqualFunc(a[len(a)-n:], b[len(b)-n:], same)
}

// word is a word of a text as it is compared, or a marker.
type word struct {
	text            string
	line, paragraph int
}

// markerWord stands for a marker. No other word is like it.
const markerWord = "\x00"

func (w word) isMarker() bool { return w.text == markerWord }

// around is what quoting, emphasis and punctuation put around a word.
const around = "*_~`\"'“”‘’«»‹›.,;:!?()[]{}<>|#+=-–—…"

// wordsOf splits a text into words. A number at the beginning of a line is a line number, and a fence is not a word.
func (s *State) wordsOf(text string) (list []word) {
	paragraph := 0
	for n, line := range strings.Split(s.withMarkerWords(text), "\n") {
		if fence := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(fence, "```") || strings.HasPrefix(fence, "~~~") {
			continue
		}
		had := len(list)
		for _, raw := range strings.FieldsFunc(line, unicode.IsSpace) {
			plain := strings.Trim(raw, around)
			if len(list) == had {
				plain = strings.TrimLeft(strings.TrimLeft(plain, "0123456789"), around)
			}
			if s.PromiseMatch == matchLenient {
				plain = anyCase(plain)
			}
			if plain != "" {
				list = append(list, word{text: plain, line: n, paragraph: paragraph})
			}
		}
		if len(list) == had {
			paragraph++
		}
	}
	return list
}

// withMarkerWords is a text in which each marker is a markerWord.
func (s *State) withMarkerWords(text string) string {
	var b strings.Builder
	from := 0
	plain := func(part string) string { return strings.ReplaceAll(part, markerWord, " ") }
	for _, m := range s.markers(text) {
		b.WriteString(plain(text[from:m[0]]) + " " + markerWord + " ")
		from = m[1]
	}
	return b.String() + plain(text[from:])
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
