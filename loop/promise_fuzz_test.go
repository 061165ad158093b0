package loop

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzPromise asserts that there is no promise where a slow reading of the
// rules finds no tag, that no longer word counts as the token, and that a stricter
// rule never takes what a looser one refuses.
func FuzzPromise(f *testing.F) {
	for _, said := range []string{
		"", "COMPLETE", "INCOMPLETE", "<promise>COMPLETE</promise>", "done\n<promise>COMPLETE</promise>\n\n", "<promise> complete\t</promise>",
		"<PROMISE>Complete</Promise> not yet", "<promise><promise>COMPLETE</promise>", "<promise>COMPLETE </promise>", "`<promise>COMPLETE</promise>`",
		"Phase 1 COMPLETE\n", "COMPLETE_ COMPLETED 1COMPLETE (COMPLETE)", "CÓMPLETE COMPLETE\u0301", "<promise>INCOMPLETE</promise>", "\u00a0COMPLETE\u2003",
	} {
		f.Add(said, "COMPLETE")
		f.Add(said, "ALL DONE.")
	}
	f.Add("ΤΕΛΟΣ τελος <promise>τέλος</promise>", "ΤΕΛΟΣ")
	f.Add("<promise>a</promise>", "a</promis")
	f.Add("aaab aab", "aab")
	f.Fuzz(func(t *testing.T, said, token string) {
		r := NewRequest()
		if setPromise(&r, token) != nil || !utf8.ValidString(said) || !utf8.ValidString(token) {
			return
		}
		found := map[Match]bool{}
		for _, match := range []Match{matchExact, matchLenient} {
			s := State{Contract: Contract{CompletionPromise: token}, Rules: Rules{PromiseMatch: match}}
			got := s.hasPromise([]string{said})
			found[match] = got
			if got && !tagSlowly(s, said) {
				t.Errorf("%s, said %q for %q: got a promise", match, said, token)
			}
			s.LastOutput = said
			if got, want := s.hasPromise(nil), tagSlowly(s, said) || wroteSlowly(s, said); got != want {
				t.Errorf("%s, wrote %q for %q: got %v, want %v", match, said, token, got, want)
			}
			s.Note = said
			if noted := s.hasPromise(nil); noted != got {
				t.Errorf("%s, noted %q for %q: got %v, want %v", match, said, token, noted, got)
			}
		}
		if found[matchExact] && !found[matchLenient] {
			t.Errorf("said %q for %q: got it by the strictest rule alone", said, token)
		}
	})
}

func tagSlowly(s State, text string) bool {
	same := func(inner string) bool { return inner == s.CompletionPromise }
	if s.PromiseMatch == matchLenient {
		text = anyCase(text)
		same = func(inner string) bool { return strings.TrimSpace(inner) == anyCase(s.CompletionPromise) }
	}
	for i := range len(text) {
		for j := i + len(openTag); strings.HasPrefix(text[i:], openTag) && j < len(text); j++ {
			if strings.HasPrefix(text[j:], closeTag) && same(text[i+len(openTag):j]) {
				return true
			}
		}
	}
	return false
}

// wroteSlowly looks at each place where the token could stand, character by
// character: what a person sees as one has its marks.
func wroteSlowly(s State, text string) bool {
	token := s.CompletionPromise
	if s.PromiseMatch == matchLenient {
		text, token = anyCase(text), anyCase(token)
	}
	all, word := []rune(text), []rune(token)
	for i := 0; i+len(word) <= len(all); i++ {
		end := i + len(word)
		before := i - 1
		for before >= 0 && unicode.IsMark(all[before]) {
			before--
		}
		switch {
		case string(all[i:end]) != token:
		case before >= 0 && partOfWord(all[before]), end < len(all) && (partOfWord(all[end]) || unicode.IsMark(all[end])):
		default:
			return true
		}
	}
	return false
}

func partOfWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
