package acp_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
)

// Example runs one turn of an agent that may edit files in its workspace.
func Example() {
	d := acp.Open(acp.Config{
		Argv:   []string{"opencode", "acp"},
		Dir:    "/home/me/project",
		Self:   "/usr/local/bin/cursor-ralph",
		Policy: outer.PolicyEdits,
	})
	defer d.Close()
	err := d.Turn(context.Background(), outer.Prompt{Text: "Fix the failing test."}, func(s outer.Seen) {
		fmt.Print(s.Text)
	})
	if start := (*outer.StartError)(nil); errors.As(err, &start) {
		fmt.Println(start.Hint)
	}
}
