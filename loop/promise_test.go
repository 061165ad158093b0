package loop_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestThePromiseInWhatTheAssistantSaid(t *testing.T) {
	const exact, lenient = "exact", "lenient"
	for _, tt := range []struct {
		name  string
		match loop.Match
		token string
		texts []string
		want  bool
	}{
		{"the tag", exact, "", []string{marker}, true},
		{"the tag in the middle of words", exact, "", []string{"so" + marker + "so"}, false},
		{"the tag in a code fence", exact, "", []string{"```\n" + marker + "\n```"}, true},
		{"the tag in inline code", exact, "", []string{"`" + marker + "`."}, true},
		{"the tag in the first of several messages", exact, "", []string{marker, "More.", ""}, true},
		{"the tag in the last of several messages", exact, "", []string{"Work.", "More.", marker}, true},
		{"the tag in 1 MB", exact, "", []string{strings.Repeat("x", 1<<20) + "\n" + marker}, true},
		{"nothing", exact, "", nil, false},
		{"the bare token", exact, "", []string{"COMPLETE"}, false},
		{"I'm done", exact, "", []string{"I'm done, everything is complete."}, false},
		{"another token", exact, "", []string{"<promise>COMPLETED</promise>"}, false},
		{"the token as a part", exact, "", []string{"<promise>INCOMPLETE</promise>"}, false},
		{"small letters", exact, "", []string{"<promise>complete</promise>"}, false},
		{"capitals in the tag", exact, "", []string{"<PROMISE>COMPLETE</PROMISE>"}, false},
		{"spaces in the tag", exact, "", []string{"<promise> COMPLETE </promise>"}, false},
		{"an open tag", exact, "", []string{"<promise>COMPLETE"}, false},
		{"a tag over two messages", exact, "", []string{"<promise>COMP", "LETE</promise>"}, false},
		{"an escaped tag", exact, "", []string{"&lt;promise&gt;COMPLETE&lt;/promise&gt;"}, false},
		{"an unknown way to compare is exact", "odd", "", []string{marker}, true},
		{"an unknown way to compare is exact, for other letters too", "odd", "", []string{"<promise>complete</promise>", "COMPLETE"}, false},

		{"a token that is a pattern, literally", exact, `.*[a-z]+$(^\d|x)?`, []string{`<promise>.*[a-z]+$(^\d|x)?</promise>`}, true},
		{"a token that is a pattern, matched", exact, `.*`, []string{"<promise>anything</promise>"}, false},
		{"a dot is a dot", exact, "V1.0", []string{"<promise>V1x0</promise>"}, false},
		{"a token with spaces", exact, "ALL DONE", []string{"<promise>ALL DONE</promise>"}, true},
		{"a token with more spaces than asked for", exact, "ALL DONE", []string{"<promise>ALL  DONE</promise>"}, false},
		{"a token that is a tag", exact, "<promise>", []string{"<promise><promise></promise>"}, true},
		{"a token with percent", exact, "100%s", []string{"<promise>100%s</promise>"}, true},

		{"lenient: any letters", lenient, "", []string{"So:\n<Promise>coMPlete</PROMISE>\nSo."}, true},
		{"lenient: spaces around the token", lenient, "", []string{"<promise> \t\u00a0COMPLETE\n</promise>"}, true},
		{"lenient: after an open tag", lenient, "", []string{"<promise><promise>x</promise>.\n<promise> complete</promise>"}, true},
		{"lenient: final sigma", lenient, "ΤΕΛΟΣ", []string{"<promise>τελος</promise>"}, true},
		{"lenient: letters beyond ASCII", lenient, "FERTIG Ä", []string{"<promise>fertig ä</promise>"}, true},
		{"lenient: spaces in the tag's name", lenient, "", []string{"< promise>COMPLETE</promise>"}, false},
		{"lenient: more than the token", lenient, "", []string{"<promise>COMPLETE now</promise>"}, false},
		{"lenient: a part of the token", lenient, "", []string{"<promise>COMPLET</promise>"}, false},
		{"lenient: something before the token", lenient, "", []string{"<promise>not COMPLETE</promise>"}, false},
		{"lenient: the bare token", lenient, "", []string{"COMPLETE"}, false},
		{"lenient: an empty tag", lenient, "", []string{"<promise></promise> <promise> </promise>"}, false},
		{"lenient: an open tag alone", lenient, "", []string{"<promise>COMPLETE<promise>"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, func(l *loop.State) {
				l.PromiseMatch = tt.match
				if tt.token != "" {
					l.CompletionPromise = tt.token
				}
			})
			a := c.do(stop(worked(tt.texts...)))
			if got := c.l.Status == loop.PromiseAccepted; got != tt.want {
				t.Errorf("got %t want %t (%s)", got, tt.want, a.Promise)
			}
		})
	}
}

func TestThePromiseInLastOutput(t *testing.T) {
	const exact, lenient = "exact", "lenient"
	for _, tt := range []struct {
		name   string
		match  loop.Match
		token  string
		text   string
		byHand bool
		byNote bool
	}{
		{"the token", exact, "COMPLETE", "COMPLETE", true, false},
		{"the tag", exact, "COMPLETE", "So. " + marker, true, true},
		{"the tag between letters", exact, "COMPLETE", "so" + marker + "so", true, false},
		{"progress", exact, "COMPLETE", "Phase 1 COMPLETE", true, false},
		{"the token at the beginning", exact, "COMPLETE", "COMPLETE: all of it", true, false},
		{"between marks", exact, "COMPLETE", "(COMPLETE)", true, false},
		{"between a hyphen and a dot", exact, "COMPLETE", "x-COMPLETE.", true, false},
		{"between emoji", exact, "COMPLETE", "🚀COMPLETE🚀", true, false},
		{"on a line of its own", exact, "COMPLETE", "a\nCOMPLETE\nb", true, false},
		{"after a part of a longer word", exact, "COMPLETE", "INCOMPLETE, no: COMPLETE", true, false},
		{"a part of a word", exact, "COMPLETE", "INCOMPLETE", false, false},
		{"the beginning of a word", exact, "COMPLETE", "COMPLETED", false, false},
		{"a number behind", exact, "COMPLETE", "COMPLETE2", false, false},
		{"an underscore before", exact, "COMPLETE", "NOT_COMPLETE", false, false},
		{"a letter beyond ASCII before", exact, "COMPLETE", "éCOMPLETE", false, false},
		{"a letter beyond ASCII behind", exact, "COMPLETE", "COMPLETE完", false, false},
		{"an accent behind", exact, "COMPLETE", "COMPLETE\u0301", false, false},
		{"a number beyond ASCII behind", exact, "COMPLETE", "COMPLETE٣", false, false},
		{"small letters", exact, "COMPLETE", "complete", false, false},
		{"nothing", exact, "COMPLETE", "", false, false},
		{"a token beyond ASCII", exact, "完了", "タスク 完了。", true, false},
		{"a token beyond ASCII in a word", exact, "完了", "未完了", false, false},
		{"a token that overlaps itself", exact, "a a", "xa a a", true, false},
		{"a token that is a pattern", exact, "a.c", "abc", false, false},
		{"a token that ends in a mark", exact, "DONE!", "It is DONE!", true, false},
		{"lenient: any letters", lenient, "COMPLETE", "It is Complete.", true, false},
		{"lenient: a part of a word", lenient, "COMPLETE", "incomplete", false, false},
		{"lenient: the tag", lenient, "COMPLETE", "<promise> complete </promise>", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := func(l *loop.State) {
				l.PromiseMatch, l.CompletionPromise = tt.match, tt.token
			}
			hand := newChat(t, rules, func(l *loop.State) { l.LastOutput = tt.text })
			hand.do(stop(worked(working)))
			if got := hand.l.Status == loop.PromiseAccepted; got != tt.byHand {
				t.Errorf("by hand: got %t want %t", got, tt.byHand)
			}
			note := newChat(t, rules)
			note.all(loop.Event{Kind: loop.EventNote, Text: tt.text}, stop(worked(working)))
			if got := note.l.Status == loop.PromiseAccepted; got != tt.byNote {
				t.Errorf("by note: got %t want %t", got, tt.byNote)
			}
		})
	}
}

func TestByHandAfterANoteCountsAsByHand(t *testing.T) {
	c := newChat(t)
	c.all(loop.Event{Kind: loop.EventNote, Text: "half COMPLETE"}, stop(worked(working)))
	c.l.LastOutput = "all COMPLETE"
	if c.do(stop(worked(working))); c.l.Status != loop.PromiseAccepted {
		t.Errorf("got %s", c.l.Status)
	}
}

// What the user, the task or a tool says is no promise of the assistant.
func TestThePromiseIsNotLookedForElsewhere(t *testing.T) {
	turn := worked(working)
	turn.Errors, turn.Files = []string{marker}, []string{marker}
	turn.Tools[marker] = 1
	for _, tt := range []struct {
		name   string
		events []loop.Event
	}{
		{"a message", []loop.Event{{Kind: loop.EventMessage, Text: marker}, stop(worked(working))}},
		{"context", []loop.Event{{Kind: loop.EventContext, Text: marker}, stop(worked(working))}},
		{"a notice", []loop.Event{{Kind: loop.EventNotice, Text: marker}, stop(worked(working))}},
		{"tools, files and errors", []loop.Event{stop(turn)}},
		{"the task and our own words", []loop.Event{stop(worked(working)), stop(worked(working))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, func(l *loop.State) { l.Prompt = "Say " + marker })
			if a := c.all(tt.events...); a.Kind != loop.Followup || a.Promise != "none" {
				t.Errorf("got %q, promise %q", a.Kind, a.Promise)
			}
		})
	}
}
