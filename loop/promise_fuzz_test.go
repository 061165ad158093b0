package loop

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzPromise asserts that the promise is found where a slow reading of the
// rules finds it, that no longer word counts as the token, and that a stricter
// rule never takes what a looser one refuses.
func FuzzPromise(f *testing.F) {
	for _, said := range []string{
		"", "COMPLETE", "INCOMPLETE", "<promise>COMPLETE</promise>", "done\n<promise>COMPLETE</promise>\n\n", "<promise> complete\t</promise>",
		"<PROMISE>Complete</Promise> not yet", "<promise><promise>COMPLETE</promise>", "<promise>COMPLETE </promise>", "`<promise>COMPLETE</promise>`",
		"So no <promise>COMPLETE</promise> yet.", "It is done. **<promise>COMPLETE</promise>**.\n", "It is\n_<promise>COMPLETE</promise>_. \nso", "done. <promise>COMPLETE</promise>..",
		"all is done and checked, output exactly:\n\n<promise>COMPLETE</promise>", "Phase 1 COMPLETE\n", "COMPLETE_ COMPLETED 1COMPLETE (COMPLETE)", "CÓMPLETE COMPLETE\u0301", "<promise>INCOMPLETE</promise>", "\u00a0COMPLETE\u2003",
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
			if want := saidSlowly(s, said); got != want {
				t.Errorf("%s, said %q for %q: got %v, want %v", match, said, token, got, want)
			}
			s.LastOutput = said
			if got, want := s.hasPromise(nil), len(tagsSlowly(s, said)) > 0 || wroteSlowly(s, said); got != want {
				t.Errorf("%s, wrote %q for %q: got %v, want %v", match, said, token, got, want)
			}
			s.Note = said
			if got, want := s.hasPromise(nil), saidSlowly(s, said); got != want {
				t.Errorf("%s, noted %q for %q: got %v, want %v", match, said, token, got, want)
			}
		}
		if found[matchExact] && !found[matchLenient] {
			t.Errorf("said %q for %q: got it by the strictest rule alone", said, token)
		}
	})
}

// saidSlowly looks at each tag that a message has, and at what stands around it, piece by piece.
func saidSlowly(s State, text string) bool {
	for _, m := range tagsSlowly(s, text) {
		before, after := strings.Split(text[:m[0]], "\n"), strings.Split(text[m[1]:], "\n")
		alone := plain(before[len(before)-1]) == "" && strings.TrimSuffix(plain(after[0]), ".") == ""
		sentence, rest := plain(strings.Join(before, "\n")), strings.TrimSuffix(plain(strings.Join(after, "\n")), ".")
		ends := strings.HasSuffix(sentence, ".") || strings.HasSuffix(sentence, "!") || strings.HasSuffix(sentence, "?")
		if (alone || ends && rest == "") && !s.isRuleQuoted(text[:m[0]]) {
			return true
		}
	}
	return false
}

func plain(text string) string {
	for _, sign := range []string{"*", "_", "~", "`"} {
		text = strings.ReplaceAll(text, sign, " ")
	}
	return strings.TrimSpace(text)
}

// tagsSlowly are the tags of a text, each behind the one before.
func tagsSlowly(s State, text string) (found [][2]int) {
	same := func(inner string) bool { return inner == s.CompletionPromise }
	tag := func(text string) string { return text }
	if s.PromiseMatch == matchLenient {
		same = func(inner string) bool { return strings.TrimSpace(anyCase(inner)) == anyCase(s.CompletionPromise) }
		tag = anyCase
	}
	for i := 0; i < len(text); i++ {
		for j := i + len(openTag); j+len(closeTag) <= len(text) && tag(text[i:i+len(openTag)]) == openTag; j++ {
			if tag(text[j:j+len(closeTag)]) == closeTag && same(text[i+len(openTag):j]) {
				found = append(found, [2]int{i, j + len(closeTag)})
				i = j + len(closeTag) - 1
				break
			}
		}
	}
	return found
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
