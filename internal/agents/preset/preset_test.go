package preset

import (
	"strings"
	"testing"
)

func TestPresets(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, p := range All() {
		if p.Name == "" || names[p.Name] || len(p.Argv) == 0 || p.Hint == "" || !strings.HasPrefix(p.Docs, "https://") {
			t.Errorf("%+v: something is missing", p)
		}
		names[p.Name] = true
		p.Argv[0] = "changed"
	}
	if All()[0].Argv[0] == "changed" {
		t.Error("the list can be changed")
	}
	for _, want := range []string{"cursor", "opencode", "gemini", "copilot", "claude", "codex"} {
		if !names[want] {
			t.Errorf("no %s", want)
		}
	}
}
