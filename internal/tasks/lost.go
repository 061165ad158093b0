package tasks

import (
	"slices"
	"strings"
	"unicode"
)

// lost returns the tasks of an earlier list that are gone. A task is still there if a
// task of now has the same words or id, has all of them and more ("Write tests (done in
// a1b2)"), or begins with the same half of them, at least two words. A task of now
// stands for one earlier task only.
func (l List) lost(baseline []string) []string {
	free, left := make([]named, len(l)), baseline
	for i, t := range l {
		free[i] = named{t.ID, wordsOf(t.Name)}
	}
	for _, same := range []func(now named, was string, words []string) bool{
		func(now named, was string, _ []string) bool {
			return now.id != "" && strings.HasPrefix(was, now.id+": ")
		},
		func(now named, _ string, words []string) bool { return slices.Equal(now.words, words) },
		func(now named, _ string, words []string) bool { return hasAll(now.words, words) },
		func(now named, _ string, words []string) bool { return hasBeginning(now.words, words) },
	} {
		var gone []string
		for _, was := range left {
			words := wordsOf(was)
			i := slices.IndexFunc(free, func(now named) bool { return same(now, was, words) })
			if i < 0 {
				gone = append(gone, was)
				continue
			}
			free = slices.Delete(free, i, i+1)
		}
		left = gone
	}
	return left
}

// named is a task of now as it is compared.
type named struct {
	id    string
	words []string
}

// wordsOf are the words of a task as they are compared: without letter case, and what
// Markdown and punctuation put around them.
func wordsOf(name string) (words []string) {
	for _, w := range strings.Fields(strings.ToLower(name)) {
		if w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }); w != "" {
			words = append(words, w)
		}
	}
	return words
}

// hasAll reports whether words are in a row in longer.
func hasAll(longer, words []string) bool {
	for i := 0; len(words) > 0 && i+len(words) <= len(longer); i++ {
		if slices.Equal(longer[i:i+len(words)], words) {
			return true
		}
	}
	return false
}

// hasBeginning reports whether words and other begin with the same half of words.
func hasBeginning(other, words []string) bool {
	half := max(2, (len(words)+1)/2)
	return len(words) >= half && len(other) >= half && slices.Equal(other[:half], words[:half])
}
