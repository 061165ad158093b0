package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func hasTasks(l *loop.State) {
	l.Tasks, l.TaskCount, l.Baseline = "TODO.md", &loop.TaskCount{Done: 1, Total: 2, Next: "ship"}, 2
}

// The round ends before the hook that waits for it.
func TestRoundLimit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		rules   loop.Commands
		want    time.Duration
		problem string
	}{
		{"tasks", loop.Commands{Tasks: "TODO.md"}, loop.TasksLimit, ""},
		{"a verification", loop.Commands{Verify: "make"}, 10 * time.Minute, ""},
		{"tasks and a verification", loop.Commands{Tasks: "TODO.md", Verify: "make", GateTimeout: loop.Duration(5 * time.Minute)}, 5 * time.Minute, ""},
		{"a long verification", loop.Commands{Verify: "make", GateTimeout: loop.Duration(time.Hour)}, time.Hour, "--gate-timeout 1h is more than Cursor waits for: the gates have 55m together"},
		{"a long review", loop.Commands{Review: "codex", GateTimeout: loop.Duration(time.Hour)}, time.Hour, "--gate-timeout 1h is more than Cursor waits for: the gates have 55m together"},
		{"both share the room", loop.Commands{Verify: "make", Review: "codex"}, 20 * time.Minute, ""},
		{"a verification that leaves none", loop.Commands{Verify: "make", GateTimeout: loop.Duration(30 * time.Minute), Review: "codex"}, time.Hour, "--gate-timeout 30m each for the command and the review is more than Cursor waits for: the gates have 55m together"},
	} {
		l := loop.State{Commands: tt.rules}
		if got := l.RoundLimit(); got != tt.want || l.GatesProblem() != tt.problem {
			t.Errorf("%s: got %s, %q", tt.name, got, l.GatesProblem())
		}
	}
}
