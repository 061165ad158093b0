package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// TestVerificationWithoutAnArchive: a promise is verified and decided although no
// record can be written.
func TestVerificationWithoutAnArchive(t *testing.T) {
	dir := t.TempDir()
	places := loopfiles.Places(t, dir, filepath.Join(dir, "archive"))
	const id = "chat-1"
	for path, content := range map[string]string{
		places.Live(id): `{"prompt": "make it green", "max_iterations": 5, "completion_promise": "COMPLETE", "min_tool_calls": 0, "verify": "make test", "started_at": "2026-01-01T00:00:00Z"}`,
		places.Archive:  "a file where the folder should be",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store := state.New(places, time.Now)
	if err := store.AddToJournal(id, loop.Record{Kind: loop.RecordText, At: time.Now(), Text: "<promise>COMPLETE</promise>"}); err != nil {
		t.Fatal(err)
	}
	verified, warned := 0, 0
	g := engine.Engine{
		Store: store,
		Verify: func(_ context.Context, l loop.State) (loop.Verification, error) {
			verified++
			return loop.Verification{Exit: 1, Why: "it failed with exit 1"}, nil
		},
		Warn: func(err error) {
			if warned++; !errors.As(err, new(*state.ArchiveError)) {
				t.Errorf("got the warning %v, want one about the archive", err)
			}
		},
	}
	l, action, err := g.Decide(t.Context(), id, loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}})
	if err != nil || verified != 1 || warned == 0 || action.Kind != loop.Followup || l.Iterations != 1 {
		t.Errorf("got %v, %d verifications, %d warnings, %q at iteration %d; want one verification and a follow-up", err, verified, warned, action.Kind, l.Iterations)
	}
}
