package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// playCursor stands for Cursor's command in the scripts. It answers `desktop ls`
// and `desktop send` with the files ls and send of $WORK/cursor, and logs its
// calls there. With a file named deliver the message gets to the chat, as the
// prompt hook sees it.
func playCursor() {
	if err := play(filepath.Join(os.Getenv("WORK"), "cursor"), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(dir string, args []string) error {
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	fmt.Fprintln(log, strings.Join(args, " "))
	line, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "deliver")); err == nil && args[1] == "send" {
		if err := submit(args[2], string(line)); err != nil {
			return err
		}
	}
	answer, err := os.ReadFile(filepath.Join(dir, args[1]))
	fmt.Print(string(answer))
	return err
}

// submit has the hook see a message.
func submit(id, line string) error {
	event, err := json.Marshal(map[string]any{
		"conversation_id": id, "hook_event_name": "beforeSubmitPrompt", "generation_id": "g", "prompt": line,
		"workspace_roots": []string{filepath.Join(os.Getenv("WORK"), "repo")},
	})
	if err != nil {
		return err
	}
	hook := exec.Command(os.Getenv("HOOK"))
	hook.Stdin = bytes.NewReader(event)
	return hook.Run()
}
