//go:build unix

package simcursor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

func Example() {
	home, _ := os.MkdirTemp("", "home")
	repo, _ := os.MkdirTemp("", "repo")
	defer os.RemoveAll(home)
	defer os.RemoveAll(repo)
	os.Mkdir(filepath.Join(repo, ".cursor"), 0o755)
	os.WriteFile(filepath.Join(repo, ".cursor", "hooks.json"), []byte(`{
		"version": 1, // two more rounds, whatever the agent says
		"hooks": {"stop": [{"command": "cat >/dev/null; echo '{\"followup_message\": \"go on\"}'", "loop_limit": 2}]}
	}`), 0o644)

	cursor, err := simcursor.New(simcursor.Config{
		Home: home, Workspace: repo, Shell: "/bin/sh",
		Observe: func(e simcursor.Entry) {
			if e.Kind == simcursor.ToolCall {
				fmt.Printf("turn %d: %s: %s", e.Turn, e.Text, e.Output)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	chat := cursor.Chat(func(t *simcursor.Turn) {
		t.Shell("echo round >>log; wc -l <log | tr -d ' '")
		t.Say("Done.")
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Println(chat.Send(ctx, "start"), chat.Messages(), cursor.Violations())
	// Output:
	// turn 1: echo round >>log; wc -l <log | tr -d ' ': 1
	// turn 2: echo round >>log; wc -l <log | tr -d ' ': 2
	// turn 3: echo round >>log; wc -l <log | tr -d ' ': 3
	// <nil> [start go on go on] []
}
