package keystroke

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// robotgoKeys presses by the program cursor-ralph-robotgo alone.
type robotgoKeys struct{ path string }

func (k robotgoKeys) press(ctx context.Context, _ window, c Chord) error {
	if out, err := exec.CommandContext(ctx, k.path, "press", c.String()).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// TestRobotgoHelperTypes runs the program that TestUnderWine has built.
func TestRobotgoHelperTypes(t *testing.T) {
	helper := os.Getenv("ROBOTGO")
	if helper == "" {
		t.Skip("needs cursor-ralph-robotgo.exe, which is built where wine is")
	}
	editor := playWin(t, "cursor.exe", "repo - Cursor")
	var want []string
	for try := range 3 {
		target := winTarget("cursor.exe")
		target.Arrived = func(context.Context) error { editor.await(t, "message", try+1); return nil }
		if err := deliver(t.Context(), target, winDesk{chromeClass}, robotgoKeys{helper}); err != nil {
			t.Fatal(err)
		}
		want = append(want, winLine)
	}
	if got := editor.printed("message"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
