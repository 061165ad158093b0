package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
)

// written by hand: the rest of the folder comes from pluginFiles.
var byHand = []string{"README.md"}

func plugin(t *testing.T) map[string]string {
	t.Helper()
	list, err := pluginFiles()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range list {
		files[f.Path] = string(f.New)
	}
	return files
}

// UPDATE=1 writes the folder.
func TestThePluginFolderIsWhatTheSlashCommandsAndEntriesSay(t *testing.T) {
	files := plugin(t)
	for name, text := range files {
		golden.Matches(t, filepath.Join("../plugin", filepath.FromSlash(name)), text)
	}
	var found []string
	err := fs.WalkDir(os.DirFS("../plugin"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !slices.Contains(byHand, path) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(files)), found); diff != "" {
		t.Error(diff)
	}
}

// schema is one of Cursor's, see testdata/cursor-plugin/SOURCE.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	s, err := compiler.Compile(filepath.Join("testdata", "cursor-plugin", name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(s *jsonschema.Schema, text string) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

func TestTheManifestsPassCursorsSchemas(t *testing.T) {
	if err := valid(schema(t, "plugin.schema.json"), manifest); err != nil {
		t.Error(err)
	}
	market, err := os.ReadFile("../.cursor-plugin/marketplace.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(schema(t, "marketplace.schema.json"), string(market)); err != nil {
		t.Error(err)
	}
	var list struct {
		Plugins []struct{ Name, Source string }
	}
	if err := json.Unmarshal(market, &list); err != nil || len(list.Plugins) != 1 || list.Plugins[0].Name != PluginName || list.Plugins[0].Source != "./plugin" {
		t.Errorf("got %+v, %v, want %s at ./plugin", list.Plugins, err, PluginName)
	}
}

func TestTheManifestNamesWhatIsThere(t *testing.T) {
	var m struct{ Commands, Skills, Hooks string }
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{m.Commands, m.Skills, m.Hooks} {
		if _, err := os.Stat(filepath.Join("../plugin", path)); err != nil {
			t.Error(err)
		}
	}
}

func TestThePluginsHooksAreOursAndFreeOfMistakes(t *testing.T) {
	hooks := []byte(plugin(t)["hooks/hooks.json"])
	for _, goos := range []string{"linux", "darwin", "windows"} {
		if found := Inspect(hooks, goos, stat); len(found) > 0 {
			t.Errorf("%s: %v", goos, found)
		}
	}
	if diff := cmp.Diff(fullEvents(), Installed(hooks).Events); diff != "" {
		t.Error(diff)
	}
}

// The limits are those of the Agent Skills specification.
func TestCommandsAndSkillsHaveTheFrontMatterThatCursorWants(t *testing.T) {
	for path, text := range plugin(t) {
		if filepath.Ext(path) != ".md" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		if name == "SKILL" {
			name = filepath.Base(filepath.Dir(path))
		}
		head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		var front struct{ Name, Description string }
		if err := yaml.Unmarshal([]byte(head), &front); err != nil || !ok || front.Name != name || len(front.Description) < 4 || len(front.Description) > 1024 {
			t.Errorf("%s: got %+v, error %v", path, front, err)
		}
		if !strings.HasPrefix(body, "\n# ") || strings.Contains(body, "changes are lost") {
			t.Errorf("%s: got %.80q", path, body)
		}
		if typed := !loop.Ordinary(text); typed != (name != "ralph-loops") {
			t.Errorf("%s: got known as a command's text %v", path, typed)
		}
		if originOf([]byte(text)) != users {
			t.Errorf("%s: a copy of it in the folder commands passes for an installed one", path)
		}
	}
}

func TestAPluginForEverySystemHasBothShells(t *testing.T) {
	files := plugin(t)
	for _, path := range []string{"commands/ralph-loop.md", "commands/ulw-loop.md", "commands/ralph-context.md", "skills/ralph-loops/SKILL.md"} {
		for _, want := range []string{"```sh\ncursor-ralph slash ", "'@ | cursor-ralph slash "} {
			if strings.Count(files[path], want) != 1 {
				t.Errorf("%s: got %d of %q, want one", path, strings.Count(files[path], want), want)
			}
		}
	}
	if text := files["skills/ralph-loops/SKILL.md"]; !strings.Contains(text, "cursor-ralph slash ralph-loop <<") {
		t.Errorf("the skill hands over to another command: %s", text)
	}
}

// pluginMark begins as the stamp of an installed file does: by that the text of a command is known where Cursor shows it instead
// of what was typed.
const pluginMark = "<!-- cursor-ralph: installed file of the plugin; what the user typed follows -->"

// manifest has no version: the plugin is the commit that it is taken from.
const manifest = `{
  "name": "` + PluginName + `",
  "displayName": "Cursor Ralph",
  "description": "Keeps the agent working on one task until it is really done. Needs the programs cursor-ralph and cursor-ralph-hook on the PATH.",
  "author": { "name": "The cursor-ralph authors" },
  "homepage": "https://github.com/cursor-ralph/cursor-ralph",
  "repository": "https://github.com/cursor-ralph/cursor-ralph",
  "license": "MIT",
  "keywords": ["ralph", "loop", "iteration", "automation"],
  "category": "developer-tools",
  "commands": "./commands/",
  "skills": "./skills/",
  "hooks": "./hooks/hooks.json"
}
`

// pluginFiles returns the files of our Cursor plugin, which is the same for every system: slash commands, hooks and a skill,
// without the programs. Those are called by their names, because a plugin's folder is at a place of Cursor's choice, and because
// the agent's shell has to find cursor-ralph all the same. Paths are relative, with slashes.
func pluginFiles() ([]File, error) {
	skill, err := skill()
	if err != nil {
		return nil, err
	}
	slash, err := rendered("cursor-ralph", "")
	if err != nil {
		return nil, err
	}
	files := []File{
		{Path: ".cursor-plugin/plugin.json", New: []byte(manifest)},
		{Path: "hooks/hooks.json", New: fresh(Options{Hook: hookName}.entries())},
		{Path: "skills/ralph-loops/SKILL.md", New: skill},
	}
	for _, f := range slash {
		title, _, _ := strings.Cut(string(f.New), "\n")
		_, what, _ := strings.Cut(title, ": ")
		text := frontMatter(strings.TrimSuffix(f.Path, ".md"), what, f.New)
		files = append(files, File{Path: "commands/" + f.Path, New: append(text, "\n"+pluginMark+"\n"...)})
	}
	return files, nil
}

func skill() ([]byte, error) {
	all, err := template.ParseFS(slashFiles, "slash/*")
	if err != nil {
		return nil, err
	}
	body, err := render(all, "ralph-loops.tmpl", "ralph-loop", nil, "cursor-ralph", "")
	return frontMatter("ralph-loops", "Keep working on one task until it is really done. Use when the user asks for a Ralph loop, "+
		"or to repeat or go on until a condition holds.", body), err
}

// frontMatter puts a name and a description first, as Cursor wants them in plugins. The description is quoted: it may have a
// colon.
func frontMatter(name, description string, body []byte) []byte {
	return fmt.Appendf(nil, "---\nname: %s\ndescription: %q\n---\n\n%s\n", name, description, bytes.TrimSpace(body))
}
