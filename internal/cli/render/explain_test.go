package render

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryActionHasASentence looks for what the programs write to the log.
func TestEveryActionHasASentence(t *testing.T) {
	found, unseen := loggedActions(t, "loop", "cmd/cursor-ralph", "cmd/cursor-ralph-hook", "internal/onevent", "internal/cli", "internal/cli/notify", "internal/cli/run")
	for _, must := range []string{"claimed", "rest", "hand-over", "BLOCKED", "injected", "loop-mode"} { // of each kind one
		if !slices.Contains(found, must) {
			t.Errorf("got the actions %q, want %q too: this test looks at the wrong places", found, must)
		}
	}
	for _, action := range found {
		if !slices.ContainsFunc(retellings, func(r retelling) bool { return r.action == action }) {
			t.Errorf("got no sentence for %q", action)
		}
	}
	if len(unseen) > 0 {
		t.Errorf("got actions that this test cannot see: %q; write them as text, or name the variable action", unseen)
	}
}

// written finds what a source puts into a line of the log: the action of a line, a
// variable or an argument for it, a kind of action, and a status that ends a loop.
var written = regexp.MustCompile(`\bAction:\s*([^,}\n]+)|\baction :?= ("[^"]+")|\.(?:log\w*|ask|observed)\([^"\n]+, ("[a-z-]+")|\bActionKind\s+= ("[^"]+")|\bStatus\s+= ("[A-Z_]+")`)

// loggedActions returns the actions in the sources of the folders, and the expressions
// whose value it cannot see.
func loggedActions(t *testing.T, dirs ...string) (found, unseen []string) {
	t.Helper()
	for _, dir := range dirs {
		paths, err := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: got no files: %v", dir, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range written.FindAllStringSubmatch(string(source), -1) {
				value := strings.Join(m[1:], "")
				if action, err := strconv.Unquote(value); err == nil {
					found = append(found, action)
				} else if !strings.HasPrefix(value, "string(") && value != "action" { // of a kind or a status; or seen where it is made
					unseen = append(unseen, path+": "+value)
				}
			}
		}
	}
	return found, unseen
}
