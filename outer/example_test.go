package outer_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// writer is an agent that writes one of three chapters in each turn.
type writer struct{ chapters int }

func (w *writer) Turn(_ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
	w.chapters++
	see(outer.Seen{Record: loop.Record{Kind: loop.RecordTool, Tool: "Write", File: fmt.Sprintf("chapter-%d.txt", w.chapters)}})
	if w.chapters == 3 {
		see(outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: "<promise>COMPLETE</promise>"}})
	}
	return nil
}

func (w *writer) Close() error { return nil }

// Example runs a loop around an agent with its own Driver.
func Example() {
	dir, err := os.MkdirTemp("", "book")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	places, err := platform.Find(func(name string) string {
		return map[string]string{"CURSOR_RALPH_DIR": dir, "CURSOR_RALPH_STATE_DIR": dir + "/archive"}[name]
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	folder, err := outer.Enter(ctx, dir, places.RunLock("a-run"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer folder.Leave()

	l := loop.New()
	l.Prompt, l.ConversationID, l.Workspace = "Write three chapters.", "a-run", dir
	l.Run = loop.Run{Agent: "writer", Driver: "mine"}
	runner := outer.Runner{Store: state.New(places, time.Now), Folder: folder, Driver: &writer{}, Tell: func(r outer.Report) {
		fmt.Println(r.Kind, r.State.Iterations)
	}}
	l, err = runner.Start(ctx, l)
	fmt.Println(l.Status, err)
	// Output:
	// turn 0
	// decided 1
	// turn 1
	// decided 2
	// turn 2
	// decided 3
	// PROMISE_ACCEPTED <nil>
}
