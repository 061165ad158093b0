package commands

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The exact text of the commands, and that each part survives JSON and the shell.
func TestPluginHooks(t *testing.T) {
	released, err := os.ReadFile("../plugin/hooks/hooks.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, goos, hook, want string }{
		{"plain", "linux", "/home/me/bin/cursor-ralph-hook", `/home/me/bin/cursor-ralph-hook`},
		{"macOS", "darwin", "/Users/me/Library/Application Support/x/cursor-ralph-hook", `'/Users/me/Library/Application Support/x/cursor-ralph-hook'`},
		{"a quote and a dollar", "linux", "/home/o'neil $(x)/cursor-ralph-hook", `'/home/o'\''neil $(x)/cursor-ralph-hook'`},
		{"Windows", "windows", `C:\Users\me\bin\cursor-ralph-hook.exe`, `C:\Users\me\bin\cursor-ralph-hook.exe`},
		{"a space", "windows", `C:\Users\A B\cursor-ralph-hook.exe`, `& 'C:\Users\A B\cursor-ralph-hook.exe'`},
		{"a quote", "windows", `C:\Users\O'Neil\cursor-ralph-hook.exe`, `& 'C:\Users\O''Neil\cursor-ralph-hook.exe'`},
		{"a dollar", "windows", `C:\Users\a$b` + "`n" + `\cursor-ralph-hook.exe`, `& 'C:\Users\a$b` + "`n" + `\cursor-ralph-hook.exe'`},
		{"a curly quote", "windows", `C:\Users\O’Neil\cursor-ralph-hook.exe`, `& 'C:\Users\O’’Neil\cursor-ralph-hook.exe'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, before := range []string{
				"cursor-ralph-hook",
				`\"${CURSOR_PLUGIN_ROOT}/../bin/cursor-ralph-hook\"`,
				`& \"${CURSOR_PLUGIN_ROOT}/../bin/cursor-ralph-hook.exe\"`,
			} {
				raw := strings.ReplaceAll(string(released), `"command": "cursor-ralph-hook`, `"command": "`+before)
				got, err := PluginHooks([]byte(raw), tt.hook, tt.goos)
				if err != nil {
					t.Fatal(err)
				}
				checkPluginCommands(t, got, tt.want)
			}
		})
	}
}

func checkPluginCommands(t *testing.T, raw []byte, want string) {
	t.Helper()
	var file struct {
		Hooks map[string][]struct{ Command string }
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	if got := file.Hooks["stop"][0].Command; got != want {
		t.Errorf("stop: got %s", got)
	}
	if len(file.Hooks) < 5 {
		t.Errorf("got %d events", len(file.Hooks))
	}
	for event, entries := range file.Hooks {
		if got := entries[0].Command; got != want {
			t.Errorf("%s: got %s, want %s", event, got, want)
		}
	}
	if !Installed(raw).Any() {
		t.Errorf("our hook is not found in\n%s", raw)
	}
}
