// Package autoload knows the files that programs execute, or agents obey, without being
// asked to: settings, hooks, tasks, instructions. Whoever may write them decides what
// other programs do. `run --permissions edits` never lets an agent write them, and a
// reviewer works without them.
//
// It only judges names. It does not know what is in the files, nor follow links.
package autoload

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// names are those of files and folders, at any depth: agents also look in the folders
// of the files that they work on, and a workspace may contain other repositories.
var names = []string{
	// Version control, and programs that run at its hooks.
	".git", ".hg", ".jj", ".husky", ".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", ".github",
	// Editors.
	".vscode", ".zed", ".idea", ".fleet", ".devcontainer", ".devcontainer.json",
	// Agents.
	".cursor", ".cursorrules", ".cursorignore", ".cursorindexingignore",
	".claude", "CLAUDE.md", "CLAUDE.local.md", ".mcp.json",
	".codex", ".agents", "AGENTS.md", "AGENTS.override.md", "AGENT.md",
	".gemini", "GEMINI.md", ".geminiignore",
	".qwen", "QWEN.md", ".qwenignore",
	".copilot", "copilot-instructions.md",
	".opencode", "opencode.json", "opencode.jsonc", "CONTEXT.md",
	".windsurf", ".windsurfrules", ".clinerules", ".cline", ".roo", ".roomodes", ".roorules", ".continue", ".kiro", ".junie", ".amazonq", ".augment",
	".factory", ".trae", ".goosehints", ".aider.conf.yml",
	// What shells, package managers and runtimes load. The programs of some agents are
	// built with Bun, which reads the last ones.
	".envrc", ".direnv", "mise.toml", ".mise.toml", ".mise", ".tool-versions", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs",
	"bunfig.toml", ".env", ".env.local", ".env.development", ".env.development.local", ".env.production", ".env.production.local", ".env.test", ".env.test.local",
}

// Names returns the names of these files and folders.
func Names() []string { return slices.Clone(names) }

// Has reports whether a path below a workspace, relative to it, is one of these files or
// leads into one of these folders.
func Has(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), isOne)
}

func isOne(part string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return same(part, name) })
}

// same reports whether two names are the same file on some file system: case, invisible
// characters (HFS+), trailing dots and spaces, and the name of a stream (Windows) do not
// count.
func same(part, name string) bool {
	part = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, part)
	part, _, _ = strings.Cut(part, ":")
	return strings.EqualFold(strings.TrimRight(part, ". "), name)
}
