package loop

import (
	"slices"
	"strings"
	"unicode"
)

// An agent repeats what it was given: the task, our rule, a continuation. A
// promise in such a copy is not the agent's own, so it is cut out before the
// promise is looked for.
//
// What makes a marker a copy is the words beside it, never the marker alone: a
// message of nothing but the marker is a promise, although our rule asks for
// exactly that. Words are compared without what quoting adds or changes: white
// space, line breaks, "> " and "| ", line numbers, fences, emphasis and
// punctuation at their ends.

// copiedWords is how many words on one side of a marker make it a copy.
const copiedWords = 4

// hasPromise looks for the promise in what the assistant said, and in last_output.
// In last_output the bare token counts too if it was written by hand; from
// cursor-ralph note only the tag does ("Phase 1 COMPLETE" is progress).
func (s *State) hasPromise(texts []string) bool {
	if s.CompletionPromise == "" {
		return false
	}
	own := func(text string) bool { return s.hasTag(text) || s.hasBareToken(text) }
	said := strings.Join(texts, "\n")
	if own(said) && own(s.withoutCopies(said)) {
		return true
	}
	if s.LastOutput != s.Note { // by hand
		return s.hasTag(s.LastOutput) || s.hasBareWord(s.LastOutput)
	}
	return s.hasTag(s.LastOutput) && s.hasTag(s.withoutCopies(s.LastOutput))
}

// cutOut stands for a marker that was cut out, so that what is left of its line
// does not become the last one, or a marker.
const cutOut = "…"

// withoutCopies is a text without the markers that are copies.
func (s *State) withoutCopies(text string) string {
	said, shown := s.wordsOf(text), s.shown()
	var b strings.Builder
	from := 0
	for i, w := range said {
		copies := func(source []word) bool { return isCopy(said, i, source) }
		if w.marker && slices.ContainsFunc(shown, copies) {
			b.WriteString(text[from:w.start] + cutOut)
			from = w.end
		}
	}
	return b.String() + text[from:]
}

// shown is what the agent was given that has a marker in it, as words.
func (s *State) shown() (sources [][]word) {
	texts := []string{s.Prompt, s.LastFollowup, s.Continued, s.planRule(), s.workRule(false), s.workRule(true)}
	texts = append(append(texts, s.Context...), s.Notices...)
	texts = append(texts, s.Baseline...)
	for _, h := range s.History {
		texts = append(texts, h.Context...)
	}
	for _, text := range texts {
		if words := s.wordsOf(text); slices.ContainsFunc(words, func(w word) bool { return w.marker }) {
			sources = append(sources, words)
		}
	}
	return sources
}

// isCopy reports whether the marker said[i] stands as one of a source does: with
// enough equal words on one side, or with all words of its sentence, its line or
// the whole source on both.
func isCopy(said []word, i int, source []word) bool {
	for j, w := range source {
		if !w.marker {
			continue
		}
		left, right := alike(said, i, source, j, -1), alike(said, i, source, j, 1)
		if left == copiedWords || right == copiedWords {
			return true
		}
		for _, same := range []func(a, b word) bool{sameSentence, sameLine, sameText} {
			before, after := span(source, j, -1, same), span(source, j, 1, same)
			if before+after > 0 && left >= before && right >= after {
				return true
			}
		}
	}
	return false
}

// alike counts the words that follow said[i] and source[j] alike in a direction.
func alike(said []word, i int, source []word, j, step int) (n int) {
	for n < copiedWords {
		i, j = i+step, j+step
		if i < 0 || j < 0 || i >= len(said) || j >= len(source) || said[i].text != source[j].text {
			break
		}
		n++
	}
	return n
}

// span counts the words beside source[j] that belong with it, in a direction.
func span(source []word, j, step int, same func(a, b word) bool) (n int) {
	for k := j + step; n < copiedWords && k >= 0 && k < len(source) && same(source[j], source[k]); k += step {
		n++
	}
	return n
}

func sameSentence(a, b word) bool { return a.sentence == b.sentence }
func sameLine(a, b word) bool     { return a.line == b.line }
func sameText(_, _ word) bool     { return true }

// word is a word of a text as it is compared, or a marker.
type word struct {
	text       string
	marker     bool
	start, end int // in the text
	line       int
	sentence   int
}

// around is what quoting, emphasis and punctuation put around a word.
const around = "*_~`\"'“”‘’«»‹›.,;:!?()[]{}<>|#+=-–—…"

// wordsOf splits a text into words. A number at the beginning of a line is a line
// number, and the opening of a fence is not a word.
func (s *State) wordsOf(text string) []word {
	r := reader{state: s, text: text}
	from := 0
	for _, m := range s.markers(text) {
		if m[0] < from {
			continue
		}
		r.read(from, m[0])
		r.list = append(r.list, word{text: openTag, marker: true, start: m[0], end: m[1], line: r.line, sentence: r.sentence})
		from = m[1]
	}
	r.read(from, len(text))
	return r.list
}

type reader struct {
	state          *State
	text           string
	list           []word
	line, sentence int
}

// read adds the words of a part without markers.
func (r *reader) read(from, to int) {
	for n, line := range strings.Split(r.text[from:to], "\n") {
		if n > 0 {
			r.line++
		}
		for _, raw := range strings.FieldsFunc(line, unicode.IsSpace) {
			r.add(raw)
		}
	}
}

func (r *reader) add(raw string) {
	plain := strings.Trim(raw, around)
	if len(r.list) == 0 || r.list[len(r.list)-1].line != r.line { // its first word may have a number before it
		plain = strings.TrimLeft(strings.TrimLeft(plain, "0123456789"), around)
	}
	if plain != "" && !strings.HasPrefix(raw, "```") && !strings.HasPrefix(raw, "~~~") {
		if r.state.PromiseMatch == matchLenient {
			plain = fold(plain)
		}
		r.list = append(r.list, word{text: plain, line: r.line, sentence: r.sentence})
	}
	if strings.ContainsAny(raw[len(raw)-1:], ".!?;") {
		r.sentence++
	}
}

// markers finds what could be a promise: the tags, and where the user chose
// that the token alone counts, the lines of nothing else.
func (s *State) markers(text string) (found [][2]int) {
	tag, atTag := s.Marker(), s.exactAt
	if s.PromiseMatch == matchLenient {
		tag, atTag = "<", s.lenientAt
	}
	for from := 0; ; {
		i := strings.Index(text[from:], tag)
		if i < 0 {
			break
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
	if s.PromiseMatch == matchBare {
		found = append(found, s.bareLines(text)...)
		slices.SortFunc(found, func(a, b [2]int) int { return a[0] - b[0] })
	}
	return found
}

func (s *State) exactAt(_ string, from int) int { return from + len(s.Marker()) }

// lenientAt is the end of the marker that begins at a byte, or -1.
func (s *State) lenientAt(text string, from int) int {
	for _, part := range []string{openTag, fold(s.CompletionPromise), closeTag} {
		if from = foldedEnd(text, from, part); from < 0 {
			return -1
		}
		if part != closeTag {
			from = len(text) - len(strings.TrimLeftFunc(text[from:], unicode.IsSpace))
		}
	}
	return from
}

// foldedEnd is the end of folded, in letters of any case, that begins at a byte
// of a text, or -1.
func foldedEnd(text string, from int, folded string) int {
	for i, r := range text[from:] {
		if folded == "" {
			return from + i
		}
		rest, ok := strings.CutPrefix(folded, fold(string(r)))
		if !ok {
			return -1
		}
		folded = rest
	}
	if folded != "" {
		return -1
	}
	return len(text)
}

// bareLines finds the lines of the token alone.
func (s *State) bareLines(text string) (found [][2]int) {
	at := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == s.CompletionPromise {
			start := at + strings.Index(line, s.CompletionPromise)
			found = append(found, [2]int{start, start + len(s.CompletionPromise)})
		}
		at += len(line)
	}
	return found
}
