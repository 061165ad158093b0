package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func hasTasks(l *loop.State) {
	l.Tasks, l.TaskCount, l.Baseline = "TODO.md", &loop.TaskCount{Done: 1, Total: 2, Next: "ship"}, []string{"write", "say <promise>COMPLETE</promise> at last"}
}

// What the agent reads about its list, at first and later.
func TestTasksInTheWords(t *testing.T) {
	for _, tt := range []struct {
		name   string
		survey loop.Survey
		want   string
	}{
		{"nothing new", loop.Survey{}, "The task list TODO.md: 1 of 2 done. The next open task is: ship\n\n"},
		{"another is next", tasksAre(loop.TaskCount{Done: 2, Total: 4, Next: "more"}), "The task list TODO.md: 2 of 4 done. The next open task is: more\n\n"},
		{"all done", tasksAre(loop.TaskCount{Done: 2, Total: 2}), "The task list TODO.md: all of 2 tasks done.\n\n"},
		{"it is gone", tasksAre(loop.TaskCount{Error: "it does not exist"}), "The task list TODO.md cannot be used: it does not exist.\nThe promise counts only if no task of this file is open."},
		{"one is gone", tasksAre(loop.TaskCount{Done: 1, Total: 1, Lost: []string{"ship"}}), "all of 1 task done.\nSome tasks that were in TODO.md when the loop began are gone: ship. Put them back;"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, hasTasks)
			if start := c.l.StartText(); !strings.Contains(start, "1 of 2 done. The next open task is: ship\nThe promise counts only if no task of this file is open.") {
				t.Errorf("the start says %q", start)
			}
			e := stop(worked(working))
			e.Survey = tt.survey
			if a := c.do(e); !strings.Contains(a.Text, tt.want) {
				t.Errorf("got %q, want %q", a.Text, tt.want)
			}
			if h := c.l.History[0]; c.l.TaskCount.Progress() != h.Tasks.Progress() || h.Tasks != nil && h.Tasks.Next != "" {
				t.Errorf("got %+v in the history, want %+v", h.Tasks, c.l.TaskCount)
			}
		})
	}
}

func tasksAre(c loop.TaskCount) loop.Survey { return loop.Survey{Taken: true, Tasks: &c} }

// A gate refuses in its own words, and what it counted is the newest.
func TestAPromiseThatTheTasksRefuse(t *testing.T) {
	c := newChat(t, hasTasks, verifies)
	said := stop(worked(marker))
	if a := c.do(said); a.Kind != loop.AskVerify {
		t.Fatalf("got %+v", a)
	}
	count := loop.TaskCount{Done: 1, Total: 3, Next: "more"}
	a := c.verified(said, loop.Verification{Gate: loop.GateTasks, Refusal: "2 of 3 tasks in TODO.md are open", Tasks: &count})
	for _, want := range []string{"Your promise was refused: 2 of 3 tasks in TODO.md are open.", "The task list TODO.md: 1 of 3 done. The next open task is: more"} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("got %q, want %q", a.Text, want)
		}
	}
	if h := c.l.History[0]; h.Refused != "2 of 3 tasks in TODO.md are open" || h.Verified == nil || h.Verified.Ran() || h.Verified.Gate != loop.GateTasks {
		t.Errorf("got %q, %+v", h.Refused, h.Verified)
	}
}

// An agent that reads its list aloud promises nothing.
func TestAPromiseInATask(t *testing.T) {
	for said, want := range map[string]loop.ActionKind{
		"- [ ] say <promise>COMPLETE</promise> at last":                   loop.Followup,
		"The next one is: **say <promise>COMPLETE</promise> at last**":    loop.Followup,
		"All done.\n<promise>COMPLETE</promise>":                          loop.AskVerify,
		"- [x] say <promise>COMPLETE</promise> at last\n\nAnd: " + marker: loop.AskVerify,
	} {
		c := newChat(t, hasTasks)
		if a := c.do(stop(worked(said))); a.Kind != want {
			t.Errorf("%q: got %+v, want %s", said, a, want)
		}
	}
}

// The round ends before the hook that waits for it.
func TestRoundLimit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rules  loop.Rules
		want   time.Duration
		misfit string // in a stop entry of 11 minutes
	}{
		{"tasks", loop.Rules{Tasks: "TODO.md"}, loop.TasksLimit, ""},
		{"a verification", loop.Rules{Verify: "make"}, 10 * time.Minute, ""},
		{"tasks and a verification", loop.Rules{Tasks: "TODO.md", Verify: "make", VerifyTimeout: loop.Duration(5 * time.Minute)}, 5 * time.Minute, ""},
		{"a long verification", loop.Rules{Verify: "make", VerifyTimeout: loop.Duration(time.Hour)}, time.Hour, "--verify-timeout 1h is more than Cursor waits for: the stop entry in hooks.json has room for 10m"},
		{"a long review", loop.Rules{Review: "codex", ReviewTimeout: loop.Duration(time.Hour)}, time.Hour, "--review-timeout 1h is more than Cursor waits for: the stop entry in hooks.json has room for 10m"},
		{"both share the room", loop.Rules{Verify: "make", Review: "codex"}, 20 * time.Minute, ""},
		{"a verification that leaves none", loop.Rules{Verify: "make", VerifyTimeout: loop.Duration(10 * time.Minute), Review: "codex"}, 20 * time.Minute, "--verify-timeout 10m and --review-timeout 10m are more than Cursor waits for: the stop entry in hooks.json has room for 10m"},
		{"both, by their names", loop.Rules{Verify: "make", VerifyTimeout: loop.Duration(10 * time.Minute), Review: "codex", ReviewTimeout: loop.Duration(10 * time.Minute)}, 20 * time.Minute, "--verify-timeout 10m and --review-timeout 10m are more than Cursor waits for: the stop entry in hooks.json has room for 10m"},
	} {
		l := loop.State{Rules: tt.rules}
		if got := l.RoundLimit(); got != tt.want || l.Misfit(11*time.Minute, "hooks.json") != tt.misfit || l.Misfit(0, "hooks.json") != "" {
			t.Errorf("%s: got %s, %q", tt.name, got, l.Misfit(11*time.Minute, "hooks.json"))
		}
	}
}
