package loop

import (
	"strings"
	"testing"
)

// quoted is how agents repeat what they were given, each line or all of it.
func quoted() map[string]func(text string) string {
	lines := func(prefix string) func(string) string {
		return func(text string) string { return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix) }
	}
	return map[string]func(string) string{
		"as it is":              func(text string) string { return text },
		"behind a quote's sign": lines("> "),
		"behind two of them":    lines(">> "),
		"behind a bar":          lines("| "),
		"indented":              lines("    "),
		"after a tab":           lines("\t"),
		"in a list":             lines("- "),
		"with line numbers":     lines("12\t"),
		"as grep prints it":     lines("12:"),
		"in a fence":            func(text string) string { return "```text\n" + text + "\n```" },
		"in quotes":             func(text string) string { return `You wrote “` + text + `”, so I begin.` },
		"with Windows's ends":   func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
		"a word a line":         func(text string) string { return strings.Join(strings.Fields(text), "\n") },
		"in bold letters":       func(text string) string { return "**" + strings.ReplaceAll(text, "\n", "**\n**") + "**" },
		"twice":                 func(text string) string { return text + "\n\n" + text },
		"among other words":     func(text string) string { return "First I repeat my orders:\n\n" + text + "\n\nNow I begin." },
	}
}

// A copy of what the agent was given promises nothing, and a promise beside it is one.
func TestWhatTheAgentRepeatsIsNoPromise(t *testing.T) {
	const marker = "<promise>COMPLETE</promise>"
	task := "Build the parser. Then test it.\nWhen it works, say " + marker + ".\nDo not say it before.\nThe last line of all:\n\n" + marker + "\n\nNo more."
	loops := map[string]func(*State){
		"usual":       func(*State) {},
		"lenient":     func(s *State) { s.PromiseMatch = matchLenient },
		"a plan":      func(s *State) { s.Plan = true },
		"two words":   func(s *State) { s.CompletionPromise = "ALL DONE" },
		"a task only": func(s *State) { s.LastFollowup = "" },
	}
	for name, change := range loops {
		s := New()
		s.Prompt, s.ConversationID, s.LastFollowup = task, "c1", "x"
		change(&s)
		s.Prompt = strings.ReplaceAll(task, marker, s.Marker())
		if s.LastFollowup != "" {
			s.LastFollowup = s.turnText(3, "Your promise was refused: it said "+s.Marker()+" too early.", true)
		}
		copies := map[string]string{
			"the start": s.StartText(), "the contract": s.ContractText(""), "the last continuation": s.LastFollowup,
			"the rule": s.stoppingRule(), "the task": s.Prompt, "a part of the task": "Then test it.\nWhen it works, say " + s.Marker() + ".",
			"the end of the rule": "Only when all of it is done and checked, output exactly\n" + s.Marker(),
		}
		if s.Plans() {
			copies["the end of the rule"] = "When, and only when, the plan is whole and checked against everything that the task asks for, output exactly\n" + s.Marker()
		}
		for what, text := range copies {
			for how, quote := range quoted() {
				said := quote(text)
				if s.hasPromise([]string{said}) {
					t.Errorf("%s: %s, %s, is taken for a promise:\n%s", name, what, how, said)
				}
				for _, honest := range []string{s.Marker(), "All of it is done, and the tests pass.\n" + s.Marker()} {
					if !s.hasPromise([]string{said, honest}) || !s.hasPromise([]string{said + "\n\n" + honest}) {
						t.Errorf("%s: %s, %s, hides the promise behind it", name, what, how)
					}
				}
			}
		}
	}
}

func TestWhichMarkersAreCopies(t *testing.T) {
	const marker = "<promise>COMPLETE</promise>"
	const green = "Make it green. End with the line: All tests are green " + marker
	for _, tt := range []struct {
		task, said string
		promised   bool
	}{
		{green, "All tests are green " + marker, true},
		{green, "I ran them.\n\nAll tests are green " + marker + ".", true},
		{green, "I ran them.\n\n> All tests are green " + marker + "\n", true},
		{green, "I ran them.\n\n```\nAll tests are green " + marker + "\n```\n", true},
		{green, "Now all of the tests are green.\n\n" + marker + "\n\nThat was it.", true},
		{green, "I will end with:\nAll tests are green " + marker + "\nBut not yet.", false},
		{green, "I will end with “All tests are green " + marker + "” when they are.", false},
		{green, "I begin.\n\nMake it green. End with the line: All tests are green " + marker + "\n\nFirst I look.", false},
		{"Make it green.\nIn the end say:\nAll tests are green " + marker, "Make it green.\nIn the end say:\nAll tests are green " + marker, false},
		{"Say " + marker + " now", "Say " + marker + " now, you say.", false},
		{"Say " + marker, "I say it: " + marker + " and no more.", true},
		{"When done:\n\n" + marker + "\n\nNo more.", "When done:\n\n" + marker + "\n\nI begin.", false},
		{"When done:\n\n" + marker + "\n\nNo more.", "It is finished:\n\n" + marker + "\n\nThat was it.", true},
	} {
		s := New()
		s.Prompt = tt.task
		if got := s.hasPromise([]string{tt.said}); got != tt.promised {
			t.Errorf("task %q, said %q: got %v", tt.task, tt.said, got)
		}
	}
}

// What an agent says at its end is a promise, however near it comes to our words.
func TestAnHonestPromiseCounts(t *testing.T) {
	const marker = "<promise>COMPLETE</promise>"
	s := New()
	s.Prompt, s.ConversationID = "Build the parser. When it works, say "+marker+" and nothing else.", "c1"
	s.LastFollowup = s.turnText(3, "You stopped.", false)
	for _, said := range []string{
		marker, " " + marker + "\n", "`" + marker + "`", "**" + marker + "**", "```\n" + marker + "\n```", "> " + marker, "- " + marker,
		marker + ".", marker + "\n\nThat was it.", "Everything is done and checked.\n" + marker, "Everything that the task asks for is done and checked:\n\n" + marker,
		"It works, so " + marker, "Done: " + marker + ". Have fun.", "I should say it when it works, and it does.\n\n" + marker + "\n",
		marker + " " + marker, "The parser works.\n\n" + marker + "\n\nIt is true.",
	} {
		if !s.hasPromise([]string{said}) {
			t.Errorf("got no promise in %q", said)
		}
	}
	s.Prompt = marker // all that there is to repeat is the marker
	if s.LastFollowup = ""; !s.hasPromise([]string{marker}) {
		t.Error("got no promise where the task is the marker alone")
	}
}

// A note of our rule is no promise either; a marker that a person wrote is.
func TestACopyInLastOutput(t *testing.T) {
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
