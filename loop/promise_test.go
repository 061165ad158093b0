package loop_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestThePromiseInWhatTheAssistantSaid(t *testing.T) {
	const exact, lenient, bare, anywhere, last = "exact", "lenient", "bare", "anywhere", "last-line"
	for _, tt := range []struct {
		name  string
		match loop.Match
		place loop.Place
		token string
		texts []string
		want  bool
	}{
		{"the tag", exact, anywhere, "", []string{marker}, true},
		{"the tag in the middle of words", exact, anywhere, "", []string{"so" + marker + "so"}, true},
		{"the tag in a code fence", exact, anywhere, "", []string{"```\n" + marker + "\n```"}, true},
		{"the tag in inline code", exact, anywhere, "", []string{"`" + marker + "`."}, true},
		{"the tag in the first of several messages", exact, anywhere, "", []string{marker, "More.", ""}, true},
		{"the tag in the last of several messages", exact, anywhere, "", []string{"Work.", "More.", marker}, true},
		{"the tag in 1 MB", exact, anywhere, "", []string{strings.Repeat("x", 1<<20) + marker}, true},
		{"nothing", exact, anywhere, "", nil, false},
		{"the bare token", exact, anywhere, "", []string{"COMPLETE"}, false},
		{"I'm done", exact, anywhere, "", []string{"I'm done, everything is complete."}, false},
		{"another token", exact, anywhere, "", []string{"<promise>COMPLETED</promise>"}, false},
		{"the token as a part", exact, anywhere, "", []string{"<promise>INCOMPLETE</promise>"}, false},
		{"small letters", exact, anywhere, "", []string{"<promise>complete</promise>"}, false},
		{"capitals in the tag", exact, anywhere, "", []string{"<PROMISE>COMPLETE</PROMISE>"}, false},
		{"spaces in the tag", exact, anywhere, "", []string{"<promise> COMPLETE </promise>"}, false},
		{"an open tag", exact, anywhere, "", []string{"<promise>COMPLETE"}, false},
		{"a tag over two messages", exact, anywhere, "", []string{"<promise>COMP", "LETE</promise>"}, false},
		{"an escaped tag", exact, anywhere, "", []string{"&lt;promise&gt;COMPLETE&lt;/promise&gt;"}, false},
		{"an unknown way to compare is exact", "odd", "odd", "", []string{marker}, true},
		{"an unknown way to compare is exact, for other letters too", "odd", "odd", "", []string{"<promise>complete</promise>", "COMPLETE"}, false},

		{"a token that is a pattern, literally", exact, anywhere, `.*[a-z]+$(^\d|x)?`, []string{`<promise>.*[a-z]+$(^\d|x)?</promise>`}, true},
		{"a token that is a pattern, matched", exact, anywhere, `.*`, []string{"<promise>anything</promise>"}, false},
		{"a dot is a dot", exact, anywhere, "V1.0", []string{"<promise>V1x0</promise>"}, false},
		{"a token with spaces", exact, anywhere, "ALL DONE", []string{"<promise>ALL DONE</promise>"}, true},
		{"a token with more spaces than asked for", exact, anywhere, "ALL DONE", []string{"<promise>ALL  DONE</promise>"}, false},
		{"a token that is a tag", exact, anywhere, "<promise>", []string{"<promise><promise></promise>"}, true},
		{"a token with percent", exact, anywhere, "100%s", []string{"<promise>100%s</promise>"}, true},

		{"lenient: any letters", lenient, anywhere, "", []string{"so <Promise>coMPlete</PROMISE> so"}, true},
		{"lenient: spaces around the token", lenient, anywhere, "", []string{"<promise> \t\u00a0COMPLETE\n</promise>"}, true},
		{"lenient: after an open tag", lenient, anywhere, "", []string{"<promise><promise>x</promise><promise> complete</promise>"}, true},
		{"lenient: final sigma", lenient, anywhere, "ΤΕΛΟΣ", []string{"<promise>τελος</promise>"}, true},
		{"lenient: letters beyond ASCII", lenient, anywhere, "FERTIG Ä", []string{"<promise>fertig ä</promise>"}, true},
		{"lenient: spaces in the tag's name", lenient, anywhere, "", []string{"< promise>COMPLETE</promise>"}, false},
		{"lenient: more than the token", lenient, anywhere, "", []string{"<promise>COMPLETE now</promise>"}, false},
		{"lenient: a part of the token", lenient, anywhere, "", []string{"<promise>COMPLET</promise>"}, false},
		{"lenient: something before the token", lenient, anywhere, "", []string{"<promise>not COMPLETE</promise>"}, false},
		{"lenient: the bare token", lenient, anywhere, "", []string{"COMPLETE"}, false},
		{"lenient: an empty tag", lenient, anywhere, "", []string{"<promise></promise> <promise> </promise>"}, false},
		{"lenient: an open tag alone", lenient, anywhere, "", []string{"<promise>COMPLETE<promise>"}, false},

		{"bare: the token alone on the last line", bare, anywhere, "", []string{"Done.\n\n  COMPLETE \n\n"}, true},
		{"bare: the token alone on the last line of the last message", bare, anywhere, "", []string{"Done.", "COMPLETE", ""}, true},
		{"bare: the tag as well", bare, anywhere, "", []string{marker + " and more"}, true},
		{"bare: the token before the last line", bare, anywhere, "", []string{"COMPLETE\nNot yet."}, false},
		{"bare: the token and more", bare, anywhere, "", []string{"It is COMPLETE"}, false},
		{"bare: with a full stop", bare, anywhere, "", []string{"COMPLETE."}, false},
		{"bare: other letters", bare, anywhere, "", []string{"Complete"}, false},
		{"bare: nothing", bare, anywhere, "", []string{"", "\n"}, false},

		{"last line: the tag alone", exact, last, "", []string{"Done.\r\n" + marker + "\r\n \n"}, true},
		{"last line: with spaces around", exact, last, "", []string{"\t" + marker + "  "}, true},
		{"last line: of the last message", exact, last, "", []string{"So.", marker}, true},
		{"last line: not of an earlier message", exact, last, "", []string{marker, "So."}, false},
		{"last line: words before the tag", exact, last, "", []string{"Done: " + marker}, false},
		{"last line: words behind the tag", exact, last, "", []string{marker + "."}, false},
		{"last line: the tag before it", exact, last, "", []string{marker + "\nThat was it."}, false},
		{"last line: other letters", exact, last, "", []string{"<promise>complete</promise>"}, false},
		{"last line: spaces in the tag", exact, last, "", []string{"<promise> COMPLETE </promise>"}, false},
		{"last line: lenient", lenient, last, "", []string{"x\n<PROMISE>  Complete </promise> "}, true},
		{"last line: lenient, words before the tag", lenient, last, "", []string{"x <promise>complete</promise>"}, false},
		{"last line: lenient, words behind the tag", lenient, last, "", []string{"<promise>complete</promise> x"}, false},
		{"last line: lenient, another token", lenient, last, "", []string{"<promise>x complete</promise>"}, false},
		{"last line: lenient, an open tag", lenient, last, "", []string{"<promise>"}, false},
		{"last line: lenient, a closing tag", lenient, last, "", []string{"complete</promise>"}, false},
		{"last line: lenient, an opening tag and the token", lenient, last, "", []string{"<promise>complete"}, false},
		{"last line: bare", bare, last, "", []string{"So.\nCOMPLETE"}, true},
		{"last line: bare, the tag in the middle", bare, last, "", []string{marker + "\nmore"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, func(l *loop.State) {
				l.PromiseMatch, l.PromisePlace = tt.match, tt.place
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
	const exact, lenient, bare, anywhere, last = "exact", "lenient", "bare", "anywhere", "last-line"
	for _, tt := range []struct {
		name   string
		match  loop.Match
		place  loop.Place
		token  string
		text   string
		byHand bool
		byNote bool
	}{
		{"the token", exact, anywhere, "COMPLETE", "COMPLETE", true, false},
		{"the tag", exact, anywhere, "COMPLETE", "so " + marker, true, true},
		{"the tag between letters", exact, anywhere, "COMPLETE", "so" + marker + "so", true, true},
		{"progress", exact, anywhere, "COMPLETE", "Phase 1 COMPLETE", true, false},
		{"the token at the beginning", exact, anywhere, "COMPLETE", "COMPLETE: all of it", true, false},
		{"between marks", exact, anywhere, "COMPLETE", "(COMPLETE)", true, false},
		{"between a hyphen and a dot", exact, anywhere, "COMPLETE", "x-COMPLETE.", true, false},
		{"between emoji", exact, anywhere, "COMPLETE", "🚀COMPLETE🚀", true, false},
		{"on a line of its own", exact, anywhere, "COMPLETE", "a\nCOMPLETE\nb", true, false},
		{"after a part of a longer word", exact, anywhere, "COMPLETE", "INCOMPLETE, no: COMPLETE", true, false},
		{"a part of a word", exact, anywhere, "COMPLETE", "INCOMPLETE", false, false},
		{"the beginning of a word", exact, anywhere, "COMPLETE", "COMPLETED", false, false},
		{"a number behind", exact, anywhere, "COMPLETE", "COMPLETE2", false, false},
		{"an underscore before", exact, anywhere, "COMPLETE", "NOT_COMPLETE", false, false},
		{"a letter beyond ASCII before", exact, anywhere, "COMPLETE", "éCOMPLETE", false, false},
		{"a letter beyond ASCII behind", exact, anywhere, "COMPLETE", "COMPLETE完", false, false},
		{"an accent behind", exact, anywhere, "COMPLETE", "COMPLETE\u0301", false, false},
		{"a number beyond ASCII behind", exact, anywhere, "COMPLETE", "COMPLETE٣", false, false},
		{"small letters", exact, anywhere, "COMPLETE", "complete", false, false},
		{"nothing", exact, anywhere, "COMPLETE", "", false, false},
		{"a token beyond ASCII", exact, anywhere, "完了", "タスク 完了。", true, false},
		{"a token beyond ASCII in a word", exact, anywhere, "完了", "未完了", false, false},
		{"a token that overlaps itself", exact, anywhere, "a a", "xa a a", true, false},
		{"a token that is a pattern", exact, anywhere, "a.c", "abc", false, false},
		{"a token that ends in a mark", exact, anywhere, "DONE!", "It is DONE!", true, false},
		{"lenient: any letters", lenient, anywhere, "COMPLETE", "It is Complete.", true, false},
		{"lenient: a part of a word", lenient, anywhere, "COMPLETE", "incomplete", false, false},
		{"lenient: the tag", lenient, anywhere, "COMPLETE", "<promise> complete </promise>", true, true},
		{"bare: the token on the last line", bare, anywhere, "COMPLETE", "so\nCOMPLETE", true, false},
		{"last line: the token alone", exact, last, "COMPLETE", "so\nCOMPLETE\n", true, false},
		{"last line: more than the token", exact, last, "COMPLETE", "so COMPLETE", false, false},
		{"last line: the token before it", exact, last, "COMPLETE", "COMPLETE\nso", false, false},
		{"last line: the tag alone", exact, last, "COMPLETE", "so\n" + marker, true, true},
		{"last line: bare", bare, last, "COMPLETE", "so\nCOMPLETE", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := func(l *loop.State) {
				l.PromiseMatch, l.PromisePlace, l.CompletionPromise = tt.match, tt.place, tt.token
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
