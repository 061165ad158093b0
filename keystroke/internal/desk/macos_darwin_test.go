package desk

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// TestMacClipboard uses the real one.
func TestMacClipboard(t *testing.T) {
	d, err := mac(Machine{OS: "darwin", Env: os.Environ()})
	testdesk.Must(t, err)
	old, err := d.Boards[0].Get(t.Context())
	testdesk.Must(t, err)
	defer func() { _ = d.Boards[0].Set(t.Context(), old.Text) }() // the user's again
	testdesk.Must(t, d.Boards[0].Set(t.Context(), "a text"))
	if c, err := d.Boards[0].Get(t.Context()); err != nil || c.Text != "a text" || !slices.ContainsFunc(c.Types, IsText) {
		t.Errorf("got %+v, %v", c, err)
	}
}
