//go:build unix

package simcursor_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// plugin installs a local plugin.
func (w *world) plugin(name, manifest string, h hooks) *world {
	root := filepath.Join(".cursor", "plugins", "local", name)
	w.file(w.Home, filepath.Join(root, ".cursor-plugin", "plugin.json"), manifest)
	return w.file(w.Home, filepath.Join(root, "hooks", "hooks.json"), h.json())
}

func TestAPluginIsLoadedOrDroppedWhole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ manifest, reason string }{
		"a name alone":            {`{"name":"a"}`, ""},
		"all that we have":        {`{"name":"a.b-c","hooks":"./hooks/hooks.json","commands":"./commands/","author":{"name":"x"}}`, ""},
		"not JSON":                {`{"name":"a",}`, "plugin.json"},
		"no name":                 {`{}`, "name"},
		"a name with a capital":   {`{"name":"Ralph"}`, "invalid name"},
		"an unknown key":          {`{"name":"a","hook":"x"}`, `unknown key "hook"`},
		"hooks outside":           {`{"name":"a","hooks":"../hooks.json"}`, "outside the plugin"},
		"commands in another way": {`{"name":"a","commands":["a.md"]}`, "only one path"},
	} {
		w := newWorld(t).plugin("a", tt.manifest, hooks{})
		files := w.open().Files()
		if len(files) != 1 || files[0].Place != "plugin" || files[0].Loaded != (tt.reason == "") || !strings.Contains(files[0].Reason, tt.reason) {
			t.Errorf("%s: got %+v, want %q", name, files, tt.reason)
		}
	}
}
