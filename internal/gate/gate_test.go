package gate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/gate"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The command and the review are asked only after what comes before them has passed.
func TestOrder(t *testing.T) {
	review := func(refusal string) func(context.Context, loop.State, loop.Verification) loop.Verification {
		return func(_ context.Context, _ loop.State, so loop.Verification) loop.Verification {
			so.Review = &loop.Review{Agent: "codex", Verdict: loop.ReviewClear}
			if refusal != "" {
				so.Passed, so.Gate, so.Refusal = false, loop.GateReview, refusal
			}
			return so
		}
	}
	for _, tt := range []struct {
		name           string
		verify, review string
		answer         string // of the reviewer; empty is clear
		want           loop.Gate
		reviewed       bool
	}{
		{name: "the command alone, passing", verify: "exit 0"},
		{name: "the command alone, failing", verify: "exit 3", want: loop.GateVerify},
		{name: "a command that fails is not reviewed", verify: "exit 3", review: "codex", want: loop.GateVerify},
		{name: "the review refuses", verify: "exit 0", review: "codex", answer: "a race", want: loop.GateReview, reviewed: true},
		{name: "both pass", verify: "exit 0", review: "codex", reviewed: true},
		{name: "the review alone", review: "codex", reviewed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := loop.State{Workspace: t.TempDir(), Commands: loop.Commands{Verify: tt.verify, Review: tt.review}}
			v := gate.Run(t.Context(), gate.Round{Loop: l, Review: review(tt.answer)})
			if v.Passed != (tt.want == "") || v.Gate != tt.want || (v.Review != nil) != tt.reviewed || v.Refusal != tt.answer {
				t.Errorf("got %s", cmp.Diff(loop.Verification{}, v))
			}
		})
	}
}

// A gate that this program cannot check never lets a promise pass.
func TestWithoutAReviewerOrAReader(t *testing.T) {
	for _, rules := range []loop.Commands{{Review: "codex"}, {Tasks: "TODO.md"}} {
		v := gate.Run(t.Context(), gate.Round{Loop: loop.State{Workspace: t.TempDir(), Commands: rules}})
		if v.Passed || v.Refusal == "" {
			t.Errorf("%+v: got %+v", rules, v)
		}
	}
}

func TestGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := loop.State{Workspace: t.TempDir(), Commands: loop.Commands{Verify: "exit 0"}}
	if v := gate.Run(ctx, gate.Round{Loop: l}); v.Passed || v.Why == "" {
		t.Errorf("got %+v", v)
	}
}

// The tasks come first, and the command may look at their file.
func TestTasks(t *testing.T) {
	for _, tt := range []struct {
		name, list, refusal string
		ran                 bool // the command
	}{
		{"all done", "- [x] a\n- [x] b\n", "", true},
		{"open", "- [x] a\n- [ ] b\n", "1 of 2 tasks in TODO.md is open, the next one is: b", false},
		{"lost", "- [x] a\n", "TODO.md had 2 tasks when the loop began and has 1 now: put back what is missing. A task that is not needed any more is checked off, not removed", false},
		{"more", "- [x] c\n- [x] a\n- [x] b\n", "", true},
		{"none", "a\n", "the task list TODO.md cannot be used: it has no task: write them as Markdown checkboxes (- [ ] what to do), or as JSON objects with passes in a file named .json", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "TODO.md")
			if err := os.WriteFile(path, []byte(tt.list), 0o600); err != nil {
				t.Fatal(err)
			}
			l := loop.State{Workspace: dir, Commands: loop.Commands{Tasks: "TODO.md", Verify: "echo ran"}}
			l.Baseline = 2
			v := gate.Run(t.Context(), gate.Round{Loop: l})
			if v.Passed != tt.ran || v.Refusal != tt.refusal || (v.Output != "") != tt.ran || v.Tasks == nil {
				t.Errorf("got %s", cmp.Diff(loop.Verification{}, v))
			}
		})
	}
}

// A verification leaves time for the review.
func TestTimeForTheReview(t *testing.T) {
	l := loop.State{Workspace: t.TempDir(), Commands: loop.Commands{Verify: "sleep 600", Review: "codex", GateTimeout: loop.Duration(100 * time.Millisecond)}}
	v := gate.Run(t.Context(), gate.Round{Loop: l})
	if v.Passed || v.Gate != loop.GateVerify || v.Why != "it did not end within 100ms and was killed" {
		t.Errorf("got %+v", v)
	}
}
