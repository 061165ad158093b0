package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// longTask has a first line, and a last one that says whether all of it is there.
func longTask(length int) string {
	const first, last = "Build the parser.", "Mind the last line."
	return first + strings.Repeat("\nEvery rule has a test.", max(0, length-len(first)-len(last))/23) + "\n" + last
}

func repeats(how loop.Repeat) func(*loop.State) {
	return func(l *loop.State) { l.Repeat, l.Prompt = how, longTask(2000) }
}

// has says of a text what it has of the task: all, its first line, or nothing.
func has(l loop.State, text string) string {
	switch {
	case strings.Contains(text, l.Prompt):
		return "all"
	case strings.Contains(text, "\nBuild the parser.\n"):
		return "first"
	}
	return "none"
}

func TestRepeat(t *testing.T) {
	turn := stop(worked(working))
	compacted := turn
	compacted.Turn.Compacted = true
	goesOn := loop.Event{Kind: loop.EventContinue}
	session := func(id string) loop.Event { return loop.Event{Kind: loop.EventSession, Text: id} }
	file := func(f loop.TaskFile) loop.Event { e := turn; e.TaskFile = &f; return e }
	inFile := loop.TaskFile{Name: ".ralph/task-k7f2m.md"}
	for _, tt := range []struct {
		name   string
		how    loop.Repeat
		change func(*loop.State)
		events []loop.Event
		want   string
	}{
		{"by default", "", nil, repeat(3, turn), "all all all"},
		{"full", "full", nil, repeat(3, turn), "all all all"},
		{"first: every fifth time", "first", nil, repeat(11, turn), "first first first first all first first first first all first"},
		{"first: after a continue", "first", nil, []loop.Event{turn, goesOn, turn}, "first all first"},
		{"first: after the chat was summarized", "first", nil, []loop.Event{turn, compacted, turn}, "first all first"},
		{"first: summarized in a pause", "first", nil, []loop.Event{turn, compacted, goesOn, turn}, "first all all first"},
		{"first: the agent has not seen it", "first", func(l *loop.State) { l.TaskDue = true }, repeat(2, turn), "all first"},
		{"first: a run whose sessions are all new", "first", func(l *loop.State) { l.Run = loop.Run{Driver: "acp", Fresh: true} }, repeat(2, turn), "all all"},
		{"first: a run that lost its session", "first", func(l *loop.State) { l.Run = loop.Run{Driver: "acp", Session: "s1"} }, []loop.Event{turn, session("s2"), turn, turn}, "first none all first"},
		{"first: a run of one session", "first", func(l *loop.State) { l.Run = loop.Run{Driver: "acp"} }, []loop.Event{session("s1"), turn, session("s1"), turn}, "none first none first"},
		{"file", "file", nil, []loop.Event{file(inFile), turn, goesOn, turn}, "first first first first"},
		{"file: nobody has written it", "file", nil, repeat(2, turn), "all all"},
		{"file: it was changed, and put right", "file", nil, []loop.Event{file(loop.TaskFile{Name: "t.md", Problem: "changed"}), turn, file(inFile)}, "all all first"},
		{"a short task is shorter than its place", "first", func(l *loop.State) { l.Prompt = "Build it." }, repeat(2, turn), "all all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, repeats(tt.how), tt.change)
			var got []string
			for _, e := range tt.events {
				got = append(got, has(c.l, c.do(e).Text))
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if start := has(c.l, c.l.StartText()); start != "all" && tt.how != "file" {
				t.Errorf("the beginning has %s of the task", start)
			}
		})
	}
}

// What takes the task's place says how to read it with one call, and where a file
// cannot be relied on, agent and user hear of it once.
func TestWhereTheTaskIs(t *testing.T) {
	turn := stop(worked(working))
	c := newChat(t, repeats("first"))
	c.l.Program = "/opt/cr"
	if a := c.do(turn); !strings.Contains(a.Text, " /opt/cr task c1\n") {
		t.Errorf("first: got %s", a.Text)
	}
	run := newChat(t, repeats("first"), func(l *loop.State) { l.Run.Driver = "acp" })
	if a := run.do(turn); !strings.Contains(a.Text, loop.RunTaskFile+"\n") {
		t.Errorf("run: got %s", a.Text)
	}
	inFile := turn
	inFile.TaskFile = &loop.TaskFile{Name: "docs/my task.md", User: true}
	f := newChat(t, repeats("file"))
	if a := f.do(inFile); !strings.Contains(a.Text, "docs/my task.md\n") {
		t.Errorf("file: got %s", a.Text)
	}
	inFile.TaskFile = &loop.TaskFile{Name: "docs/my task.md", User: true, Problem: "it no longer has the task"}
	const words = "docs/my task.md is not used for the task: it no longer has the task."
	if first, second := f.do(inFile), f.do(inFile); !strings.Contains(first.Text, words) || strings.Contains(second.Text, words) {
		t.Errorf("got %s\nthen %s", first.Text, second.Text)
	}
}

// A promise in the task, or in our words about it, is no promise in any mode.
func TestPromiseInTheTaskInEveryMode(t *testing.T) {
	task := "Say " + marker + " when all the tests pass.\n" + longTask(2000)
	for _, how := range []loop.Repeat{"full", "first", "file"} {
		c := newChat(t, repeats(how), func(l *loop.State) {
			l.Prompt, l.TaskFile = task, loop.TaskFile{Name: "t.md"}
		})
		a := c.do(stop(worked(working)))
		for name, said := range map[string]string{"the task": task, "the continuation": a.Text, "the first line": "The task: Say " + marker + " when all the tests pass."} {
			if a := c.do(stop(worked(said))); c.l.Status != loop.Running {
				t.Fatalf("%s: %s ended the loop: %+v", how, name, a)
			}
		}
		if c.do(stop(worked("All of it works now.\n" + marker))); c.l.Status != loop.PromiseAccepted {
			t.Errorf("%s: got %s", how, c.l.Status)
		}
	}
}

// sent is how many characters a loop of 20 iterations sends, its beginning
// included: the figures in docs/measured/repeat.md.
func sent(t *testing.T, how loop.Repeat, length int) (characters int) {
	c := newChat(t, func(l *loop.State) {
		l.Repeat, l.Prompt, l.MaxIterations = how, longTask(length), 21
		l.TaskFile = loop.TaskFile{Name: ".ralph/task-k7f2m.md"}
	})
	characters = len(c.l.StartText())
	for i := range 19 {
		a := c.do(stop(worked(fmt.Sprint(working, i))))
		characters += len(a.Text)
	}
	return characters
}

func TestCharactersSent(t *testing.T) {
	for _, length := range []int{200, 20_000} {
		full, first, file := sent(t, "full", length), sent(t, "first", length), sent(t, "file", length)
		t.Logf("a task of %d characters, 20 iterations: full %d, first %d, file %d", length, full, first, file)
		if first > full || file > full || length > 1000 && (first > full/3 || file > full/5) {
			t.Errorf("a task of %d characters: got full %d, first %d, file %d", length, full, first, file)
		}
	}
}
