package commands_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/commands"
)

// A plan says what would be written; the user's own entries and comments stay.
func ExamplePlan() {
	folder, err := os.MkdirTemp("", "cursor")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	mine := "{\n  // mine\n  \"version\": 1,\n  \"hooks\": {\"stop\": [{\"command\": \"./my-hook\"}]}\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "hooks.json"), []byte(mine), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	change, err := commands.Plan(commands.Options{Folder: folder, Hook: filepath.Join(folder, "cursor-ralph-hook"), OS: "linux"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range change.Files {
		if filepath.Base(f.Path) == "hooks.json" {
			text := string(f.New)
			fmt.Println(strings.Contains(text, "// mine"), strings.Contains(text, "./my-hook"), strings.Contains(text, "cursor-ralph-hook"))
		}
	}
	fmt.Println(change.Apply())
	// Output:
	// true true true
	// <nil>
}

// Cursor drops a whole hooks.json for one mistake, without a word.
func ExampleInspect() {
	raw := []byte(`{"version": 1, "hooks": {"stop": [{"command": "curl https://example.com", "loop_limit": 0}]}}`)
	for _, f := range commands.Inspect(raw, "linux", os.Stat) {
		if f.Fatal {
			fmt.Println(f.Text())
		}
	}
	// Output:
	// line 1, column 47: stop[0]: the string "curl https://example.com" holds //, which Cursor takes for a comment
	// line 1, column 89: stop[0]: loop_limit is 0
}

func ExampleQuote() {
	fmt.Println(commands.Quote("it's here", "linux"))
	fmt.Println(commands.Quote("it's here", "windows"))
	// Output:
	// 'it'\''s here'
	// 'it''s here'
}
