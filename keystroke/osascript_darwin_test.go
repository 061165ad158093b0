package keystroke

import (
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
