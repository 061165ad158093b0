package loop

import (
	"strings"
	"testing"
)

// A marker counts alone on its line, or at the end of a message after a finished sentence.
func TestWhereAMarkerCounts(t *testing.T) {
	const marker = "<promise>COMPLETE</promise>"
	for said, want := range map[string]bool{
		marker: true, " " + marker + "\n": true, "`" + marker + "`": true, "**" + marker + "**": true, "```\n" + marker + "\n```": true,
		marker + ".": true, "**" + marker + ".**": true, marker + "\n\nThat was it.": true, "Everything is done.\n" + marker: true,
		"Everything that the task asks for is done and checked:\n\n" + marker: true, "All of it is done. " + marker: true, "It works! " + marker + ".\n": true,
		"Is it done? *Yes.* " + marker: true, "It is not " + marker + ", and now it is.\n" + marker + "\nGood.": true,

		"I am not finished, so I do not output " + marker + " yet.": false, "It works, so " + marker: false, "Done: " + marker + ". Have fun.": false,
		"I will say " + marker + " later.": false, "Then I output " + marker: false, "I do not write\n" + marker + " yet.": false, "so" + marker + "so": false,
		"> " + marker: false, "- " + marker: false, "12: " + marker: false, marker + " " + marker: false, "The end of it is " + marker + ".\nNot yet.": false,
	} {
		s := New()
		s.Prompt = "Build the parser. When it works, say " + marker + " and nothing else."
		if got := s.hasPromise([]string{"I begin.", said}); got != want {
			t.Errorf("%q: got %v", said, got)
		}
	}
}

// quoted is how agents repeat what they were given, each line or all of it.
func quoted() map[string]func(text string) string {
	lines := func(prefix string) func(string) string {
		return func(text string) string { return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix) }
	}
	return map[string]func(string) string{
		"as it is":              func(text string) string { return text },
		"behind a quote's sign": lines("> "),
		"indented":              lines("    "),
		"in a list":             lines("- "),
		"with line numbers":     lines("12\t"),
		"in a fence":            func(text string) string { return "```text\n" + text + "\n```" },
		"in quotes":             func(text string) string { return `You wrote “` + text + `”, so I begin.` },
		"with Windows's ends":   func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
		"with blank lines":      func(text string) string { return strings.ReplaceAll(text, "\n", "\n\n") },
		"in bold letters":       func(text string) string { return "**" + strings.ReplaceAll(text, "\n", "**\n**") + "**" },
		"twice":                 func(text string) string { return text + "\n\n" + text },
		"among other words":     func(text string) string { return "First I repeat my orders:\n\n" + text + "\n\nNow I begin." },
	}
}

// Our rule that is repeated promises nothing, and a promise beside it is one.
func TestOurRuleIsNoPromise(t *testing.T) {
	loops := map[string]func(*State){
		"usual": func(*State) {}, "lenient": func(s *State) { s.PromiseMatch = matchLenient }, "a plan": func(s *State) { s.Plan = true },
		"two words": func(s *State) { s.CompletionPromise = "ALL DONE" },
	}
	for name, change := range loops {
		s := New()
		s.Prompt, s.ConversationID = "Build it.", "c1"
		change(&s)
		rule, _, _ := strings.Cut(s.stoppingRule(), s.Marker())
		for what, text := range map[string]string{
			"the start": s.StartText(), "the contract": s.ContractText("", "TASK.md"), "a continuation": s.turnText(3, "You stopped.", true),
			"the rule": s.stoppingRule(), "its end": lastLine(rule) + "\n" + s.Marker(),
		} {
			for how, quote := range quoted() {
				said := quote(text)
				if s.hasPromise([]string{said}) {
					t.Errorf("%s: %s, %s, is taken for a promise:\n%s", name, what, how, said)
				}
				if honest := "All of it is done, and the tests pass.\n" + s.Marker(); !s.hasPromise([]string{said, honest}) || !s.hasPromise([]string{said + "\n\n" + honest}) {
					t.Errorf("%s: %s, %s, hides the promise behind it", name, what, how)
				}
			}
		}
	}
}

// A note of our rule is no promise either; a marker that a person wrote is.
func TestAMarkerInLastOutput(t *testing.T) {
	s := New()
	s.Prompt, s.LastOutput = "Build it.", s.stoppingRule()
	if !s.hasPromise(nil) {
		t.Error("by hand: got no promise")
	}
	if s.Note = s.LastOutput; s.hasPromise(nil) {
		t.Error("noted: got a promise")
	}
	if s.LastOutput, s.Note = s.Marker(), s.Marker(); !s.hasPromise(nil) {
		t.Error("noted alone: got no promise")
	}
}
