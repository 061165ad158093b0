//go:build unix

package simcursor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// plugin installs a local plugin.
func (w *world) plugin(name, manifest string, h hooks) *world {
	root := filepath.Join(".cursor", "plugins", "local", name)
	w.file(w.Home, filepath.Join(root, ".cursor-plugin", "plugin.json"), manifest)
	return w.file(w.Home, filepath.Join(root, "hooks", "hooks.json"), h.json())
}

func TestAPluginIsLoadedOrDroppedWhole(t *testing.T) {
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

func TestALinkToAPluginIsRefused(t *testing.T) {
	w := newWorld(t).plugin("a", `{"name":"a"}`, hooks{})
	local := filepath.Join(w.Home, ".cursor", "plugins", "local")
	w.must(os.Rename(filepath.Join(local, "a"), filepath.Join(w.Home, "a")))
	w.must(os.Symlink(filepath.Join(w.Home, "a"), filepath.Join(local, "a")))
	if files := w.open().Files(); len(files) != 1 || files[0].Loaded || !strings.Contains(files[0].Reason, "symbolic link") {
		t.Errorf("got %+v, want it refused", files)
	}
}

func TestAPluginsHooksRunInItsFolderAndTheirAnswersComeFirst(t *testing.T) {
	w := newWorld(t).plugin("a", `{"name":"a"}`, hooks{"stop": {{"command": `pwd >where; printf '%s' "$CURSOR_PLUGIN_ROOT" >root; cat >/dev/null; echo '{"followup_message":"plugin"}'`}}})
	w.user(hooks{"stop": {{"command": `cat >/dev/null; [ -z "$CURSOR_PLUGIN_ROOT" ] && echo '{"followup_message":"user"}'`}}})
	w.MaxTurns = 2
	chat := w.open().Chat(func(t *simcursor.Turn) { t.Say("done") })
	_ = chat.Send(t.Context(), "hello") // it ends at MaxTurns
	if messages := chat.Messages(); len(messages) < 2 || messages[1] != "user" {
		t.Errorf("got %q, want the user's answer", messages)
	}
	root := filepath.Join(w.Home, ".cursor", "plugins", "local", "a")
	for name, want := range map[string]string{"where": root + "\n", "root": root} {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestAPluginsCommandsExpandAfterTheUsers(t *testing.T) {
	w := newWorld(t).plugin("a", `{"name":"a"}`, hooks{})
	w.file(w.Home, ".cursor/plugins/local/a/commands/one.md", "plugin's one")
	w.file(w.Home, ".cursor/plugins/local/a/commands/two.md", "plugin's two")
	w.file(w.Home, ".cursor/commands/one.md", "user's one")
	var got []string
	chat := w.open().Chat(func(t *simcursor.Turn) { got = append(got, t.Message) })
	for _, text := range []string{"/one x", "/two x", "/three x"} {
		w.must(chat.Send(t.Context(), text))
	}
	want := "user's one\n\nx|plugin's two\n\nx|/three x"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestARegisteredPluginRunsUntilItIsUnregistered(t *testing.T) {
	w := newWorld(t)
	root := filepath.Join(w.Home, "extension", "plugin")
	w.file(w.Home, "extension/plugin/.cursor-plugin/plugin.json", `{"name":"a"}`)
	w.file(w.Home, "extension/plugin/hooks/hooks.json", hooks{"stop": {{"command": `cat >/dev/null; printf x >>runs`}}}.json())
	cursor := w.open()
	if err := cursor.RegisterPlugin(filepath.Dir(root)); err == nil {
		t.Error("a folder that is no plugin was registered")
	}
	chat := cursor.Chat(func(t *simcursor.Turn) { t.Say("done") })
	w.must(cursor.RegisterPlugin(root))
	w.must(cursor.RegisterPlugin(root))
	w.must(chat.Send(t.Context(), "one"))
	cursor.UnregisterPlugin(root)
	w.must(chat.Send(t.Context(), "two"))
	if runs, err := os.ReadFile(filepath.Join(root, "runs")); string(runs) != "x" {
		t.Errorf("its hook ran %q times, %v, want once", runs, err)
	}
}
