package pending_test

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

// A hook, which knows the conversation, finds the file to bind in what cursor-ralph
// printed.
func ExampleFindToken() {
	output := "Loop started.\n" + pending.TokenLine + "1767225600000-4711:8c1f5e0a9b2d4c6e\n"
	token := pending.FindToken(output)
	fmt.Println(token, pending.IsToken(token))
	fmt.Println(pending.FindToken("nothing here") == "")
	// Output:
	// 1767225600000-4711:8c1f5e0a9b2d4c6e true
	// true
}

// A loop is requested, listed, and claimed once.
func ExampleBox() {
	dir, err := os.MkdirTemp("", "pending")
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
	box, ctx := pending.New(places, state.New(places, time.Now), time.Now), context.Background()
	asked := loop.New()
	asked.Prompt, asked.ConversationID = "Write the chapter.", "some-conversation"
	if _, _, err := box.Put(ctx, asked, ""); err != nil {
		fmt.Println(err)
		return
	}
	items, err := box.List()
	fmt.Println(len(items), items[0].State.Prompt, err)
	_, err = box.Claim(ctx, pending.Claimant{ID: "some-conversation"})
	fmt.Println("claimed:", err)
	_, err = box.Claim(ctx, pending.Claimant{ID: "another"})
	fmt.Println("another:", errors.Is(err, fs.ErrNotExist))
	// Output:
	// 1 Write the chapter. <nil>
	// claimed: <nil>
	// another: true
}
