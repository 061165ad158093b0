package editors

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var then = time.Date(2026, 11, 22, 21, 0, 0, 0, time.UTC)

func noProduct(string) ([]byte, error) { return nil, os.ErrNotExist }

func report(t *testing.T, text string, at time.Time) Editor {
	t.Helper()
	e, err := Parse([]byte(text), at, noProduct)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestOutcomesAreRememberedPerVersion(t *testing.T) {
	records := filepath.Join(t.TempDir(), "state")
	for i, text := range []string{
		`{"name": "Cursor", "version": "3.15", "hooks": "plugin", "plugin": "/p", "commands": {"a": "ok", "b": "missing"}}`,
		`{"name": "Cursor", "version": "3.22", "hooks": "hooks.json"}`,
		`{"name": "Cursor", "version": "3.15", "hooks": "off", "commands": {"b": "ok", "c": "timeout"}, "settings": {"notices": "none", "delivery": false}}`,
	} {
		if err := Remember(records, report(t, text, then.Add(time.Duration(i)*time.Hour))); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Read(records)
	if err != nil {
		t.Fatal(err)
	}
	want := []Editor{
		{Name: "Cursor", Version: "3.15", Hooks: Off, Commands: map[string]Outcome{"a": OK, "b": OK, "c": Timeout},
			Settings: map[string]any{"notices": "none", "delivery": false}, At: then.Add(2 * time.Hour)},
		{Name: "Cursor", Version: "3.22", Hooks: ByFile, At: then.Add(time.Hour)},
	}
	if diff := cmp.Diff(want, all) + cmp.Diff(want[:1], Newest(all)); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(filepath.Join(records, name))
	if err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a private file", info.Mode(), err)
	}
}

func TestVersionIsTheEditorsOwn(t *testing.T) {
	for product, want := range map[string]string{
		`{"version": "3.22.0", "vscodeVersion": "1.105.1"}`: "3.22.0",
		`{"version": "1.105.1"}`:                            "1.105.1",
		`{"version": "3.22.0", "vscodeVersion": 7}`:         "1.105.1",
		"no JSON": "1.105.1",
	} {
		read := func(folder string) ([]byte, error) {
			if folder != "/app" {
				t.Errorf("got the folder %q", folder)
			}
			return []byte(product), nil
		}
		got, err := Parse([]byte(`{"name": "x", "version": "1.105.1", "hooks": "off", "app": "/app"}`), then, read)
		if err != nil || got.Version != want {
			t.Errorf("%s: got %s, %v, want %s", product, got.Version, err, want)
		}
	}
}

func TestReportsAreBounded(t *testing.T) {
	many := make([]string, entries+1)
	for i := range many {
		many[i] = fmt.Sprintf(`"c%d": "ok"`, i)
	}
	for _, text := range []string{
		``, `5`, `[]`, `{}`, `{"name": "x", "hooks": "off"}`, `{"name": "x", "version": "1", "hooks": "y"}`,
		`{"name": "x\u001b[31m", "version": "1", "hooks": "off"}`,
		`{"name": "x", "version": "1", "hooks": "plugin", "plugin": "relative"}`,
		`{"name": "x", "version": "1", "hooks": "off", "commands": {"c": "fine"}}`,
		`{"name": "x", "version": "1", "hooks": "off", "settings": {"c": "\u001b"}}`,
		`{"name": "x", "version": "1", "hooks": "plugin", "plugin": "/` + strings.Repeat("x", pathMax) + `"}`,
		`{"name": "x", "version": "1", "hooks": "off", "commands": {` + strings.Join(many, ",") + `}}`,
	} {
		if e, err := Parse([]byte(text), then, noProduct); err == nil {
			t.Errorf("%.60s: got %+v, want an error", text, e)
		}
	}
}

func TestALongReportIsShortened(t *testing.T) {
	long := strings.Repeat("é", longest) // two bytes each
	folder := "/" + long
	e := report(t, fmt.Sprintf(`{"name": %q, "version": %[1]q, "extension": %[1]q, "hooks": "plugin", "plugin": %q, "commands": {%[1]q: "ok"}, "settings": {%[1]q: true, "program": %[1]q}}`, long, folder), then)
	short := long[:longest]
	want := Editor{Name: short, Version: short, Extension: short, Hooks: ByPlugin, Plugin: folder, At: then,
		Commands: map[string]Outcome{short: OK}, Settings: map[string]any{short: true, "program": short}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
}

func TestAFileThatIsNoneOfOursCountsAsNone(t *testing.T) {
	records := t.TempDir()
	if all, err := Read(records); len(all) > 0 || err != nil {
		t.Errorf("got %v, %v without a file", all, err)
	}
	for _, text := range []string{"", "{", "5", `[{"name": "\u001b"}]`, `[{}, 5]`} {
		if err := os.WriteFile(filepath.Join(records, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, err := Read(records); len(all) > 0 || err != nil {
			t.Errorf("%q: got %v, %v", text, all, err)
		}
	}
	for i := range most + 5 {
		if err := Remember(records, report(t, fmt.Sprintf(`{"name": "x", "version": "%d", "hooks": "off"}`, i), then.Add(time.Duration(i)))); err != nil {
			t.Fatal(err)
		}
	}
	if all, _ := Read(records); len(all) != most || all[0].Version != fmt.Sprint(most+4) {
		t.Errorf("got %d editors, the newest %+v", len(all), all[0])
	}
}
