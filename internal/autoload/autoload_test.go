package autoload

import (
	"path/filepath"
	"testing"
)

func TestHas(t *testing.T) {
	for path, want := range map[string]bool{
		".claude/settings.json":                true,
		"a/b/.CLAUDE/settings.json":            true,
		"a/.Git/config":                        true,
		".git":                                 true,
		"AGENTS.md":                            true,
		"sub/agents.MD":                        true,
		"claude.md":                            true,
		"opencode.json":                        true,
		".github/workflows/x.yml":              true,
		".github":                              true,
		".npmrc. ":                             true,
		".cla\u200bude/settings.json":          true,
		".claude::$INDEX_ALLOCATION/x":         true,
		"AGENTS.md:stream":                     true,
		filepath.Join("sub", ".zed", "x.json"): true,
		".gitignore":                           false,
		".gitattributes":                       false,
		"claude":                               false,
		"agents/main.go":                       false,
		"docs/AGENTS.md.txt":                   false,
		".env.example":                         false,
		"opencode/config.json":                 false,
		"":                                     false,
		".":                                    false,
	} {
		if got := Has(path); got != want {
			t.Errorf("Has(%q) = %v, want %v", path, got, want)
		}
	}
}

// Each name counts as it is written, in any folder.
func TestNames(t *testing.T) {
	for _, name := range Names() {
		if !Has(name) || !Has("a/"+name) || !Has(name+"/x") {
			t.Errorf("%s is not among the names", name)
		}
	}
}
