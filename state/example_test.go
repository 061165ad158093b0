package state_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// A loop is asked for, taken by its conversation, and then changed by events
// alone.
func Example() {
	dir, err := os.MkdirTemp("", "loops")
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
	store := state.New(places, time.Now)
	box := pending.New(places, store, time.Now)

	asked := loop.New()
	asked.Prompt, asked.ConversationID, asked.Workspace = "Write the chapter.", "some-conversation", dir
	if _, _, err := box.Put(ctx, asked, ""); err != nil {
		fmt.Println(err)
		return
	}
	_, err = box.Claim(ctx, pending.Claimant{ID: "some-conversation"})
	fmt.Println("claimed:", err)
	_, action, err := store.Apply(ctx, "some-conversation", loop.Event{Kind: loop.EventPause})
	fmt.Println("paused:", action.Kind == loop.Rest, err)
	l, err := store.Read("some-conversation")
	fmt.Println(l.Prompt, l.Status, err)
	_, err = store.Read("another")
	fmt.Println("another:", errors.Is(err, fs.ErrNotExist))
	// Output:
	// claimed: <nil>
	// paused: true <nil>
	// Write the chapter. paused <nil>
	// another: true
}
