package keystroke

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAppleScriptCompiles asks macOS's own compiler, which knows the words of
// System Events too.
func TestAppleScriptCompiles(t *testing.T) {
	cmd := exec.Command("osacompile", "-o", filepath.Join(t.TempDir(), "it.scpt"), "-")
	cmd.Stdin = strings.NewReader(macScript)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestMacTypes asks the real clipboard.
func TestMacTypes(t *testing.T) {
	m := Machine{OS: "darwin", Env: os.Environ()}
	d, err := newMacDesk(m)
	if err != nil {
		t.Fatal(err)
	}
	old, err := d.(macDesk).run(t.Context(), "", "pbpaste")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = d.(macDesk).run(t.Context(), old, "pbcopy") }() // the user's again
	if _, err := d.(macDesk).run(t.Context(), "a text", "pbcopy"); err != nil {
		t.Fatal(err)
	}
	types, err := d.(macDesk).types(t.Context())
	if err != nil || !strings.Contains(types, "public.utf8-plain-text") || macLost("a text", types) != "" {
		t.Errorf("got %q, %v", types, err)
	}
}
