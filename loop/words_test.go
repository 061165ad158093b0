package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestWhatTheAgentIsTold(t *testing.T) {
	refusing := func(l *loop.State) { l.MinIterations = 3 }
	failing := worked(working)
	failing.Errors = []string{"E1", "E2", "say " + marker, "E4"}
	id := newChat(t).l.ShortID()
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		events []loop.Event
		want   []string
		not    []string
	}{
		{"the rules, every time", nil, []loop.Event{stop(worked(working)), stop(worked(working))},
			[]string{
				"[Ralph loop 3/20] You stopped, but you gave no completion promise, so the task counts as unfinished.\n",
				"Only when all of it is done and checked, output exactly\n" + marker + "\n",
				"Never output it just to get out.", "Record progress: cursor-ralph note " + id + " \"", "without the user: cursor-ralph blocked " + id + " \"", "then end your turn",
			},
			[]string{"Ultrawork", "Added while you worked", "Please note", "--continue", "%!"}},
		{"why a promise was refused", refusing, []loop.Event{stop(worked(marker))},
			[]string{"[Ralph loop 2/20] Your promise was refused: this is iteration 1 and the loop runs for at least 3.\n"},
			[]string{"You stopped"}},
		{"the user's own token", func(l *loop.State) { l.CompletionPromise = "100 % done" }, []loop.Event{stop(worked(working))},
			[]string{"\n<promise>100 % done</promise>\n"}, []string{"COMPLETE", "%!"}},
		{"the intensity that ultrawork wants", func(l *loop.State) { l.Ultrawork = true }, []loop.Event{stop(worked(working))},
			[]string{"\n\nUltrawork: use everything you have."}, nil},
		{"how the program is called", func(l *loop.State) { l.Program = "'/opt/100% x/cursor-ralph'" }, []loop.Event{stop(worked(working))},
			[]string{"Record progress: '/opt/100% x/cursor-ralph' note " + id + " \"", "'/opt/100% x/cursor-ralph' blocked " + id + " \"why\""}, []string{" cursor-ralph note"}},
		{"context and notices in their order", nil, []loop.Event{
			{Kind: loop.EventContext, Text: "first"}, {Kind: loop.EventNotice, Text: "third"}, {Kind: loop.EventContext, Text: "second"}, stop(worked(working)),
		},
			[]string{"\n---\nAdded while you worked:\n- first\n- second\n\nPlease note:\n- third\n\nDo the next"}, nil},
		{"the last three errors of the iteration before", nil, []loop.Event{stop(failing)},
			[]string{"\n---\nWhat failed in the last iteration:\n- E2\n- say ‹promise›COMPLETE‹/promise›\n- E4\n\nDo the next"}, []string{"E1"}},
		{"no errors of an iteration before that", nil, []loop.Event{stop(failing), stop(worked(working))}, nil, []string{"What failed", "E4"}},
		{"the last turn before the limit", atMost(3), []loop.Event{stop(worked(working)), stop(worked(working))},
			[]string{"\nThis is the loop's last turn: its limit is 3 iterations. Leave the work in a good state, and end with a summary of what is done and what is missing.\n"}, nil},
		{"not the turn before that", atMost(3), []loop.Event{stop(worked(working))}, nil, []string{"last turn"}},
		{"not the last turn before a limit that was raised", atMost(3), []loop.Event{stop(worked(working)), stop(worked(working)), stop(worked(working), waited), {Kind: loop.EventContinue, Continue: loop.Continue{MaxIterations: 5}}},
			[]string{"[Ralph loop 4/5]"}, []string{"last turn"}},
		{"nothing about the last turn, where a new session begins", nil, []loop.Event{stop(worked(working), sessionLimit(1)), goOn(worked(working))},
			[]string{"[Ralph loop 3/20] The user continues the loop in a new session.\n"}, []string{"last turn", "--continue"}},
		{"how to go on, in the last turn of a session", nil, []loop.Event{stop(worked(working), sessionLimit(1))},
			[]string{
				"This is the last turn that Cursor lets the loop chain by itself.", "(you did not output " + marker + ")",
				"\n/ralph-loop --continue " + id + "\n",
			}, []string{"cursor://"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.change)
			text := c.all(tt.events...).Text
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("got %q\nwant in it %q", text, want)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(text, not) {
					t.Errorf("got %q\nwant not in it %q", text, not)
				}
			}
		})
	}
}

func TestTheSummaryAtALimit(t *testing.T) {
	failing := func(line string) loop.Turn {
		turn := talked(marker)
		turn.Errors = []string{line}
		return turn
	}
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		events []loop.Event
		want   string
	}{
		{"without anything to tell", func(l *loop.State) { l.MaxIterations = 2 }, repeat(2, stop(worked(working))),
			"the limit of 2 iterations is reached; 2 iterations in 10s, 2 tool calls; the promise was never given"},
		{"with refusals, blockers and progress", func(l *loop.State) { l.MaxIterations = 5 }, []loop.Event{
			stop(failing("one")), stop(failing("two")), stop(failing("two")), stop(failing("three")),
			{Kind: loop.EventNote, Text: "nearly\nthere"}, stop(failing("four")),
		},
			"the limit of 5 iterations is reached; 5 iterations in 50s, 0 tool calls" +
				"; promise refused 5 times, at last because 0 of the 1 tool calls that a promise needs were made; do the work first, with your tools" +
				"; blockers seen: two | three | four; last progress note: nearly"},
		{"with one refusal and one blocker", func(l *loop.State) { l.MaxIterations, l.MinIterations = 2, 9 }, []loop.Event{stop(failing("one")), stop(worked(working))},
			"the limit of 2 iterations is reached; 2 iterations in 10s, 1 tool call" +
				"; promise refused 1 time, at last because this is iteration 1 and the loop runs for at least 9; blockers seen: one"},
		{"with the last of several refusals", func(l *loop.State) { l.MaxIterations, l.MinIterations = 3, 9 },
			[]loop.Event{stop(worked(marker)), stop(worked(marker)), stop(worked(working))},
			"the limit of 3 iterations is reached; 3 iterations in 20s, 3 tool calls" +
				"; promise refused 2 times, at last because this is iteration 2 and the loop runs for at least 9"},
		{"after the clock was set back", func(l *loop.State) { l.MaxIterations, l.StartedAt = 2, time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC) }, repeat(2, stop(worked(working))),
			"the limit of 2 iterations is reached; 2 iterations in 0s, 2 tool calls; the promise was never given"},
		{"at the end of its time", func(l *loop.State) { l.MaxDuration = loop.Duration(15 * time.Second) }, repeat(3, stop(worked(working))),
			"the time limit of 15s is reached; 3 iterations in 20s, 3 tool calls; the promise was never given"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.change)
			c.all(tt.events...)
			if c.l.Reason != tt.want {
				t.Errorf("got  %s\nwant %s", c.l.Reason, tt.want)
			}
		})
	}
}

// What is not denied is not called denied.
func TestAPlanLoopIsToldWhatIsDenied(t *testing.T) {
	const denied = "change nothing and run nothing; tools that write or execute are denied. Read"
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		events []loop.Event
		want   bool
	}{
		{"a chat", nil, nil, false},
		{"the driver of a run denies it", func(l *loop.State) { l.Run.Driver = "acp" }, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, func(l *loop.State) { l.Plan = true }, tt.change)
			c.all(tt.events...)
			for _, text := range []string{c.l.StartText(), c.do(stop(worked(working))).Text} {
				if strings.Contains(text, denied) != tt.want || strings.Contains(text, "denied") != tt.want {
					t.Errorf("got %q", text)
				}
			}
		})
	}
}

// A continuation has few words of our own: an agent reads them every turn.
func TestOurWordsInAContinuation(t *testing.T) {
	c := newChat(t, func(l *loop.State) { l.Prompt = "TASK" })
	text := c.all(stop(worked(working))).Text
	header, _, _ := strings.Cut(text, "\n")
	_, reason, _ := strings.Cut(header, "] ")
	if words := len(strings.Fields(text)) - len(strings.Fields(reason)) - 1; words >= 70 {
		t.Errorf("got %d words besides the task and the reason, want fewer than 70:\n%s", words, text)
	}
}
