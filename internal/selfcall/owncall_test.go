package selfcall_test

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/selfcall"
)

// PowerShell syntax in a here-document belongs to the task.
func TestHandedOverTextMayHoldPowerShell(t *testing.T) {
	const text = "run this:\n@'\nhere\n'@ | x\nand end with @'"
	head, got := selfcall.HandedOver("cursor-ralph slash ralph-loop <<'END'\n" + text + "\nEND\n")
	if got != text || head != "cursor-ralph slash ralph-loop " {
		t.Errorf("got %q and %q, want the whole text", head, got)
	}
}
