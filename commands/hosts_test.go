package commands_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
)

// inHost is a host's folder with the settings of a user; raw is empty for none.
func inHost(t *testing.T, h host.Host, raw string) (commands.Options, string) {
	t.Helper()
	o := commands.Options{Folder: filepath.Join(t.TempDir(), h.Files.Home), Hook: "/opt/my tools/cursor-ralph-hook", Program: "/opt/my tools/cursor-ralph", OS: "linux"}
	path := filepath.Join(o.Folder, h.Files.Settings)
	if raw != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return o, path
}

func apply(t *testing.T, plan func(commands.Options, host.Host) (commands.Change, error), o commands.Options, h host.Host) commands.Change {
	t.Helper()
	change, err := plan(o, h)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return change
}

func tree(t *testing.T, top string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Whatever the user has: installed twice is installed once, and a removal leaves each byte as it was.
func TestAHostsSettingsAreAsBeforeAfterARemoval(t *testing.T) {
	t.Parallel()
	for _, h := range host.All() {
		if h.Files.Own {
			continue
		}
		for name, raw := range map[string]string{
			"none": "", "empty": "{}", "empty, in lines": "{\n}\n", "one line": `{"model": "x", "hooks": {}}`,
			"comments, tabs and a key": "{\n\t// mine\n\t\"model\": \"x\", // of mine\n\t\"env\": {\"API_KEY\": \"secret\"},\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]} // the last\n\t\t]\n\t}\n}\n",
			"their own lists":          `{ "permissions": { "allow": [ "Bash(ls)" ], "deny": [] }, "hooks": { "UserPromptSubmit": [] } }`,
			"windows":                  "{\r\n  \"hooks\": {\r\n    \"Other\": []\r\n  }\r\n}\r\n",
		} {
			t.Run(h.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				o, path := inHost(t, h, raw)
				before := tree(t, filepath.Dir(o.Folder))
				apply(t, commands.PlanHost, o, h)
				data, err := os.ReadFile(path)
				if err != nil || !commands.HasHost(data, h) {
					t.Fatalf("%v: our hook is not in\n%s", err, data)
				}
				if again := apply(t, commands.PlanHost, o, h); len(again.Files) > 0 {
					t.Errorf("a second installation changes %s", again.Files[0].Path)
				}
				apply(t, commands.PlanHostRemoval, commands.Options{Folder: o.Folder, Hook: "cursor-ralph-hook", OS: o.OS}, h)
				after := tree(t, filepath.Dir(o.Folder))
				if len(after) != len(before) || after[path] != before[path] {
					t.Errorf("got %q, want %q", after, before)
				}
			})
		}
	}
}

// A project gets a command only where its hook sees what was typed.
func TestAProjectsCommands(t *testing.T) {
	t.Parallel()
	for _, h := range host.All() {
		o, _ := inHost(t, h, "")
		o.Project = true
		apply(t, commands.PlanHost, o, h)
		has := false
		for path := range tree(t, o.Folder) {
			has = has || strings.Contains(path, "ralph-loop")
		}
		if want := h.Name != "gemini" && h.Name != "copilot"; has != want {
			t.Errorf("%s: has /ralph-loop is %v, want %v", h.Name, has, want)
		}
	}
}

func TestAHostsUpgradeReplacesOurEntries(t *testing.T) {
	t.Parallel()
	for _, h := range host.All() {
		o, path := inHost(t, h, "")
		apply(t, commands.PlanHost, o, h)
		o.Hook, o.Program = "/usr/bin/cursor-ralph-hook", "/usr/bin/cursor-ralph"
		apply(t, commands.PlanHost, o, h)
		for name, text := range tree(t, o.Folder) {
			if strings.Contains(text, "my tools") {
				t.Errorf("%s: %s still has the old path", h.Name, name)
			}
		}
		if data, _ := os.ReadFile(path); strings.Count(string(data), "--host "+h.Name) != strings.Count(string(data), "/usr/bin/cursor-ralph-hook") {
			t.Errorf("%s: got %s", h.Name, data)
		}
	}
}

// What cannot be read, or is not what the host documents, is refused, and nothing is written.
func TestAHostsSettingsThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{"hooks": `, `[]`, `7`, `{"hooks": []}`, `{"hooks": {"Stop": {}}}`, `{"permissions": {"allow": {}}}`, `{"env": []}`} {
		h, _ := host.Named("claude")
		o, path := inHost(t, h, raw)
		if _, err := commands.PlanHost(o, h); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error that names the file", raw, err)
		}
		if got := tree(t, o.Folder); len(got) != 1 || got[path] != raw {
			t.Errorf("%s: something was written: %q", raw, got)
		}
	}
}

func TestTheUsersOwnInAHostStays(t *testing.T) {
	t.Parallel()
	h, _ := host.Named("claude")
	o, path := inHost(t, h, `{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "20"}}`)
	if change := apply(t, commands.PlanHost, o, h); len(change.Notes) != 1 || !strings.Contains(change.Notes[0], `"20"`) {
		t.Errorf("got the notes %q", change.Notes)
	}
	command := filepath.Join(o.Folder, "commands", "ralph-loop.md")
	if data, err := os.ReadFile(command); err != nil || os.WriteFile(command, append([]byte("mine\n"), data...), 0o600) != nil {
		t.Fatal(err)
	}
	apply(t, commands.PlanHostRemoval, o, h)
	got := tree(t, o.Folder)
	if got[path] != `{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "20"}}` || !strings.HasPrefix(got[command], "mine\n") || len(got) != 2 {
		t.Errorf("got %q", got)
	}
	if err := os.WriteFile(command, []byte("all mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := commands.PlanHost(o, h); err == nil || !strings.Contains(err.Error(), "your own") {
		t.Errorf("got %v for a command of the user's", err)
	}
}
