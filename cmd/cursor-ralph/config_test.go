package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

const settingsPage = "../../docs/settings.md"

// docs/settings.md has every setting, but those of loops, with what is true of it, and no other.
func TestSettingsAreDocumented(t *testing.T) {
	data, err := os.ReadFile(settingsPage)
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSuffix(line, "|\n"), "|")
		if key := unquoted(cells[min(1, len(cells)-1)]); len(cells) == 4 && strings.Contains(key, ".") && !strings.HasPrefix(key, "cursorRalph.") && !strings.HasSuffix(key, "*") {
			documented[key] = cells[2:]
		}
	}
	for _, s := range config.Settings() {
		if s.Section == "loop" { // docs/loops.md has them: TestLoopOptionsAreDocumented
			continue
		}
		row := documented[s.Key()]
		if row == nil {
			t.Errorf("%s is not in docs/settings.md", s.Key())
			continue
		}
		want := s.Default
		if want == "" {
			want = "not set"
		}
		if d := unquoted(row[0]); d != want {
			t.Errorf("%s: got the default %q, want %q", s.Key(), d, want)
		}
		delete(documented, s.Key())
	}
	for key := range documented {
		t.Errorf("docs/settings.md has %s, which is no setting", key)
	}
}

func unquoted(cell string) string { return strings.Trim(cell, " `") }

func TestEveryOptionIsASetting(t *testing.T) {
	for _, o := range loop.Options() {
		is := slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Key() == "loop."+o.Name })
		if want := o.Name != "replace"; is != want {
			t.Errorf("--%s: got a setting: %t, want %t", o.Name, is, want)
		}
	}
}

// The extension's settings are those of its manifest, and docs/settings.md has them.
func TestEditorSettingsAreThoseOfTheExtension(t *testing.T) {
	data, err := os.ReadFile("../../extension/package.json")
	must(t, err)
	var manifest struct {
		Contributes struct {
			Configuration struct {
				Properties map[string]struct{ Default any }
			}
		}
	}
	must(t, json.Unmarshal(data, &manifest))
	page, err := os.ReadFile(settingsPage)
	must(t, err)
	theirs := manifest.Contributes.Configuration.Properties
	if len(theirs) != len(config.EditorSettings()) {
		t.Errorf("the extension has %d settings, this list %d", len(theirs), len(config.EditorSettings()))
	}
	for _, s := range config.EditorSettings() {
		if got, ok := theirs[s.Name]; !ok || fmt.Sprint(got.Default) != s.Default {
			t.Errorf("%s: got %v in the extension, want %q", s.Name, got.Default, s.Default)
		}
		byDefault := "not set"
		if s.Default != "" {
			byDefault = "`" + s.Default + "`"
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", s.Name, byDefault, s.Usage); !strings.Contains(string(page), row) {
			t.Errorf("docs/settings.md lacks %s", row)
		}
	}
}
