package macos

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
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
	m := desk.Machine{OS: "darwin", Env: os.Environ()}
	d, err := newMacDesk(m)
	testdesk.Must(t, err)
	old, err := d.run(t.Context(), "", "pbpaste")
	testdesk.Must(t, err)
	defer func() { _, _ = d.run(t.Context(), old, "pbcopy") }() // the user's again
	if _, err := d.run(t.Context(), "a text", "pbcopy"); err != nil {
		t.Fatal(err)
	}
	types, err := d.types(t.Context())
	if err != nil || !strings.Contains(types, "public.utf8-plain-text") || macLost("a text", types) != "" {
		t.Errorf("got %q, %v", types, err)
	}
}
