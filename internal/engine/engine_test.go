package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// TestPromiseWithoutAStateFolder: nobody knows the gates of the loop, so the promise is
// not decided, and nothing is lost.
func TestPromiseWithoutAStateFolder(t *testing.T) {
	dir := t.TempDir()
	places := loopfiles.Places(t, dir, filepath.Join(dir, "archive"))
	const id = "chat-1"
	for path, content := range map[string]string{
		places.Live(id): `{"prompt": "make it green", "max_iterations": 5, "completion_promise": "COMPLETE", "min_tool_calls": 0, "has_record": true, "started_at": "2026-01-01T00:00:00Z"}`,
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
	verified := 0
	g := engine.Engine{
		Store: store,
		Verify: func(_ context.Context, l loop.State) (loop.Verification, error) {
			verified++
			return loop.Verification{Exit: 1, Why: "it failed with exit 1"}, nil
		},
	}
	l, action, err := g.Decide(t.Context(), id, loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}})
	if err == nil || verified != 0 || action.Kind != loop.Rest || l.Iterations != 0 {
		t.Errorf("got %v, %d verifications, %q at iteration %d; want an error: nobody knows its gates", err, verified, action.Kind, l.Iterations)
	}
}
