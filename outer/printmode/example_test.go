package printmode_test

import (
	"context"
	"fmt"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/outer/printmode"
)

// Example runs one turn of Claude Code, which may edit files.
func Example() {
	var claude printmode.Preset
	for _, p := range printmode.Presets() {
		if p.Name == "claude" {
			claude = p
		}
	}
	agent := printmode.Open(printmode.Config{
		Preset: claude, Dir: "/home/me/project", Policy: outer.PolicyEdits, Self: "/usr/local/bin/cursor-ralph",
	})
	defer agent.Close()

	err := agent.Turn(context.Background(), outer.Prompt{Text: "make the tests pass"}, func(s outer.Seen) {
		if s.Record.Kind == loop.RecordText {
			fmt.Println(s.Record.Text)
		}
	})
	if err != nil {
		fmt.Println(err)
	}
}
