package commands

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"
)

// PluginName is what Cursor calls our plugin.
const PluginName = "cursor-ralph"

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

// Plugin gives the files of our Cursor plugin, which is the same for every system: slash commands, hooks and a skill, without
// the programs. Those are called by their names, because a plugin's folder is at a place of Cursor's choice, and because the
// agent's shell has to find cursor-ralph all the same. Paths are relative, with slashes.
func Plugin() ([]File, error) {
	hooks, _, err := merge(nil, Options{Hook: hookName}.entries(), outline{events: map[string]bool{}}, false)
	if err != nil {
		return nil, err
	}
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
		{Path: "hooks/hooks.json", New: hooks},
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
	body, err := render(all, "ralph-loops.tmpl", "ralph-loop", "cursor-ralph", "")
	return frontMatter("ralph-loops", "Keep working on one task until it is really done. Use when the user asks for a Ralph loop, "+
		"or to repeat or go on until a condition holds.", body), err
}

// frontMatter puts a name and a description first, as Cursor wants them in plugins. The description is quoted: it may have a colon.
func frontMatter(name, description string, body []byte) []byte {
	return fmt.Appendf(nil, "---\nname: %s\ndescription: %q\n---\n\n%s\n", name, description, bytes.TrimSpace(body))
}
