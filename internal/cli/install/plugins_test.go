package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

func TestTheHooksOfAPluginAreFound(t *testing.T) {
	const hooks = `{"version": 1, "hooks": {"stop": [{"command": "a"}]}}`
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // place and content; empty for none
	}{
		{"the usual file", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p"}`, "local/p/hooks/hooks.json": hooks}, "local/p/hooks/hooks.json " + hooks},
		{"the file that is named", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p", "hooks": "./h.json"}`, "local/p/h.json": hooks, "local/p/hooks/hooks.json": "no"},
			"local/p/h.json " + hooks},
		{"in the cache", map[string]string{"cache/m/p/1/.cursor-plugin/plugin.json": `{"name": "p"}`, "cache/m/p/1/hooks/hooks.json": hooks}, "cache/m/p/1/hooks/hooks.json " + hooks},
		{"two versions", map[string]string{"cache/m/p/1/.cursor-plugin/plugin.json": `{"name": "p"}`, "cache/m/p/1/hooks/hooks.json": hooks,
			"cache/m/p/2/.cursor-plugin/plugin.json": `{"name": "p"}`, "cache/m/p/2/hooks/hooks.json": hooks}, "cache/m/p/1/hooks/hooks.json " + hooks},
		{"events in the manifest", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p", "hooks": {"stop": []}}`},
			`local/p/.cursor-plugin/plugin.json {"version": 1, "hooks": {"stop": []}}`},
		{"a whole file in the manifest", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p", "hooks": ` + hooks + `}`}, "local/p/.cursor-plugin/plugin.json " + hooks},
		{"no manifest", map[string]string{"local/p/hooks/hooks.json": hooks}, ""},
		{"no hooks", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p"}`}, ""},
		{"a manifest that is not JSON", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p"`, "local/p/hooks/hooks.json": hooks}, ""},
		{"hooks of another type", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p", "hooks": ["a"]}`, "local/p/hooks/hooks.json": hooks}, ""},
		{"a file outside", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p", "hooks": "../../x.json"}`, "x.json": hooks}, ""},
		{"a folder", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p", "hooks": "./h"}`, "local/p/h/x": hooks}, ""},
		{"too large", map[string]string{"local/p/.cursor-plugin/plugin.json": `{"name": "p"}`, "local/p/hooks/hooks.json": strings.Repeat(" ", cli.MaxOther+1)}, ""},
		{"nothing", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			for name, content := range tt.files {
				path := filepath.Join(folder, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			for _, f := range plugins(folder) {
				rel, err := filepath.Rel(folder, f.Path)
				if err != nil || f.Plugin != "p" {
					t.Errorf("got %+v, %v", f, err)
				}
				got += filepath.ToSlash(rel) + " " + string(f.Raw)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
