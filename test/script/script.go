// Package script runs testscripts as a user at a terminal whose Cursor has the hook: the environment, and the commands `event`,
// `json` and `json-lines`. For tests only.
package script

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cursor-ralph/cursor-ralph/test/schema"
)

// Params are those of the scripts in a folder, for a hook program.
func Params(dir, hook string) testscript.Params {
	return testscript.Params{
		Dir:   dir,
		Setup: func(e *testscript.Env) error { return setup(e, hook) },
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"event": event, "json": checkJSON, "json-lines": checkJSONLines},
	}
}

type turnsKey struct{}

// turns has the number of each chat's turn.
type turns map[string]int

func setup(e *testscript.Env, hook string) error {
	e.Values[turnsKey{}] = turns{}
	e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
	e.Setenv("USERPROFILE", filepath.Join(e.WorkDir, "home"))
	e.Setenv("SHELL", "/bin/sh")
	e.Setenv("CURSOR_RALPH_DIR", filepath.Join(e.WorkDir, "tmp"))
	e.Setenv("CURSOR_RALPH_STATE_DIR", filepath.Join(e.WorkDir, "state"))
	e.Setenv("CURSOR_RALPH_NO_WATCHER", "1")
	e.Setenv("CURSOR_CONVERSATION_ID", "")
	e.Setenv("HOOK", hook)
	e.Setenv("HOUR_AGO", time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))
	e.Setenv("PATH", e.Getenv("PATH")+string(filepath.ListSeparator)+filepath.Dir(hook))
	for _, dir := range []string{"home", "tmp", "repo/.git"} {
		if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// event runs the hook: event CHAT NAME key=value ...; its answer is compared with stdout as that of any command is. A message of
// the user, and whatever follows a stop, has a new generation_id, as in Cursor's editor, unless the script names one. A value
// that is an object of JSON, or loop_count, is sent as such; elsewhere \n is a new line.
func event(ts *testscript.TestScript, neg bool, args []string) {
	chat, name, turn := args[0], args[1], ts.Value(turnsKey{}).(turns)
	if name == "beforeSubmitPrompt" {
		turn[chat]++
	}
	payload := map[string]any{
		"conversation_id": chat, "hook_event_name": name, "generation_id": fmt.Sprint("turn-", turn[chat]),
		"cursor_version": "3.18.25", "workspace_roots": []string{filepath.Join(ts.Getenv("WORK"), "repo")},
	}
	if name == "stop" {
		turn[chat]++
	}
	for _, pair := range args[2:] {
		key, value, _ := strings.Cut(pair, "=")
		payload[key] = strings.ReplaceAll(value, `\n`, "\n")
		if strings.HasPrefix(value, "{") || key == "loop_count" {
			payload[key] = json.RawMessage(value)
		}
	}
	data, err := json.Marshal(payload)
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "event.json"), data, 0o600))
	ts.Check(ts.Exec("sh", "-c", `"$HOOK" <"$WORK/event.json"`))
}

// checkJSON wants stdout of the last command to be JSON, of a schema if one is named.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 1 {
		ts.Check(schema.Problem(args[0], ts.ReadFile("stdout")))
		return
	}
	if !json.Valid([]byte(ts.ReadFile("stdout"))) {
		ts.Fatalf("stdout is not JSON")
	}
}

// checkJSONLines wants each line of stdout of the last command to be JSON.
func checkJSONLines(ts *testscript.TestScript, neg bool, args []string) {
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if !json.Valid([]byte(line)) {
			ts.Fatalf("no JSON: %s", line)
		}
	}
}
