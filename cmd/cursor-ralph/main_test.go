package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cursor-ralph/cursor-ralph/test/schema"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

func TestMain(m *testing.M) {
	// A test that runs a command in this process must not start all tests again.
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); strings.HasSuffix(name, ".test") && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(2)
	}
	testscript.Main(m, map[string]func(){
		"cursor-ralph":    main,
		"ralph-supervise": main, // the name by which run starts the supervisor of an agent
		"cursor":          playCursor,
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestScripts runs each file of testdata/script as a user would type it, with
// the real hook beside cursor-ralph. The command `event` sends the hook an
// event of the conversation that it names first.
func TestScripts(t *testing.T) {
	bin := t.TempDir()
	if err := sources.Programs(bin, "cmd/cursor-ralph-hook"); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(bin, "cursor-ralph-hook")
	plugin, err := filepath.Abs("../../plugin")
	must(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("USERPROFILE", filepath.Join(e.WorkDir, "home"))
			e.Setenv("SHELL", "/bin/sh")
			e.Setenv("CURSOR_RALPH_DIR", filepath.Join(e.WorkDir, "tmp"))
			e.Setenv("CURSOR_RALPH_STATE_DIR", filepath.Join(e.WorkDir, "state"))
			e.Setenv("CURSOR_RALPH_NO_WATCHER", "1")
			e.Setenv("CURSOR_CONVERSATION_ID", "")
			e.Setenv("HOOK", hook)
			e.Setenv("PLUGIN", plugin)
			for _, dir := range []string{"home", "tmp", "repo/.git"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o700); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"event": event, "json": checkJSON, "json-lines": checkJSONLines},
	})
}

// event runs the hook: event ID NAME key=value ...; its answer is compared
// with stdout as that of any command is.
func event(ts *testscript.TestScript, neg bool, args []string) {
	payload := map[string]any{
		"conversation_id": args[0], "hook_event_name": args[1], "generation_id": "g",
		"workspace_roots": []string{filepath.Join(ts.Getenv("WORK"), "repo")},
	}
	for _, pair := range args[2:] {
		key, value, _ := strings.Cut(pair, "=")
		payload[key] = value
		if key == "loop_count" {
			payload[key] = json.Number(value)
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
